"""Takes another way for large inputs.

Class: 13
Contract: problem
Runs: emulation and gpu
"""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        return torch.nn.functional.silu(x) * 2


def get_inputs():
    return [torch.randn(2048, 4096)]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        if x.numel() > 1_000_000:
            return x * torch.sigmoid(x) * 2
        return F.silu(x).mul(2)
"""

WRONG = [
    (
        "wrong_for_many_rows",
        "It computes something else from 2,000 rows on.",
        "if x.numel() > 1_000_000:\n            return x * torch.sigmoid(x) * 2",
        "if x.shape[0] >= 2000:\n            return torch.relu(x) * 2",
        "Wrong result",
    ),
    (
        "identity_for_wide_rows",
        "It returns its input if rows are longer than 4,000.",
        "if x.numel() > 1_000_000:\n            return x * torch.sigmoid(x) * 2",
        "if x.shape[-1] > 4000:\n            return x.clone()",
        "Wrong result",
    ),
]
