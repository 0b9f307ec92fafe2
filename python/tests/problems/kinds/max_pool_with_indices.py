"""Pooling: the largest values, and where they stand."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        return F.max_pool2d(x, 2, return_indices=True)


def get_inputs():
    return [torch.randn(4, 6, 12, 10)]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        values, where = F.max_pool2d(x, 2, return_indices=True)
        return F.max_pool2d(x, 2), where
"""

MISTAKE = ("), where", "), where.roll(1)")
SAYS = "result 2 of 2"
DROP_IN = True
