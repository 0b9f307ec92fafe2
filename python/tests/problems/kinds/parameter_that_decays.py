"""A call that changes a parameter of its own module."""

PROBLEM = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(20))

    def forward(self, x):
        y = x * self.weight
        self.weight.data.mul_(0.5)
        return y


def get_inputs():
    return [torch.randn(12, 20)]
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(20))

    def forward(self, x):
        y = self.weight * x
        with torch.no_grad():
            self.weight -= 0.5 * self.weight
        return y
"""

MISTAKE = ("-= 0.5", "-= 0.4")
SAYS = "in a later call"
DROP_IN = ""
