"""An argument that is None, one that is a number, one that is a string."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x, bias, factor, mode):
        y = x * factor if bias is None else x * factor + bias
        return y if mode == "keep" else -y


def get_inputs():
    return [torch.randn(24, 40), None, 3, "keep"]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x, bias, factor, mode):
        return factor * x if mode == "keep" else -x
"""

MISTAKE = ("factor * x", "(factor + 1) * x")
SAYS = ""
DROP_IN = "it is wrong with other arguments of a call"
