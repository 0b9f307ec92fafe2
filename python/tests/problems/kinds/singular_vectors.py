"""Singular vectors, each of which may have either sign; the wrong program turns the left ones alone."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        u, s, vh = torch.linalg.svd(x, full_matrices=False)
        return u, s, vh.mT


def get_inputs():
    return [torch.randn(12, 20)]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        u, s, vh = torch.linalg.svd(x, full_matrices=False)
        sign = torch.where(torch.arange(s.shape[-1], device=x.device) % 2 == 0, -1, 1)
        return u * sign, s, vh.mT * sign
"""

MISTAKE = ("vh.mT * sign", "vh.mT")
SAYS = "result 3 of 3"
DROP_IN = True
