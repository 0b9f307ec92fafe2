"""A cumulative product by a scan, whose partial products overflow where the reference's do not."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        return torch.cumprod(x, 1)


def get_inputs():
    return [torch.randn(16, 200)]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        y, step = x.clone(), 1
        while step < y.shape[1]:
            y = torch.cat([y[:, :step], y[:, step:] * y[:, :-step]], 1)
            step *= 2
        return y
"""

MISTAKE = ("y[:, step:] * y[:, :-step]", "y[:, step:] * y[:, :-step] * 1.01")
SAYS = "elements differ"
DROP_IN = True
