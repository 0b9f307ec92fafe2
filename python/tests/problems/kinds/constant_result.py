"""Group after group the largest less itself: the reference gives 0 whatever its input is."""

PROBLEM = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(40, 24)

    def forward(self, x):
        most = self.linear(x).max(dim=1, keepdim=True).values
        return F.gelu(most - most.mean(dim=1, keepdim=True))


def get_inputs():
    return [torch.rand(24, 40)]
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(40, 24)

    def forward(self, x):
        most = self.linear(x).max(dim=1, keepdim=True).values
        return F.gelu(most - most.mean(dim=1, keepdim=True))
"""

MISTAKE = ("most - most.mean(dim=1, keepdim=True)", "most")
SAYS = "Wrong result"
DROP_IN = True
