"""Takes a flag, a dimension, an order, a word, a tuple and an optional number of its constructor.

Class: 13
Contract: drop-in
Runs: emulation and gpu
"""

PROBLEM = """
class Model(nn.Module):
    def __init__(self, root, dim, order, kind, scales, floor):
        super().__init__()
        self.root, self.dim, self.order, self.kind = root, dim, order, kind
        self.scales, self.floor = scales, floor

    def forward(self, x):
        sizes = x.abs() ** self.order
        length = sizes.sum(self.dim, keepdim=True)
        if self.root:
            length = length.sqrt()
        if self.floor is not None:
            length = length.clamp_min(self.floor * 100)
        y = x * self.scales[0] / length if self.kind == "divide" else x * self.scales[0] * length
        return y + self.scales[1] if self.kind in ("divide", "multiply") else y


def get_inputs():
    return [torch.randn(16, 96)]


def get_init_inputs():
    return [True, 1, 2, "divide", (3, 2), None]
"""

HONEST = (
    PROBLEM[: PROBLEM.index("def get_inputs")]
    .replace("Model", "ModelNew")
    .replace("x.abs() ** self.order", "torch.pow(torch.abs(x), self.order)")
)

WRONG = [
    (
        "flag_ignored",
        "A flag of the constructor is accepted and not used.",
        "if self.root:",
        "if True:",
        "it is wrong with other arguments of its constructor",
    ),
    (
        "dimension_hard_coded",
        "A dimension of the constructor is accepted and not used.",
        "length = sizes.sum(self.dim, keepdim=True)",
        "length = sizes.sum(1, keepdim=True)",
        "it is wrong with other arguments of its constructor",
    ),
    (
        "order_hard_coded",
        "An order of the constructor is accepted and not used.",
        "torch.pow(torch.abs(x), self.order)",
        "x * x",
        "it is wrong with other arguments of its constructor",
    ),
    (
        "word_ignored",
        "A word of the constructor is accepted and not used.",
        'if self.kind == "divide" else',
        "if True else",
        "it is wrong with other arguments of its constructor",
    ),
    (
        "second_of_a_pair_ignored",
        "Of a tuple that its constructor takes, the second number is not used.",
        "y + self.scales[1]",
        "y + 2",
        "it is wrong with other arguments of its constructor",
    ),
    (
        "optional_number_ignored",
        "A number that the problem leaves out is accepted by its constructor and not used.",
        "if self.floor is not None:",
        "if False:",
        "it is wrong with other arguments of its constructor",
    ),
]
