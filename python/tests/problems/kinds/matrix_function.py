"""A function of symmetric matrices by their eigenvalues; the wrong one's errors are as small as those of TF32."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        values, vectors = torch.linalg.eigh(x)
        return (vectors * values.tanh()[..., None, :]) @ vectors.mT


def get_inputs():
    x = torch.randn(3, 16, 16)
    return [x + x.mT]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        values, vectors = torch.linalg.eigh(x)
        return vectors @ (values.tanh()[..., None] * vectors.mT)
"""

MISTAKE = ("torch.linalg.eigh(x)", "torch.linalg.eigh(x + 3e-4 * x.flip(-1) + 3e-4 * x.flip(-2))")
SAYS = "would make them"
DROP_IN = True
