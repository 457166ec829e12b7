"""The seed documents' import path for the machine over a store: ``from cmtui.backend import ...``."""

from cmtui.engine.machine import CitationMachine, LocalCitationMachine

__all__ = ["CitationMachine", "LocalCitationMachine"]
