"""Measurements of the engine over labelled data."""
