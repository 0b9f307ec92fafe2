"""Sorted values and the indices of them."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        return torch.sort(x, dim=-1, descending=True)


def get_inputs():
    return [torch.randn(24, 50)]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        order = x.argsort(dim=-1, descending=True)
        return torch.return_types.sort((x.gather(-1, order), order))
"""

MISTAKE = ("descending=True", "descending=False")
SAYS = "result 1 of 2"
DROP_IN = "strides"
