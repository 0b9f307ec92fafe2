"""Reads a mask that the problem's own inputs fill with ones, and positions of either sign.

Class: 13
Contract: drop-in
Runs: emulation and gpu
"""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x, mask, positions):
        windows = torch.div(positions, 7, rounding_mode="floor") + positions % 7
        return (x * mask + windows[:, None]).cumsum(-1)


def get_inputs():
    return [torch.randn(24, 96), torch.ones(24, 96, dtype=torch.bool), torch.randint(0, 500, (24,))]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x, mask, positions):
        windows = torch.div(positions, 7, rounding_mode="floor") + torch.remainder(positions, 7)
        return torch.cumsum(torch.where(mask, x, 0) + windows[:, None], -1)
"""

WRONG = [
    (
        "mask_not_looked_at",
        "A mask of ones in each draw is not looked at.",
        "torch.where(mask, x, 0)",
        "x",
        "wrong on unstructured input",
    ),
    (
        "first_row_of_a_mask",
        "Of a mask of ones in each draw it reads the first row alone.",
        "torch.where(mask, x, 0)",
        "torch.where(mask[:1], x, 0)",
        "wrong on unstructured input",
    ),
    (
        "remainder_of_positive_positions",
        "A remainder as C has it, for positions that no draw makes negative.",
        "torch.remainder(positions, 7)",
        "torch.fmod(positions, 7)",
        "wrong on unstructured input",
    ),
    (
        "division_of_positive_positions",
        "A division as C has it, for positions that no draw makes negative.",
        'rounding_mode="floor"',
        'rounding_mode="trunc"',
        "wrong on unstructured input",
    ),
]
