"""The constructor's arguments by position and by name."""

PROBLEM = """
class Model(nn.Module):
    def __init__(self, features, *, eps=1e-5, affine=True):
        super().__init__()
        self.eps = eps
        self.g = nn.Parameter(torch.rand(features)) if affine else None

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.g


def get_inputs():
    return [torch.randn(16, 24)]


def get_init_inputs():
    return [[24], {"eps": 1e-3}]
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self, features, *, eps=1e-5, affine=True):
        super().__init__()
        self.eps = eps
        self.g = nn.Parameter(torch.rand(features)) if affine else None

    def forward(self, x):
        return x / torch.sqrt((x * x).mean(-1, keepdim=True) + self.eps) * self.g
"""

MISTAKE = ("+ self.eps", "+ 1e-5")
SAYS = ""
DROP_IN = True
