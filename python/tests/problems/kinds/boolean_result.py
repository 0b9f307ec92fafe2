"""A comparison: its result is boolean."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x, y):
        return (x > y) & (y > 0)


def get_inputs():
    return [torch.randn(33, 40), torch.randn(33, 40)]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x, y):
        return torch.logical_and(x > y, y > 0)
"""

MISTAKE = ("y > 0", "y >= -0.5")
SAYS = "elements differ"
DROP_IN = True
