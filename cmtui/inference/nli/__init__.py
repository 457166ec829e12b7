"""Natural language inference by a three-way classifier, behind the port of inference (R93, R119 to R135).

``policy`` holds the operating point and the limits, ``windows`` what becomes of passages that are too long,
``judging`` the decision per passage, ``scoring`` checked and batched calls of the classifier;
``onnx_backend`` and ``transformer`` load models of a person's own. Importing this package loads no library
and no weights, and nothing is ever downloaded without an explicit permission (R121, R124).
"""

from cmtui.inference.nli.onnx_backend import OnnxNLIBackend
from cmtui.inference.nli.policy import NLIPolicy
from cmtui.inference.nli.transformer import TransformerNLIBackend, TransformerNLIConfig

__all__ = ["NLIPolicy", "OnnxNLIBackend", "TransformerNLIBackend", "TransformerNLIConfig"]
