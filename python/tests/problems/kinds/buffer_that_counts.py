"""A buffer that counts the calls, and is part of the result."""

PROBLEM = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))

    def forward(self, x):
        self.calls += 1
        return x * self.calls


def get_inputs():
    return [torch.randn(24, 40)]
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))

    def forward(self, x):
        self.calls += 1
        return x * self.calls
"""

MISTAKE = (
    """self.calls += 1
        return x * self.calls""",
    "return x * (self.calls + 1)",
)
SAYS = "in a later call"
DROP_IN = True
