"""A norm of each channel behind a convolution, whose bias is all that is left of small inputs: there a variance in one
pass, as most kernels take it, loses digits."""

PROBLEM = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 6, 3)
        nn.init.normal_(self.conv.bias, 1, 0.1)
        self.norm = nn.GroupNorm(6, 6)

    def forward(self, x):
        return self.norm(self.conv(x))


def get_inputs():
    return [torch.randn(4, 3, 12, 12)]
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 6, 3)
        nn.init.normal_(self.conv.bias, 1, 0.1)
        self.norm = nn.GroupNorm(6, 6)

    def forward(self, x):
        x = self.conv(x)
        mean = x.mean((2, 3), keepdim=True)
        scale = ((x * x).mean((2, 3), keepdim=True) - mean * mean + 1e-5).rsqrt()
        y = (x - mean) * scale
        return y * self.norm.weight[:, None, None] + self.norm.bias[:, None, None]
"""

MISTAKE = ("+ 1e-5", "+ 1e-3")
SAYS = "as the epsilon of its group normalization"
DROP_IN = ""
