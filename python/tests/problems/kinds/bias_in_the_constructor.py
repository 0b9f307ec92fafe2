"""A constant that is added to a parameter when it is made, and lost when others are loaded."""

PROBLEM = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(40, 30)

    def forward(self, x):
        return self.linear(x) + 2.0


def get_inputs():
    return [torch.randn(24, 40)]
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(40, 30)

    def forward(self, x):
        return self.linear(x) + 2.0
"""

MISTAKE = (
    """self.linear = nn.Linear(40, 30)

    def forward(self, x):
        return self.linear(x) + 2.0""",
    """self.linear = nn.Linear(40, 30)
        self.linear.bias.data += 2.0

    def forward(self, x):
        return self.linear(x)""",
)
SAYS = "constructor"
DROP_IN = True
