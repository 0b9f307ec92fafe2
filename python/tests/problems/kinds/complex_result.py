"""A Fourier transform: its result is complex, and graded."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        return torch.fft.fft(x)


def get_inputs():
    return [torch.randn(12, 24)]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        n = x.shape[-1]
        k = torch.arange(n, device=x.device)
        angle = -2 * math.pi * ((k[:, None] * k) % n).double() / n
        parts = torch.complex(x.double() @ angle.cos(), x.double() @ angle.sin())
        return parts.to(torch.promote_types(x.dtype, torch.complex64))
"""

MISTAKE = ("angle.sin())", "-angle.sin())")
SAYS = "elements differ"
DROP_IN = ""
