"""The seed's place for the Exa adapter: ``from cmtui.exa import ExaAcquisitionAdapter`` (R36, R44).

Importing the package does not import this module: networking is opted into by naming it.
"""

from cmtui.discovery.exa import ExaAcquisitionAdapter, ExaClient, ExaHttpClient
from cmtui.errors import CaptureValidationError, ExaProviderError, HighlightAlignmentError

__all__ = [
    "CaptureValidationError",
    "ExaAcquisitionAdapter",
    "ExaClient",
    "ExaHttpClient",
    "ExaProviderError",
    "HighlightAlignmentError",
]
