"""Positions in a sorted list."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, edges, x):
        return torch.searchsorted(edges, x)


def get_inputs():
    return [torch.randint(0, 99, (50,)).float().sort().values, torch.randint(0, 99, (24, 40)).float()]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, edges, x):
        return (edges < x[..., None]).sum(-1)
"""

MISTAKE = ("edges < x[", "edges <= x[")
SAYS = "elements differ"
DROP_IN = "unstructured"
