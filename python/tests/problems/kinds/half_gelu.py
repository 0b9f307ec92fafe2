"""GELU in half, computed in float32; the wrong one is 10 % off between -1.32 and -1.12."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        return F.gelu(x)


def get_inputs():
    return [torch.randn(24, 100).half()]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        v = x.float()
        return (0.5 * v * (1 + torch.erf(v * 0.70710678))).to(x.dtype)
"""

MISTAKE = ("0.5 * v", "torch.where((v + 1.22).abs() < 0.1, 0.55, 0.5) * v")
SAYS = "elements differ"
DROP_IN = "double"
