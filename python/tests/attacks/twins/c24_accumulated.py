"""Adds the gradients of its parameters to those that are there.

Class: 24
Contract: drop-in
Runs: emulation and gpu
"""

PROBLEM = """
class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width, width) / width**0.5)

    def forward(self, x):
        return torch.tanh(x @ self.weight)


def get_inputs():
    return [torch.randn(24, 64)]


def get_init_inputs():
    return [64]
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width, width) / width**0.5)
        self.weight.register_hook(lambda gradient: gradient * 1)

    def forward(self, x):
        return torch.tanh(F.linear(x, self.weight.t()))
"""

WRONG = [
    (
        "zeroes_gradients_of_its_parameters",
        "Each call takes the gradients of its parameters away: those of several calls do not add up.",
        "        return torch.tanh(",
        "        for one in self.parameters():\n            one.grad = None\n        return torch.tanh(",
        "its gradient is wrong",
    ),
    (
        "gradient_halved_when_added_up",
        "A gradient that is added to one counts half.",
        "lambda gradient: gradient * 1",
        "lambda gradient: gradient * (1 if self.weight.grad is None else 0.5)",
        "its gradient is wrong",
    ),
]
