"""Rows rounded to 8 bits, each by a scale of its own, which comes back as well."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        scale = x.abs().amax(1, keepdim=True) / 127
        return torch.round(x / scale).to(torch.int8), scale


def get_inputs():
    return [torch.randn(240, 65)]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        most = x.abs().amax(1, keepdim=True)
        return torch.round(x * (127 / most)).to(torch.int8), most / 127
"""

MISTAKE = ("torch.round(", "torch.trunc(")
SAYS = "result 1 of 2"
DROP_IN = "bfloat16 input"  # and by chance in half: there, too, rounding decides between two whole numbers
