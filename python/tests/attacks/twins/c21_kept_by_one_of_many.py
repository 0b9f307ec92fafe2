"""Keeps the product of its two layers prepared, and prepares it anew when any of its parameters has changed.

Class: 21
Contract: problem
Runs: emulation and gpu
"""

PROBLEM = """
class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Linear(width, width, bias=False)
        self.second = nn.Linear(width, width, bias=False)
        self.gain = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return self.second(self.first(x)) * self.gain


def get_inputs():
    return [torch.randn(24, 48)]


def get_init_inputs():
    return [48]
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Linear(width, width, bias=False)
        self.second = nn.Linear(width, width, bias=False)
        self.gain = nn.Parameter(torch.ones(width))
        self.known, self.prepared = None, None

    def key(self):
        return [one.detach().clone() for one in (self.first.weight, self.second.weight, self.gain)]

    def forward(self, x):
        key = self.key()
        if self.known is None or not all(map(torch.equal, key, self.known)):
            self.known = key
            self.prepared = [one.detach().t().clone() for one in (self.first.weight, self.second.weight, self.gain)]
        first, second, gain = self.prepared
        return x @ first @ second * gain
"""

WRONG = [
    (
        "kept_by_the_first_layer",
        "It prepares its weights anew only if those of the first layer have changed.",
        "return [one.detach().clone() for one in (self.first.weight, self.second.weight, self.gain)]",
        "return [self.first.weight.detach().clone()]",
        "it goes on with old parameters after they have changed",
    ),
    (
        "kept_by_the_gain",
        "It prepares its weights anew only if its smallest parameter has changed.",
        "return [one.detach().clone() for one in (self.first.weight, self.second.weight, self.gain)]",
        "return [self.gain.detach().clone()]",
        "it goes on with old parameters after they have changed",
    ),
    (
        "kept_by_sorted_weights",
        "It prepares its weights anew only if other numbers are among them.",
        "return [one.detach().clone() for one in (self.first.weight, self.second.weight, self.gain)]",
        (
            "return [one.detach().flatten().sort().values for one in (self.first.weight, "
            "self.second.weight, self.gain)]"
        ),
        "it goes on with old parameters after they have changed",
    ),
]
