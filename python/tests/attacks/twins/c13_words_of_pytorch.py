"""Hands words to PyTorch, which alone knows the others.

Class: 13
Contract: drop-in
Runs: emulation and gpu
"""

PROBLEM = """
class Model(nn.Module):
    def __init__(self, mode, reduce, rounding, side, act):
        super().__init__()
        self.mode, self.reduce, self.rounding, self.side, self.act = mode, reduce, rounding, side, act

    def forward(self, x, index, edges):
        y = F.interpolate(x[None], scale_factor=2, mode=self.mode)[0]
        y = getattr(torch, self.act)(torch.div(y, 0.3, rounding_mode=self.rounding))
        sums = torch.zeros(x.shape[0], 8, x.shape[2], dtype=x.dtype, device=x.device)
        sums = sums.scatter_reduce(1, index, x, self.reduce, include_self=False)
        return y, sums, torch.bucketize(sums, edges, right=self.side == "right")


def get_inputs():
    return [torch.randn(4, 12, 24), torch.randint(0, 8, (4, 12, 24)), torch.linspace(-1, 1, 9)]


def get_init_inputs():
    return ["nearest", "sum", "floor", "right", "tanh"]
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self, mode, reduce, rounding, side, act):
        super().__init__()
        self.mode, self.reduce, self.rounding, self.side, self.act = mode, reduce, rounding, side, act

    def forward(self, x, index, edges):
        y = F.interpolate(x.unsqueeze(0), None, 2, self.mode).squeeze(0)
        y = getattr(torch, self.act)(torch.div(y, 0.3, rounding_mode=self.rounding))
        sums = torch.zeros(x.shape[0], 8, x.shape[2], dtype=x.dtype, device=x.device)
        sums = sums.scatter_reduce(1, index, x, self.reduce, include_self=False)
        return y, sums, torch.bucketize(sums, edges, right=self.side == "right")


"""

WRONG = [
    (
        "always_nearest",
        "It takes the nearest element, whatever mode its constructor is given.",
        "None, 2, self.mode)",
        "None, 2, 'nearest')",
        "it is wrong with other arguments of its constructor",
    ),
    (
        "always_sums",
        "It adds up, whatever reduction its constructor is given.",
        "x, self.reduce,",
        "x, 'sum',",
        "it is wrong with other arguments of its constructor",
    ),
    (
        "always_floor",
        "It rounds down, whatever its constructor is given.",
        "rounding_mode=self.rounding",
        "rounding_mode='floor'",
        "it is wrong with other arguments of its constructor",
    ),
    (
        "always_right",
        "It puts what is equal to the right, whatever its constructor is given.",
        "self.side == \"right\"",
        "True",
        "it is wrong with other arguments of its constructor",
    ),
    (
        "always_tanh",
        "It takes tanh, whatever function its constructor names.",
        "getattr(torch, self.act)",
        "torch.tanh",
        "it is wrong with other arguments of its constructor",
    ),
]
