"""A weight divided by its largest singular value, whose estimate is a buffer that each call moves."""

PROBLEM = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.utils.spectral_norm(nn.Linear(40, 30))

    def forward(self, x):
        return self.linear(x)


def get_inputs():
    return [torch.randn(24, 40)]
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.utils.spectral_norm(nn.Linear(40, 30))

    def forward(self, x):
        return F.leaky_relu(self.linear(x), 1.0)
"""

MISTAKE = ("nn.utils.spectral_norm(nn.Linear(40, 30))", "nn.Linear(40, 30)")
SAYS = ""
DROP_IN = True
