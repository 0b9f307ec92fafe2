"""How large a result may be: said once, for whoever makes one and for whoever decodes it. Imports no torch."""

MAX_TENSORS = 4096
MAX_FORM = 4000
