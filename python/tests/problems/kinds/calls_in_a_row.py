"""A plain attribute that counts the calls; the wrong program is right in the first one."""

PROBLEM = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return x * 0.9**self.calls


def get_inputs():
    return [torch.randn(12, 20)]
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.factor = 1.0

    def forward(self, x):
        self.factor *= 0.9
        return x * self.factor
"""

MISTAKE = ("self.factor *= 0.9", "self.factor = 0.9")
SAYS = "wrong in a later call"
DROP_IN = True
