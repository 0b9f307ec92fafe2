"""Parameters of other names, found by shape and order."""

PROBLEM = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(40, 30)
        self.second = nn.Linear(30, 20)

    def forward(self, x):
        return self.second(torch.relu(self.first(x)))


def get_inputs():
    return [torch.randn(24, 40)]
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.w1, self.b1 = nn.Parameter(torch.randn(30, 40)), nn.Parameter(torch.randn(30))
        self.w2, self.b2 = nn.Parameter(torch.randn(20, 30)), nn.Parameter(torch.randn(20))

    def forward(self, x):
        h = torch.relu(F.linear(x, self.w1, self.b1))
        return F.linear(h, self.w2, self.b2)
"""

MISTAKE = ("self.w2, self.b2)", "self.w2)")
SAYS = "without the bias of its matrix product (2 of 2)"
DROP_IN = "it starts from other weights"
