"""The emulated device as PyTorch sees it, while a candidate runs."""
