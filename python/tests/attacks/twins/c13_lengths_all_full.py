"""Reads lengths that the problem's inputs all fill, an additive mask of zeros, and a weight of ones.

Class: 13
Contract: drop-in
Runs: emulation and gpu
"""

PROBLEM = """
class Model(nn.Module):
    def forward(self, scores, lengths, bias, weight):
        places = torch.arange(scores.shape[-1], device=scores.device)
        scores = (scores + bias) * weight
        scores = scores.masked_fill(places >= lengths[:, None], float("-inf"))
        return torch.softmax(scores, -1)


def get_inputs():
    return [torch.randn(12, 40), torch.full((12,), 40), torch.zeros(12, 40), torch.ones(40)]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, scores, lengths, bias, weight):
        scores = (scores + bias).mul(weight)
        beyond = torch.arange(scores.shape[-1], device=scores.device)[None] >= lengths[:, None]
        return scores.masked_fill(beyond, float("-inf")).softmax(-1)
"""

WRONG = [
    (
        "mask_of_zeros_not_added",
        "It leaves out an additive mask, which holds zeros in every draw.",
        "(scores + bias)",
        "scores",
        "wrong on unstructured input",
    ),
    (
        "weight_of_ones_left_out",
        "It leaves out a weight, which holds ones in every draw.",
        ".mul(weight)",
        "",
        "wrong on unstructured input",
    ),
]
