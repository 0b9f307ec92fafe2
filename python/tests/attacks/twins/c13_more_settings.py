"""Takes a dtype, a function, a list of lists, a dictionary and a negative dimension.

Class: 13
Contract: drop-in
Runs: emulation and gpu
"""

PROBLEM = """
class Model(nn.Module):
    def __init__(self, dtype, function, taps, options, dim):
        super().__init__()
        self.dtype, self.function, self.taps, self.options, self.dim = dtype, function, taps, options, dim

    def forward(self, x):
        y = torch.zeros_like(x)
        for shift, factor in self.taps:
            y = y + factor * torch.roll(x, shift, -1)
        y = self.function(y)
        if self.options["square"]:
            y = y * y
        y = y * self.options["gain"]
        return torch.softmax(y, self.dim, dtype=self.dtype)


def get_inputs():
    return [torch.randn(3, 16, 40)]


def get_init_inputs():
    return [torch.float32, torch.sigmoid, [[0, 1.0], [1, 0.5], [3, -0.25]], {"square": False, "gain": 2}, -1]
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self, dtype, function, taps, options, dim):
        super().__init__()
        self.dtype, self.function, self.taps, self.options, self.dim = dtype, function, taps, options, dim

    def forward(self, x):
        y = torch.zeros_like(x)
        for shift, factor in self.taps:
            y = y + torch.roll(x, shift, dims=-1) * factor
        y = self.function(y)
        if self.options["square"]:
            y = y * y
        y = y * self.options["gain"]
        return torch.softmax(y, self.dim, dtype=self.dtype)


"""

WRONG = [
    (
        "dtype_ignored",
        "A dtype of the constructor is accepted and not used.",
        "dtype=self.dtype",
        "dtype=torch.float32",
        "it is wrong with other arguments of its constructor",
    ),
    (
        "function_ignored",
        "A function that its constructor takes is not called.",
        "self.function(y)",
        "torch.sigmoid(y)",
        "it is wrong with other arguments of its constructor",
    ),
    (
        "last_shift_hard_coded",
        "Of a list of pairs, one number is not used.",
        "torch.roll(x, shift, dims=-1)",
        "torch.roll(x, min(shift, 3) if shift != 2 else 3, -1)",
        "it is wrong with other arguments of its constructor",
    ),
    (
        "option_ignored",
        "A flag in a dictionary is not looked at.",
        "if self.options[\"square\"]",
        "if False",
        "it is wrong with other arguments of its constructor",
    ),
    (
        "gain_hard_coded",
        "A number in a dictionary is not looked at.",
        "y * self.options[\"gain\"]",
        "y * 2",
        "it is wrong with other arguments of its constructor",
    ),
    (
        "negative_dimension_hard_coded",
        "A dimension that is counted from the end is not used.",
        "softmax(y, self.dim,",
        "softmax(y, -1,",
        "it is wrong with other arguments of its constructor",
    ),
]
