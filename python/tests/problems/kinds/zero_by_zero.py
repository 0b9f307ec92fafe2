"""Rows divided by their sum; a row of zeros is 0/0."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        return x / x.sum(dim=1, keepdim=True)


def get_inputs():
    x = torch.rand(24, 40)
    x[3] = 0
    x[7, 1:] = 0
    return [x]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        return x * (1 / x.sum(dim=1, keepdim=True))
"""

MISTAKE = ("1 / x.sum(dim=1, keepdim=True)", "1 / x.sum(dim=1, keepdim=True).clamp_min(1e-6)")
SAYS = "NaN"
DROP_IN = True
