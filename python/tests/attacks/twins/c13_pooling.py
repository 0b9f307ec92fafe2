"""Pools by windows whose size, padding, and rounding its constructor is given.

Class: 13
Contract: drop-in
Runs: emulation and gpu
"""

PROBLEM = """
class Model(nn.Module):
    def __init__(self, window, padding, ceil_mode, count_padding):
        super().__init__()
        self.window, self.padding, self.ceil_mode, self.count_padding = window, padding, ceil_mode, count_padding

    def forward(self, x):
        return F.avg_pool2d(x, self.window, 2, self.padding, self.ceil_mode, self.count_padding)


def get_inputs():
    return [torch.randn(4, 6, 20, 24)]


def get_init_inputs():
    return [(3, 3), 1, False, True]
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self, window, padding, ceil_mode, count_padding):
        super().__init__()
        self.high, self.wide = window
        self.pool = nn.AvgPool2d(
            (self.high, self.wide), stride=2, padding=padding, ceil_mode=ceil_mode, count_include_pad=count_padding
        )

    def forward(self, x):
        return self.pool(x)
"""

WRONG = [
    (
        "window_taken_for_a_square",
        "It pools by a square, whatever the window that its constructor is given.",
        "(self.high, self.wide), stride",
        "(self.high, self.high), stride",
        "it is wrong with other arguments of its constructor",
    ),
    (
        "padding_of_one",
        "It pads by one, whatever its constructor is given.",
        "padding=padding",
        "padding=1",
        "it is wrong with other arguments of its constructor",
    ),
    (
        "padding_always_counted",
        "It counts padding in each mean, whatever its constructor is given.",
        "count_include_pad=count_padding",
        "count_include_pad=True",
        "it is wrong with other arguments of its constructor",
    ),
    (
        "never_rounded_up",
        "It never rounds a size up, whatever its constructor is given.",
        "ceil_mode=ceil_mode",
        "ceil_mode=False",
        "it is wrong with other arguments of its constructor",
    ),
]
