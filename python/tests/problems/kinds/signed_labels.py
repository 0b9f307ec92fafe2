"""Hinge loss: labels of -1 and 1, which the program may rely on."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, p, y):
        return torch.mean(torch.clamp(1 - p * y, min=0))


def get_inputs():
    return [torch.randn(64), torch.randint(0, 2, (64,)).float() * 2 - 1]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, p, y):
        return torch.where(y > 0, 1 - p, 1 + p).relu().mean()
"""

MISTAKE = ("1 + p", "p")
SAYS = "the result is"
DROP_IN = "unstructured"
