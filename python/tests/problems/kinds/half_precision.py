"""A problem whose own inputs and parameters are half."""

PROBLEM = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(40, 30).half()

    def forward(self, x):
        return self.linear(x)


def get_inputs():
    return [torch.randn(24, 40, dtype=torch.float16)]
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(40, 30).half()

    def forward(self, x):
        if x.dtype != torch.float16:
            raise TypeError("half only")
        return (x.float() @ self.linear.weight.float().t()).half() + self.linear.bias
"""

MISTAKE = ("x.float() @", "1.01 * x.float() @")
SAYS = "elements differ"
DROP_IN = ""
