"""Rows of length 1; the wrong one divides 0 by 0 where a row is 0."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        return F.normalize(x, dim=-1)


def get_inputs():
    return [torch.randn(24, 72)]
"""

CUDA = ""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        length = (x * x).sum(-1, keepdim=True).sqrt()
        return x / length.clamp_min(1e-12)
"""

MISTAKE = (".clamp_min(1e-12)", "")
SAYS = "NaN"
DROP_IN = True
