"""Draws tokens by their probabilities, and samples of a distribution by its rate.

Class: 23
Contract: problem
Runs: emulation and gpu
"""

PROBLEM = """
class Model(nn.Module):
    def forward(self, logits):
        p = torch.softmax(logits, -1)
        return torch.multinomial(p, 3), -torch.log(1 - torch.rand_like(p)) * p


def get_inputs():
    return [torch.randn(48, 20)]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, logits):
        noise = torch.empty_like(logits).exponential_()
        p = torch.softmax(logits, -1)
        return (p / noise).topk(3).indices, torch.empty_like(p).exponential_() * p
"""

WRONG = [
    (
        "tokens_by_one_noise_for_all_rows",
        "It draws the tokens of all rows by one noise.",
        "torch.empty_like(logits).exponential_()",
        "torch.empty_like(logits[:1]).exponential_().expand_as(logits)",
        "",
    ),
    (
        "tokens_sorted_by_number",
        "It draws three tokens, and sorts them.",
        "(p / noise).topk(3).indices",
        "(p / noise).topk(3).indices.sort(-1).values",
        "",
    ),
    (
        "exponential_by_a_folded_normal",
        "Its second result has the right mean and another distribution.",
        "torch.empty_like(p).exponential_() * p",
        "torch.randn_like(p).abs() * (3.14159265 / 2) ** 0.5 * p",
        "result 2 of 2",
    ),
    (
        "tokens_with_repeats",
        "It draws a token twice, which the reference does not.",
        "(p / noise).topk(3).indices",
        "torch.multinomial(p, 3, replacement=True)",
        "",
    ),
]
