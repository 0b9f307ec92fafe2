"""RMS normalization in bfloat16; the wrong epsilon shows only where a whole row is small."""

PROBLEM = """
class Model(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(dim).to(torch.bfloat16) + 0.5)

    def forward(self, x):
        wide = x.float()
        wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)
        return self.weight * wide.to(torch.bfloat16)


def get_inputs():
    return [torch.randn(16, 136).bfloat16()]


def get_init_inputs():
    return [136]
"""

CUDA = ""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(dim).to(torch.bfloat16) + 0.5)

    def forward(self, x):
        wide = x.float()
        root = torch.sqrt((wide * wide).sum(-1, keepdim=True) / x.size(-1) + 1e-6)
        return self.weight * (wide / root).to(torch.bfloat16)
"""

MISTAKE = ("1e-6", "1e-2")
SAYS = "times the reference's"
DROP_IN = "zero-dimensional input"
