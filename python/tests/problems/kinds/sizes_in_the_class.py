"""Hidden sizes that stand in the class."""

PROBLEM = """
class Model(nn.Module):
    HIDDEN = 88

    def __init__(self):
        super().__init__()
        self.up = nn.Linear(32, self.HIDDEN)
        self.down = nn.Linear(self.HIDDEN, 32)

    def forward(self, x):
        return self.down(F.silu(self.up(x)))


def get_inputs():
    return [torch.randn(16, 32)]
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(32, 88)
        self.down = nn.Linear(88, 32)

    def forward(self, x):
        h = F.linear(x, self.up.weight, self.up.bias)
        return F.linear(h * torch.sigmoid(h), self.down.weight, self.down.bias)
"""

MISTAKE = ("h * torch.sigmoid(h)", "h * torch.sigmoid(1.2 * h)")
SAYS = "elements differ"
DROP_IN = True
