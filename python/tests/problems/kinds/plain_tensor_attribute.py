"""A tensor that is no parameter and no buffer."""

PROBLEM = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.linspace(-1, 1, 40 * 30).reshape(40, 30)

    def forward(self, x):
        return x @ self.table.to(x.device)


def get_inputs():
    return [torch.randn(24, 40)]
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.linspace(-1, 1, 40 * 30).reshape(40, 30)

    def forward(self, x):
        return F.linear(x, self.table.to(x.device).t())
"""

MISTAKE = ("F.linear(x, self.table.to(x.device).t())", "F.linear(x, self.table.to(x.device).t()).mul(1.01)")
SAYS = "every element is 1.01 times the reference's"
DROP_IN = True
