"""Draws a mask for each row of a batch, a gate for each channel, and two noises that know nothing of each other.

Class: 23
Contract: problem
Runs: emulation and gpu
"""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        gate = torch.bernoulli(torch.full(x.shape[:2], 0.5, device=x.device, dtype=x.dtype))[..., None]
        return x * gate, torch.rand_like(x), torch.rand_like(x)


def get_inputs():
    return [torch.randn(24, 8, 12)]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        gate = (torch.rand(x.shape[:2], device=x.device) < 0.5)[..., None].to(x.dtype)
        first, second = torch.empty_like(x).uniform_(), torch.empty_like(x).uniform_()
        return x * gate, first, second
"""

WRONG = [
    (
        "one_gate_for_all_rows",
        "It draws one mask for all rows.",
        "torch.rand(x.shape[:2], device=x.device) < 0.5",
        "(torch.rand(x.shape[1], device=x.device) < 0.5).expand(x.shape[:2])",
        "depend on each other in another way",
    ),
    (
        "a_gate_for_each_element",
        "It draws a mask for each element where one is for each channel.",
        "(torch.rand(x.shape[:2], device=x.device) < 0.5)[..., None]",
        "(torch.rand_like(x) < 0.5)",
        "depend on each other in another way",
    ),
    (
        "both_noises_the_same",
        "Two random results of a call are the same.",
        "return x * gate, first, second",
        "return x * gate, first, first.clone()",
        "two of its random results depend",
    ),
    (
        "second_noise_is_one_less_the_first",
        "The second random result is one less the first.",
        "return x * gate, first, second",
        "return x * gate, first, 1 - first",
        "two of its random results depend",
    ),
    (
        "noise_in_eighths",
        "Its uniform numbers are eight.",
        "first, second = torch.empty_like(x).uniform_()",
        "first, second = torch.empty_like(x).uniform_().mul(8).floor().add(0.5).div(8)",
        "distribution of another shape",
    ),
    (
        "same_noise_in_each_second_call",
        "One call in two gives the noise of the call before.",
        "        return x * gate, first, second",
        (
            "        self.calls = getattr(self, 'calls', 0) + 1\n"
            "        if self.calls % 2:\n"
            "            self.kept = first\n"
            "        return x * gate, self.kept.clone(), second"
        ),
        "those of the call before",
    ),
]
