"""A scalar whose second gradient is 0, which PyTorch holds without memory."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x, y):
        return (x - y).abs().mean()


def get_inputs():
    return [torch.randn(33, 7), torch.randn(33, 7)]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x, y):
        return (y - x).abs().sum() / x.numel()
"""

MISTAKE = ("x.numel()", "(x.numel() - 1)")
SAYS = "the result is"
DROP_IN = True
