"""Whole numbers in and out, element by element."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        return x // 3, x % 7, x.bincount(minlength=50)


def get_inputs():
    return [torch.randint(0, 50, (200,))]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        return torch.div(x, 3, rounding_mode="floor"), x - x // 7 * 7, x.bincount(minlength=50)
"""

MISTAKE = ("x // 7 * 7", "x // 5 * 5")
SAYS = "result 2 of 3"
DROP_IN = True
