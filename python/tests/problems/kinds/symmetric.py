"""A product of symmetric matrices, which the program reads by columns."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, a, b):
        return torch.matmul(a, b)


def get_inputs():
    a, b = torch.rand(40, 40), torch.rand(40, 40)
    return [(a + a.T) / 2, (b + b.T) / 2]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, a, b):
        return torch.matmul(a.T, b)
"""

MISTAKE = ("a.T, b", "a.T, b.roll(1, 0)")
SAYS = "elements differ"
DROP_IN = "unstructured"
