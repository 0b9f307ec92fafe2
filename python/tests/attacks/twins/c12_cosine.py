"""Cosine similarity and an RMS norm in bfloat16, with epsilons that count for tiny rows.

Class: 12
Contract: problem
Runs: emulation and gpu
"""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x, y, z):
        n = z.float() * torch.rsqrt(z.float().square().mean(-1, keepdim=True) + 1e-5)
        return F.cosine_similarity(x, y, -1, 1e-8), n.to(z.dtype)


def get_inputs():
    return [torch.randn(48, 64), torch.randn(48, 64), torch.randn(48, 64).bfloat16()]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x, y, z):
        n = z.float() / torch.sqrt((z.float() ** 2).mean(-1, keepdim=True) + 1e-5)
        product = (x * y).sum(-1)
        long = x.norm(dim=-1).clamp_min(1e-8) * y.norm(dim=-1).clamp_min(1e-8)
        return product / long, n.bfloat16()
"""

WRONG = [
    (
        "cosine_without_a_bound",
        "A cosine similarity has no bound of its lengths.",
        "x.norm(dim=-1).clamp_min(1e-8) * y.norm(dim=-1).clamp_min(1e-8)",
        "(x.norm(dim=-1) * y.norm(dim=-1)).clamp_min(1e-30)",
        "wrong on tiny input",
    ),
    (
        "cosine_of_one_bound",
        "A cosine similarity bounds one of its two lengths.",
        "x.norm(dim=-1).clamp_min(1e-8) * y.norm(dim=-1).clamp_min(1e-8)",
        "x.norm(dim=-1).clamp_min(1e-8) * y.norm(dim=-1).clamp_min(1e-30)",
        "wrong on tiny input",
    ),
    (
        "rms_epsilon_ten_times_smaller",
        "The epsilon of a norm in bfloat16 is ten times smaller.",
        "+ 1e-5)",
        "+ 1e-6)",
        "result 2 of 2",
    ),
]

OF_ONE = {
    "cosine_without_a_bound": {
        "Contract": "drop-in",
    },
    "cosine_of_one_bound": {
        "Contract": "drop-in",
    },
}
