"""What the reference itself cannot do is not asked of a candidate: compiled, exported, captured in a graph."""

from __future__ import annotations

import pytest
import torch

from kernelgate.judge.gates.trial import supports
from kernelgate.judge.reference.reference import Reference
from kernelgate.messages.job import Job

HEAD = "import torch\nimport torch.nn as nn\n\ndef get_inputs():\n    return [torch.randn(8, 12)]\n\n"
PLAIN = "class Model(nn.Module):\n    def forward(self, x):\n        return x.relu() * 2\n"
DECIDES = "class Model(nn.Module):\n    def forward(self, x):\n        return x * 2 if x.sum() > 0 else x * 3\n"
FROM_HOST = "class Model(nn.Module):\n    def forward(self, x):\n        return x * torch.ones(12).to(x.device)\n"


def _supports(model: str, manner: str, device: str) -> bool:
    job = Job(run="1", text="", label="p.py", reference=HEAD + model, reference_label="problem.py")
    reference = Reference.of(job, torch.device(device), 1)
    return supports(reference, manner, reference.own_inputs)


@pytest.mark.drawn
@pytest.mark.parametrize("manner", ["exported"])
def test_a_reference_that_decides_by_its_values_cannot_be_exported(manner: str) -> None:
    assert _supports(PLAIN, manner, "cpu")
    assert not _supports(DECIDES, manner, "cpu")


def test_a_module_whose_weight_is_computed_can_be_copied_and_not_pickled() -> None:
    computed = (
        "class Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.linear = nn.utils.parametrizations.weight_norm(nn.Linear(12, 4))\n\n"
        "    def forward(self, x):\n        return self.linear(x)\n"
    )
    assert _supports(PLAIN, "pickled", "cpu") and _supports(computed, "copied", "cpu")
    assert not _supports(computed, "pickled", "cpu")


@pytest.mark.gpu
@pytest.mark.parametrize("manner", ["compiled", "graph"])
def test_a_reference_that_waits_for_the_device_supports_neither_a_graph_nor_one_graph_of_torch(
    manner: str,
) -> None:
    assert _supports(PLAIN, manner, "cuda")
    assert not _supports(DECIDES, manner, "cuda")


@pytest.mark.gpu
def test_a_reference_that_copies_from_the_host_cannot_be_captured() -> None:
    assert not _supports(FROM_HOST, "graph", "cuda")
