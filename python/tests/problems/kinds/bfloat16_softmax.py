"""Softmax in bfloat16; the wrong one is 2 % too large, which is five roundings."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        return torch.softmax(x, -1)


def get_inputs():
    return [torch.randn(24, 200).bfloat16()]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        e = torch.exp(x - x.amax(-1, keepdim=True))
        return e / e.sum(-1, keepdim=True)
"""

MISTAKE = ("return e", "return 1.02 * e")
SAYS = "times the reference's"
DROP_IN = ""
