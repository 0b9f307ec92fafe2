"""Binary cross-entropy: numbers from 0 to 1, and labels 0 and 1."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, p, y):
        return F.binary_cross_entropy(p, y)


def get_inputs():
    return [torch.rand(64, 20), torch.randint(0, 2, (64, 20)).float()]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, p, y):
        return -(y * p.log().clamp_min(-100) + (1 - y) * (1 - p).log().clamp_min(-100)).mean()
"""

MISTAKE = ("(1 - y) * (1 - p)", "(1 - y) * (1.05 - p)")
SAYS = "the result is"
DROP_IN = True
