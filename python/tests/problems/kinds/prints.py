"""A reference that prints."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        print("forward")
        return torch.sigmoid(x)


def get_inputs():
    return [torch.randn(24, 40)]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        return 1 / (1 + torch.exp(-x))
"""

MISTAKE = ("-x", "-1.1 * x")
SAYS = "elements differ"
DROP_IN = "less accurate"
