"""A buffer that is updated with gradients on, so that it holds a graph after the call."""

PROBLEM = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)
        self.register_buffer("average", torch.zeros(8))

    def forward(self, x):
        y = self.linear(x)
        self.average = self.average * 0.5 + y.mean(0)
        return y + self.average


def get_inputs():
    return [torch.randn(4, 8)]
"""

HONEST = PROBLEM.split("def get_inputs")[0].replace("Model(", "ModelNew(")

MISTAKE = ("* 0.5", "* 0.4")
SAYS = "elements differ"
DROP_IN = True
