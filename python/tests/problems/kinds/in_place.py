"""The reference writes to its input."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        x += 1
        return x * 2


def get_inputs():
    return [torch.randn(24, 40)]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        x += 1
        return x * 2
"""

MISTAKE = ("x += 1", "x += 2")
SAYS = "every element is 2 larger"
DROP_IN = True
