"""Batch norm in training mode: statistics of the batch, and running ones after the call."""

PROBLEM = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm2d(12)

    def forward(self, x):
        return self.norm(x)


def get_inputs():
    return [torch.randn(16, 12, 8, 8) * 3 + 1]
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm2d(12)

    def forward(self, x):
        n = self.norm
        if not self.training:
            return n(x)
        var, mean = torch.var_mean(x, (0, 2, 3), correction=0)
        count = x.numel() / x.shape[1]
        with torch.no_grad():
            n.running_mean += 0.1 * (mean - n.running_mean)
            n.running_var += 0.1 * (var * count / (count - 1) - n.running_var)
            n.num_batches_tracked += 1
        shaped = lambda v: v[None, :, None, None]
        return (x - shaped(mean)) * shaped(n.weight * torch.rsqrt(var + n.eps)) + shaped(n.bias)
"""

MISTAKE = ("torch.rsqrt(var + n.eps)", "torch.rsqrt(var * count / (count - 1) + n.eps)")
SAYS = "Wrong result"
DROP_IN = ""
