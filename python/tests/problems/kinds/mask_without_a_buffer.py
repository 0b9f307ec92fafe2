"""A mask that a buffer of the reference holds, and that the program knows without one."""

PROBLEM = """
class Model(nn.Module):
    def __init__(self, width, longest):
        super().__init__()
        self.key, self.query = nn.Linear(width, width), nn.Linear(width, width)
        self.register_buffer("mask", torch.tril(torch.ones(longest, longest)))

    def forward(self, x):
        scores = self.query(x) @ self.key(x).transpose(1, 2)
        length = x.shape[1]
        return scores.masked_fill(self.mask[:length, :length] == 0, float("-inf")).softmax(-1)


def get_inputs():
    return [torch.randn(3, 24, 16)]


def get_init_inputs():
    return [16, 40]
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self, width, longest):
        super().__init__()
        self.key, self.query = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, x):
        scores = self.query(x) @ self.key(x).transpose(1, 2)
        at = torch.arange(x.shape[1], device=x.device)
        return scores.masked_fill(at[:, None] < at, float("-inf")).softmax(-1)
"""

MISTAKE = ("at[:, None] < at", "at[:, None] > at")
SAYS = "elements differ"
DROP_IN = True
