"""Functions whose gradient PyTorch computes with a sixth in float32, also in float64; an honest program's is exact."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        return F.hardsigmoid(x) + F.hardswish(x)


def get_inputs():
    return [torch.randn(24, 500) * 3]
"""

HONEST = """
class Hard(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return (1 + x) * ((x + 3).clamp(0, 6) / 6)

    @staticmethod
    def backward(ctx, gradient):
        x, = ctx.saved_tensors
        slope = torch.where(x > -3, torch.where(x < 3, (2 * x + 4) / 6, 1.0), 0.0)
        return gradient * slope


class ModelNew(nn.Module):
    def forward(self, x):
        return Hard.apply(x)
"""

MISTAKE = ("clamp(0, 6)", "clamp(0, 5)")
SAYS = "elements differ"
DROP_IN = True
