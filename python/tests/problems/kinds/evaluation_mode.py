"""A module that is made in evaluation mode: running statistics."""

PROBLEM = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(40)
        self.norm.running_mean += 0.5
        self.eval()

    def forward(self, x):
        return self.norm(x)


def get_inputs():
    return [torch.randn(24, 40)]
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(40)
        self.norm.running_mean += 0.5
        self.eval()

    def forward(self, x):
        n = self.norm
        return F.batch_norm(x, n.running_mean, n.running_var, n.weight, n.bias, self.training, n.momentum, n.eps)
"""

MISTAKE = ("n.bias, self.training", "n.bias, True")
SAYS = "with batch normalization by the batch's statistics"
DROP_IN = True
