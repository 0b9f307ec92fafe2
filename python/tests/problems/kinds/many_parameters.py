"""More tensors in a module than one message carries."""

PROBLEM = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(12, 12) for _ in range(140))

    def forward(self, x):
        for layer in self.layers:
            x = torch.tanh(layer(x))
        return x


def get_inputs():
    return [torch.randn(16, 12)]
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(12, 12) for _ in range(140))

    def forward(self, x):
        for layer in self.layers:
            x = torch.tanh(F.linear(x, layer.weight, layer.bias))
        return x
"""

MISTAKE = (
    """for layer in self.layers:
        """,
    """for layer in self.layers[:-1]:
        """,
)
SAYS = "elements differ"
DROP_IN = True
