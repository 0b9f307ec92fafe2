"""The constructor sets the random seed, as the reference's does."""

PROBLEM = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(7)
        self.w = torch.randn(24, 12)

    def forward(self, x):
        return x @ self.w.to(x)


def get_inputs():
    return [torch.randn(16, 24)]
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(7)
        self.w = torch.randn(24, 12)

    def forward(self, x):
        return F.linear(x, self.w.to(x).t())
"""

MISTAKE = ("manual_seed(7)", "manual_seed(8)")
SAYS = "elements differ"
DROP_IN = True
