"""argmax of few values: any of the equal ones is right."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        return torch.argmax(x, dim=1)


def get_inputs():
    return [torch.randint(0, 4, (32, 50)).float()]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        return x.shape[1] - 1 - x.flip(1).argmax(1)
"""

MISTAKE = ("x.flip(1)", "x.flip(1).neg()")
SAYS = "elements differ"
DROP_IN = True
