"""A dataclass as input, and another one as result."""

PROBLEM = """
import dataclasses


@dataclasses.dataclass
class Batch:
    x: torch.Tensor
    labels: torch.Tensor
    scale: float


@dataclasses.dataclass
class Output:
    logits: torch.Tensor
    loss: torch.Tensor


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 5)

    def forward(self, batch):
        logits = self.linear(batch.x) * batch.scale
        return Output(logits, F.cross_entropy(logits, batch.labels))


def get_inputs():
    return [Batch(torch.randn(16, 8), torch.randint(0, 5, (16,)), 2.0)]
"""

HONEST = """
import dataclasses


@dataclasses.dataclass
class Output:
    logits: torch.Tensor
    loss: torch.Tensor


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 5)

    def forward(self, batch):
        logits = self.linear(batch.x) * batch.scale
        return Output(logits, -logits.log_softmax(-1).gather(1, batch.labels[:, None]).mean())
"""

MISTAKE = (".mean())", ".sum())")
SAYS = "result 2 of 2"
DROP_IN = "labels that the loss leaves out"
