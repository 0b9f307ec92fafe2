"""Results that are views of the input, one of them without elements."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        return x.transpose(0, 1)[1:], x[:, :0]


def get_inputs():
    return [torch.randn(24, 40)]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        return x[:, 1:].transpose(0, 1), x[:, :0]
"""

MISTAKE = ("x[:, 1:]", "x[:, :-1]")
SAYS = "elements differ"
DROP_IN = True
