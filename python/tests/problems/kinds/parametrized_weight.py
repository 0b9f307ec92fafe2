"""Weights that are computed from others before each call; PyTorch can copy such a module, and not pickle it."""

PROBLEM = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.utils.parametrizations.weight_norm(nn.Linear(24, 12))

    def forward(self, x):
        return self.linear(x)

def get_inputs():
    return [torch.randn(18, 24)]
"""
HONEST = """
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.utils.parametrizations.weight_norm(nn.Linear(24, 12))

    def forward(self, x):
        return F.linear(x, self.linear.weight, self.linear.bias)
"""
CUDA = ""
MISTAKE = ("self.linear.bias)", "None)")
SAYS = "without the bias"
DROP_IN = True
