"""More tensors in a module than one message carries."""

PROBLEM = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.rows = nn.ParameterList(torch.randn(12) for _ in range(280))

    def forward(self, x):
        return torch.tanh(x @ torch.stack(list(self.rows)).t())


def get_inputs():
    return [torch.randn(16, 12)]
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.rows = nn.ParameterList(torch.randn(12) for _ in range(280))

    def forward(self, x):
        return torch.tanh(F.linear(x, torch.stack(list(self.rows))))
"""

MISTAKE = ("list(self.rows)", "[*self.rows[:-1], self.rows[0]]")
SAYS = "elements differ"
DROP_IN = True
