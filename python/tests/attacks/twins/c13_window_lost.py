"""Attends within a window of 512 places, in a length of 1,536.

Class: 13
Contract: problem
Runs: emulation and gpu
"""

PROBLEM = """
WINDOW = 512
LENGTH = 1536


class Model(nn.Module):
    def forward(self, q, k, v):
        at = torch.arange(q.shape[-2], device=q.device)
        away = at[:, None] - at[None]
        seen = (away >= 0) & (away < WINDOW)
        scores = (q @ k.transpose(-1, -2)) / q.shape[-1] ** 0.5
        return torch.softmax(scores.masked_fill(~seen, float("-inf")), -1) @ v


def get_inputs():
    return [torch.randn(1, 2, LENGTH, 32) for _ in range(3)]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, q, k, v):
        at = torch.arange(q.shape[-2], device=q.device)
        away = at[:, None] - at[None]
        seen = (away >= 0) & (away < 512)
        scores = torch.matmul(q, k.mT) * q.shape[-1] ** -0.5
        return torch.where(seen, scores, float('-inf')).softmax(-1) @ v
"""

WRONG = [
    (
        "window_left_out",
        "It attends to all places before one, and a window of 512 does not count at a small length.",
        "(away >= 0) & (away < 512)",
        "away >= 0",
        "Wrong result",
    ),
    (
        "window_one_wider",
        "Its window of 512 is one place wider.",
        "away < 512",
        "away <= 512",
        "Wrong result",
    ),
]
