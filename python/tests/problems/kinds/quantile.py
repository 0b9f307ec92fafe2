"""A quantile between two elements, which PyTorch finds in several steps."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        return torch.quantile(x, 0.3, dim=1)


def get_inputs():
    return [torch.randn(24, 65)]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        ordered = x.sort(1).values
        place = 0.3 * (x.shape[1] - 1)
        low, high = ordered[:, math.floor(place)], ordered[:, math.ceil(place)]
        found = low + (high - low) * (place - math.floor(place))
        return found.masked_fill(x.isnan().any(1), math.nan)
"""

MISTAKE = ("* (place - math.floor(place))", "* 0.0")
SAYS = "without its ceil"
DROP_IN = True
