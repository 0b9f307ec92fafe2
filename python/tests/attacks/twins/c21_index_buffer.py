"""Reads indices from a buffer in each call.

Class: 21
Contract: drop-in
Runs: emulation and gpu
"""

PROBLEM = """
class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.table = nn.Parameter(torch.randn(2 * width, width))
        self.register_buffer("rows", torch.arange(width).flip(0) * 2)

    def forward(self, x):
        return x + self.table[self.rows]


def get_inputs():
    return [torch.randn(24, 32, 32)]


def get_init_inputs():
    return [32]
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.table = nn.Parameter(torch.randn(2 * width, width))
        self.register_buffer("rows", torch.arange(width).flip(0) * 2)

    def forward(self, x):
        return x + self.table.index_select(0, self.rows)
"""

WRONG = [
    (
        "index_buffer_baked_in",
        "It computes the indices that its first buffer holds, and reads the buffer never.",
        "self.rows)\n",
        "torch.arange(x.shape[-1], device=x.device).flip(0) * 2)\n",
        "it goes on with the whole numbers of its first buffers after others were loaded",
    ),
    (
        "index_buffer_sorted",
        "It takes the indices of its buffer in falling order, in which the first ones are.",
        "self.rows)\n",
        "self.rows.sort(descending=True).values)\n",
        "it goes on with the whole numbers of its first buffers after others were loaded",
    ),
]
