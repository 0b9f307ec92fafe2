"""A number of Python among the results, which another order of the sum changes in its last digits."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        return {"relu": torch.relu(x), "mean": x.mean().item(), "name": "1.5"}


def get_inputs():
    return [torch.randn(33, 100)]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        return {"relu": torch.relu(x), "mean": x.mean(0).mean().item(), "name": "1.5"}
"""

MISTAKE = ("x.mean(0)", "1.001 * x.mean(0)")
SAYS = "instead of"
DROP_IN = True
