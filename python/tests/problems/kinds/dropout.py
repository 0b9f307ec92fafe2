"""Dropout by other random numbers: the same in distribution."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        return F.dropout(x, 0.25, training=True)


def get_inputs():
    return [torch.randn(64, 80)]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        return x * (torch.rand(x.shape, device=x.device) > 0.25) / 0.75
"""

MISTAKE = ("> 0.25", "> 0.5")
SAYS = "mean square of its random results"
DROP_IN = True
