"""Counts how often each token comes, also where all inputs are whole numbers.

Class: 13
Contract: problem
Runs: emulation and gpu
"""

PROBLEM = """
class Model(nn.Module):
    def forward(self, tokens):
        counts = torch.zeros(90000, device=tokens.device)
        return counts.index_add(0, tokens, torch.ones(tokens.shape, device=tokens.device))


def get_inputs():
    return [torch.randint(0, 90000, (40,))]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, tokens):
        return torch.bincount(tokens, minlength=90000).float()
"""

WRONG = [
    (
        "tokens_counted_once",
        "It marks each token that comes, and does not count it: two that are equal hardly ever come up.",
        "torch.bincount(tokens, minlength=90000).float()",
        "torch.zeros(90000, device=tokens.device).index_fill_(0, tokens, 1.0)",
        "",
    ),
    (
        "neighbours_counted_once",
        "It counts equal tokens that stand side by side once.",
        "torch.bincount(tokens, minlength=90000)",
        "torch.bincount(tokens[tokens != tokens.roll(1)], minlength=90000)",
        "",
    ),
]
