"""A weight that torch.nn.utils.weight_norm makes of two parameters before each call."""

PROBLEM = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.utils.weight_norm(nn.Linear(20, 30))

    def forward(self, x):
        return self.linear(x)


def get_inputs():
    return [torch.randn(16, 20)]
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.utils.weight_norm(nn.Linear(20, 30))

    def forward(self, x):
        return self.linear(x * 1.0)
"""

MISTAKE = ("x * 1.0", "x * 2.0")
SAYS = "elements differ"
DROP_IN = True
