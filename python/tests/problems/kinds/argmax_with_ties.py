"""argmax of values that each stand twice: either place is right, also in a mutant of the check."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        return torch.argmax(x, dim=1)


def get_inputs():
    return [torch.randint(0, 4, (32, 25)).float().repeat_interleave(2, dim=1)]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        return x.shape[1] - 1 - x.flip(1).argmax(1)
"""

MISTAKE = ("x.flip(1)", "x.flip(1).neg()")
SAYS = "elements differ"
DROP_IN = True
