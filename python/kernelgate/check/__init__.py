"""The check stage: inputs, comparison, and words for what is wrong. It knows nothing of processes.

Here: the bounds of a result, for the side that makes one and the side that decodes it. It imports no torch.
"""

from __future__ import annotations

MAX_TENSORS = 4096
MAX_FORM = 4000
