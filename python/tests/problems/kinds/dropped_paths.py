"""Rows that are left out at random, by numbers drawn into memory that held anything. The wrong one drops too many."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x, y):
        keep = x.new_empty(x.shape[0], 1).bernoulli_(0.75)
        return x + y * keep / 0.75


def get_inputs():
    return [torch.randn(640, 24), torch.randn(640, 24)]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x, y):
        keep = torch.rand(x.shape[0], 1, device=x.device) < 0.75
        return x + y * keep / 0.75
"""

MISTAKE = ("< 0.75", "< 0.5")
SAYS = "of its random results"
DROP_IN = True
