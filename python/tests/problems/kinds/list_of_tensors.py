"""Any number of tensors in a list."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, parts, scale):
        return torch.cat(parts, dim=1) * scale


def get_inputs():
    return [[torch.randn(24, n) for n in (3, 8, 5)], 2.5]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, parts, scale):
        out = parts[0].new_empty(parts[0].shape[0], sum(p.shape[1] for p in parts))
        at = 0
        for p in parts:
            out[:, at : at + p.shape[1]] = p * scale
            at += p.shape[1]
        return out
"""

MISTAKE = ("for p in parts:", "for p in parts[:-1]:")
SAYS = "never written"
DROP_IN = True
