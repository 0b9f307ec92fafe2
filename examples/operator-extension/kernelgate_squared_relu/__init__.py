"""An operator for KernelGate: the squared ReLU. Nothing has to be imported from here."""
