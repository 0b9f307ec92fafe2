"""Singular vectors and the columns of QR may have either sign; the wrong program turns the left ones of SVD alone."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        u, s, vh = torch.linalg.svd(x, full_matrices=False)
        q, r = torch.linalg.qr(x)
        return u, s, vh.mT, q, r


def get_inputs():
    return [torch.randn(12, 20)]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        u, s, vh = torch.linalg.svd(x, full_matrices=False)
        sign = torch.where(torch.arange(s.shape[-1], device=x.device) % 2 == 0, -1, 1)
        q, r = torch.linalg.qr(x)
        return u * sign, s, vh.mT * sign, -q, -r
"""

MISTAKE = ("vh.mT * sign", "vh.mT")
SAYS = "result 3 of 5"
DROP_IN = True
