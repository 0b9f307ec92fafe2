"""A maximum over windows of rows, which PyTorch lays out otherwise while its operators are watched."""

PROBLEM = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool = nn.MaxPool1d(3)

    def forward(self, x):
        return self.pool(x)


def get_inputs():
    return [torch.randn(4, 6, 30)]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        return x.unfold(-1, 3, 3).amax(-1)
"""

MISTAKE = ("unfold(-1, 3, 3)", "unfold(-1, 2, 3)")
SAYS = "elements differ"
DROP_IN = True
