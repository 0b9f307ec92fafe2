"""Rotary positions by complex numbers: the reference converts to float32, where its inputs are float64 too."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x, rotations):
        pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
        return torch.view_as_real(pairs * rotations[:, None]).flatten(-2).type_as(x)

def get_inputs():
    angles = torch.outer(torch.arange(32.0), 10000 ** (torch.arange(0, 64, 2) / -64))
    return [torch.randn(2, 32, 4, 64), torch.polar(torch.ones_like(angles), angles)]
"""
HONEST = """
class ModelNew(nn.Module):
    def forward(self, x, rotations):
        even, odd = x.float().unflatten(-1, (-1, 2)).unbind(-1)
        cosine, sine = rotations.real[:, None], rotations.imag[:, None]
        turned = torch.stack([even * cosine - odd * sine, even * sine + odd * cosine], -1)
        return turned.flatten(-2).type_as(x)
"""
CUDA = ""
MISTAKE = ("even * sine + odd", "even * sine - odd")
SAYS = "differ"
DROP_IN = True
