"""Returns two results, and both pass their gradients on to what they are made of.

Class: 24
Contract: drop-in
Runs: emulation and gpu
"""

PROBLEM = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(32, 16)
        self.second = nn.Linear(32, 16)

    def forward(self, x):
        seen = torch.tanh(self.first(x))
        return {"value": seen * torch.sigmoid(self.second(x)), "seen": seen, "largest": seen.detach().amax(-1)}


def get_inputs():
    return [torch.randn(64, 32)]
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(32, 16)
        self.second = nn.Linear(32, 16)

    def forward(self, x):
        seen = self.first(x).tanh()
        gate = self.second(x).sigmoid()
        return {"value": gate * seen, "seen": seen, "largest": seen.amax(-1)}
"""

WRONG = [
    (
        "second_result_detached",
        "Its second result passes no gradient on.",
        '"seen": seen,',
        '"seen": seen.detach(),',
        "Not a drop-in: its gradient is wrong",
    ),
    (
        "gate_of_two_results_detached",
        "A factor of its first result passes no gradient on.",
        "gate * seen",
        "gate.detach() * seen",
        "Not a drop-in: its gradient is wrong",
    ),
    (
        "gradients_of_parameters_cleared",
        "Each call clears the gradients that its parameters hold.",
        "        seen = self.first(x).tanh()",
        "        for one in self.parameters():\n            one.grad = None\n        seen = self.first(x).tanh()",
        "Not a drop-in: its gradient is wrong",
    ),
    (
        "hook_from_the_second_call_on",
        "In its second call it registers a hook that doubles the gradient of a parameter.",
        "        seen = self.first(x).tanh()",
        "        self.calls = getattr(self, 'calls', 0) + 1\n        if self.calls == 2:\n"
        "            self.first.weight.register_hook(lambda g: 2 * g)\n        seen = self.first(x).tanh()",
        "Not a drop-in: its gradient is wrong",
    ),
]
