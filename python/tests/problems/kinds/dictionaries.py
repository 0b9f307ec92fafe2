"""Dictionaries go in and come out, with None and numbers beside tensors."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, d):
        h = d["x"] * d["scale"]
        return {"h": h, "pair": (h.sum(-1), None), "n": [3, h.mean(-1)]}


def get_inputs():
    return [{"x": torch.randn(24, 40), "scale": 0.5, "mask": None}]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, d):
        h = d["scale"] * d["x"]
        return {"h": h, "pair": (h.sum(-1), None), "n": [3, h.sum(-1) / h.shape[-1]]}
"""

MISTAKE = ("[3, h", "[4, h")
SAYS = "instead of"
DROP_IN = "zero-dimensional"
