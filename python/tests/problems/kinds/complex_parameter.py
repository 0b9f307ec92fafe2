"""A filter of complex parameters in the frequency domain."""

PROBLEM = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.filter = nn.Parameter(torch.randn(8, 33, dtype=torch.complex64) * 0.1)

    def forward(self, x):
        return torch.fft.rfft(x) * self.filter


def get_inputs():
    return [torch.randn(4, 8, 64)]
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.filter = nn.Parameter(torch.zeros(8, 33, dtype=torch.complex64))

    def forward(self, x):
        there = torch.fft.rfft(x).conj()
        return (there * self.filter.conj()).conj()
"""

MISTAKE = ("(there * self.filter.conj()).conj()", "(there * self.filter.conj())")
SAYS = "elements differ"
DROP_IN = True
