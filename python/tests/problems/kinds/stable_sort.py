"""A stable sort: of equal values the one that stands first comes first, and so its index."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        return torch.sort(x, dim=1, descending=True, stable=True)


def get_inputs():
    return [torch.randint(0, 10, (25, 70)).float()]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        order = torch.argsort(x.double(), dim=1, descending=True, stable=True)
        return torch.return_types.sort((x.gather(1, order), order))
"""

MISTAKE = (
    "torch.argsort(x.double(), dim=1, descending=True, stable=True)",
    "x.shape[1] - 1 - torch.argsort(x.flip(1), dim=1, descending=True, stable=True)",
)
SAYS = "elements differ"
DROP_IN = ""
