"""Quantizes rows to eight bits by their largest number, halves to the even number; and to bfloat16 with a gate.

Class: 12
Contract: problem
Runs: emulation and gpu
"""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x, gate):
        scale = x.abs().amax(-1, keepdim=True).clamp_min(1e-8) / 127
        return torch.round(x / scale).clamp(-127, 127).to(torch.int8), (torch.relu(x) * gate).to(torch.bfloat16)


def get_inputs():
    return [torch.randn(64, 96), torch.randint(0, 2, (64, 96)).float()]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x, gate):
        scale = x.abs().max(-1, keepdim=True).values.clamp_min(1e-8) / 127
        eight = (x / scale).round().clamp(-127, 127).to(torch.int8)
        return eight, (x.clamp_min(0) * gate).bfloat16()
"""

WRONG = [
    (
        "quantized_halves_upwards",
        "It quantizes a number half-way between two whole ones up.",
        "(x / scale).round()",
        "torch.floor(x / scale + 0.5)",
        "result 1 of 2",
    ),
]
