"""Indices that are drawn by probabilities; the wrong program draws all of them equally often."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        return torch.multinomial(x, 6, replacement=True)


def get_inputs():
    return [torch.rand(32, 40)]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        torch.rand(1)
        return torch.multinomial(x, 6, replacement=True)
"""

MISTAKE = ("torch.multinomial(x, 6", "torch.multinomial(torch.ones_like(x), 6")
SAYS = "it draws some numbers more often"
DROP_IN = ""
