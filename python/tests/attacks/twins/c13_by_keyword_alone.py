"""Takes what may be given by keyword alone, and a number, a word and a tuple in each call.

Class: 13
Contract: drop-in
Runs: emulation and gpu
"""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x, shift, dims, kind="mean", *, scale=1.0, square=False):
        y = torch.roll(x, shift, dims[0]) * scale
        y = y * y if square else y
        return y.mean(dims[1]) if kind == "mean" else y.amax(dims[1])


def get_inputs():
    return [torch.randn(6, 10, 32), 3, (1, 2)]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x, shift, dims, kind="mean", *, scale=1.0, square=False):
        rolled, reduced = dims
        y = torch.roll(x, shifts=shift, dims=rolled).mul(scale)
        if square:
            y = y.square()
        return torch.mean(y, reduced) if kind == "mean" else torch.amax(y, reduced)
"""

WRONG = [
    (
        "keyword_number_ignored",
        "A number that is given by keyword alone, and by no input of the problem, is not used.",
        ".mul(scale)",
        "",
        "it is wrong with other arguments of a call",
    ),
    (
        "keyword_flag_ignored",
        "A flag that is given by keyword alone, and by no input of the problem, is not used.",
        "if square:",
        "if False:",
        "it is wrong with other arguments of a call",
    ),
    (
        "first_of_two_dimensions_hard_coded",
        "Of a pair of dimensions in each call, the first is not used.",
        "dims=rolled",
        "dims=1",
        "it is wrong with other arguments of a call",
    ),
    (
        "second_of_two_dimensions_hard_coded",
        "Of a pair of dimensions in each call, the second is not used.",
        "torch.mean(y, reduced)",
        "torch.mean(y, 2)",
        "it is wrong with other arguments of a call",
    ),
    (
        "word_left_out_taken_for_mean",
        "A word that the problem leaves out is not looked at.",
        " if kind == \"mean\" else torch.amax(y, reduced)",
        "",
        "it is wrong with other arguments of a call",
    ),
]
