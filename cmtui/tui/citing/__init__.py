"""The parts of the Cite screen: its form, its preview and its list."""
