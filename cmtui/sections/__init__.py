"""Proposes literature for a section of a draft, with every decision on record, and invents nothing."""
