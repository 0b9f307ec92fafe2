"""Drops elements, adds noise, and shuffles rows.

Class: 23
Contract: problem
Runs: emulation and gpu
"""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        noisy = x + 0.3 * torch.randn_like(x)
        dropped = F.dropout(x, 0.4, True)
        return dropped, noisy, x[torch.randperm(x.shape[0], device=x.device)]


def get_inputs():
    return [torch.randn(40, 24)]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        kept = (torch.rand_like(x) >= 0.4)
        noise = torch.empty_like(x).normal_(0, 0.3)
        order = torch.rand(x.shape[0], device=x.device).argsort()
        return x * kept / 0.6, x + noise, x[order]
"""

WRONG = [
    (
        "drops_whole_columns",
        "It drops whole columns.",
        "kept = (torch.rand_like(x) >= 0.4)",
        "kept = (torch.rand_like(x[:1]) >= 0.4).expand_as(x)",
        "depend on each other in another way",
    ),
    (
        "drops_pairs",
        "It drops elements in pairs.",
        "kept = (torch.rand_like(x) >= 0.4)",
        "kept = (torch.rand_like(x[:, ::2]) >= 0.4).repeat_interleave(2, 1)",
        "depend on each other in another way",
    ),
    (
        "drops_whole_rows",
        "It drops whole rows.",
        "kept = (torch.rand_like(x) >= 0.4)",
        "kept = (torch.rand_like(x[:, :1]) >= 0.4).expand_as(x)",
        "",
    ),
    (
        "drops_just_so_many_of_a_row",
        "It drops the same number of elements in each row.",
        "kept = (torch.rand_like(x) >= 0.4)",
        "kept = torch.rand_like(x).argsort(1) >= round(0.4 * x.shape[1])",
        "depend on each other in another way",
    ),
    (
        "noise_of_one_half_for_both",
        "The second half gets the noise of the first.",
        "noise = torch.empty_like(x).normal_(0, 0.3)",
        "half = torch.empty_like(x[: x.shape[0] // 2]).normal_(0, 0.3)\n        noise = torch.cat([half, half])",
        "depend on each other in another way",
    ),
    (
        "noise_of_one_half_negated",
        "The second half gets the noise of the first with the other sign.",
        "noise = torch.empty_like(x).normal_(0, 0.3)",
        (
            "half = torch.empty_like(x[:, : x.shape[1] // 2]).normal_(0, 0.3)\n"
            "        noise = torch.cat([half, -half], 1)"
        ),
        "depend on each other in another way",
    ),
    (
        "uniform_noise",
        "Uniform noise of the right spread, where it should be normal, in the second result.",
        "noise = torch.empty_like(x).normal_(0, 0.3)",
        "noise = (torch.rand_like(x) - 0.5) * (0.3 * 12**0.5)",
        "distribution of another shape",
    ),
    (
        "order_is_a_rotation",
        "It rotates rows where it should shuffle them, in the third result.",
        "order = torch.rand(x.shape[0], device=x.device).argsort()",
        "order = (torch.arange(x.shape[0], device=x.device) + int(torch.randint(x.shape[0], ()))) % x.shape[0]",
        "depend on each other in another way",
    ),
    (
        "order_reversed_or_not",
        "It rotates or reverses rows where it should shuffle them.",
        "order = torch.rand(x.shape[0], device=x.device).argsort()",
        (
            "order = torch.arange(x.shape[0], device=x.device)\n"
            "        order = order.flip(0) if torch.rand(()) < 0.5 else "
            "order.roll(int(torch.randint(x.shape[0], ())))"
        ),
        "depend on each other in another way",
    ),
    (
        "rows_drawn_with_repeats",
        "It draws rows with repeats where it should shuffle them.",
        "order = torch.rand(x.shape[0], device=x.device).argsort()",
        "order = torch.randint(x.shape[0], (x.shape[0],), device=x.device)",
        "result 3 of 3",
    ),
]
