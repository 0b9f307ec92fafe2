"""A reference that runs in float32 alone, so that no result in float64 shows how near to it a right one is."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x, w):
        assert x.dtype == torch.float32
        return x @ w


def get_inputs():
    return [torch.randn(48, 300), torch.randn(300, 40)]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x, w):
        half = w.shape[0] // 2
        return x[..., half:] @ w[half:] + x[..., :half] @ w[:half]
"""

MISTAKE = ("x[..., :half] @ w[:half]", "x[..., 1:half] @ w[1:half]")
SAYS = "elements differ"
DROP_IN = True
