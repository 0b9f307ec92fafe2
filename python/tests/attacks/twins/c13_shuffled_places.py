"""Adds rows at places that the problem's inputs never repeat.

Class: 13
Contract: drop-in
Runs: emulation and gpu
"""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x, places):
        out = torch.zeros(96, x.shape[1], dtype=x.dtype, device=x.device)
        return out.index_add(0, places, x), torch.zeros(96, dtype=x.dtype, device=x.device).scatter_reduce(
            0, places, x[:, 0], "amax", include_self=False)


def get_inputs():
    return [torch.randn(64, 8), torch.randperm(96)[:64]]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x, places):
        out = torch.zeros(96, x.shape[1], dtype=x.dtype, device=x.device)
        out.index_put_((places,), x, accumulate=True)
        most = torch.zeros(96, dtype=x.dtype, device=x.device)
        most = most.scatter_reduce(0, places, x[:, 0], "amax", include_self=False)
        return out, most
"""

WRONG = [
    (
        "rows_written_not_added",
        "It writes rows where it should add them: no draw has a place twice.",
        "out.index_put_((places,), x, accumulate=True)",
        "out[places] = x",
        "wrong on unstructured input",
    ),
    (
        "last_instead_of_largest",
        "Of rows at one place it takes the last, not the largest: no draw has a place twice.",
        "most.scatter_reduce(0, places, x[:, 0], \"amax\", include_self=False)",
        "most.scatter(0, places, x[:, 0])",
        "wrong on unstructured input",
    ),
]
