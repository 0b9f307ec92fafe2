"""Keeps its weights prepared from call to call, and prepares them anew when any of them has changed.

Class: 21
Contract: problem
Runs: emulation and gpu
"""

PROBLEM = """
class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width, width) / width**0.5)
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, x):
        return x @ self.weight + self.bias


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
        self.bias = nn.Parameter(torch.zeros(width))
        self.known, self.prepared = None, None

    def key(self):
        return self.weight.detach().clone()

    def forward(self, x):
        key = self.key()
        if self.known is None or not torch.equal(key, self.known):
            self.known, self.prepared = key, self.weight.detach().t().contiguous()
        return F.linear(x, self.prepared, self.bias)
"""
_KEY = "return self.weight.detach().clone()"

WRONG = [
    (
        "weights_kept_by_their_sum",
        "It prepares its weights anew only if their sum has changed.",
        _KEY,
        "return self.weight.detach().double().sum()",
        "it goes on with old parameters after they have changed",
    ),
    (
        "weights_kept_by_their_corner",
        "It prepares its weights anew only if their first numbers have changed.",
        _KEY,
        "return self.weight.detach()[:4, :4].clone()",
        "it goes on with old parameters after they have changed",
    ),
    (
        "weights_kept_by_their_norm",
        "It prepares its weights anew only if their squared length or their largest number has changed.",
        _KEY,
        "return torch.stack([self.weight.detach().double().square().sum(), self.weight.detach().max().double()])",
        "it goes on with old parameters after they have changed",
    ),
]
