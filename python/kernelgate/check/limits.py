"""The bounds of a result, for the side that makes one and the side that decodes it. Imports no torch."""

MAX_TENSORS = 4096
MAX_FORM = 4000
