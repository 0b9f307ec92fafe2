"""A timed call is compared with the reference where that says something, and has to read what the result depends on."""

from __future__ import annotations

import random

import pytest
import torch

from kernelgate.check.nesting import tensors_in
from kernelgate.judge.comparison.compare import Comparer
from kernelgate.judge.reference.reference import Reference
from kernelgate.judge.timing.plausibility import renew, result_agrees, share_read
from kernelgate.messages.job import Job
from kernelgate.timing.fresh import Fresh

IMPORTS = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
ONE = "def get_inputs():\n    return [torch.randn(96, 128)]\n\n"
LOOKED_UP = "def get_inputs():\n    return [torch.randn(1000, 8), torch.randint(0, 1000, (40,))]\n\n"


def reference(body: str, inputs: str = ONE, arguments: str = "x") -> Reference:
    model = f"class Model(nn.Module):\n    def forward(self, {arguments}):\n        {body}\n"
    job = Job(run="1", text="", label="p.py", reference=IMPORTS + inputs + model, reference_label="problem.py")
    return Reference.of(job, torch.device("cpu"), 1)


MODULES = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(128)
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x):
        BODY
"""


@pytest.mark.parametrize(
    ("body", "compared"),
    [("return self.norm(x)", True), ("self.calls += 1; return x * self.calls", None)],
)
def test_buffers_matter_where_the_result_depends_on_them(body: str, compared: bool | None) -> None:
    job = Job(
        run="1",
        text="",
        label="p.py",
        reference=IMPORTS + ONE + MODULES.replace("BODY", body),
        reference_label="problem.py",
    )
    own = Reference.of(job, torch.device("cpu"), 1)
    given = own.own_inputs[0]
    found = [own.call(own.module(torch.float32), [given])]
    comparer = Comparer(emulated=False, allowed=None)
    assert result_agrees(found, [given], reference=own, comparer=comparer) is compared


def test_a_run_in_another_dtype_is_timed_in_it() -> None:
    model = "class Model(nn.Module):\n    def forward(self, x):\n        return x * 2\n"
    text = IMPORTS + ONE + model
    job = Job(run="1", text="", label="p.py", reference=text, reference_label="problem.py", dtype="bfloat16")
    own = Reference.of(job, torch.device("cpu"), 1)
    assert {one.dtype for one in (*own.drawn_inputs(3), *own.timed_inputs)} == {torch.bfloat16}


def agrees(body: str, *, wrong: bool = False) -> bool | None:
    """Whether the third of some calls agrees, of a program that is the reference. `wrong`: but for its last tensor."""
    own = reference(body)
    given = [own.own_inputs[0].clone()]
    fresh = Fresh(given, 7)
    for _ in range(3):
        fresh.next()
    made = own.call(own.module(torch.float32), given)
    found = tensors_in(made)
    if wrong:
        found[-1] = found[-1].flip(0)
    comparer = Comparer(emulated=False, allowed=None)
    inputs = [own.own_inputs[0].clone()]
    renew(inputs, 7, 2)
    return result_agrees(found, inputs, reference=own, comparer=comparer)


@pytest.mark.parametrize(
    "body",
    ["return F.relu(x)", "return [x + 1, x]", "return {'y': x + 1}", "return x.max(1)", "return torch.linalg.qr(x)"],
)
def test_every_tensor_of_a_timed_result_is_compared(body: str) -> None:
    assert agrees(body) is True
    assert agrees(body, wrong=True) is False


@pytest.mark.parametrize(
    "body",
    [
        "return F.dropout(x, 0.5)",
        "self.n = getattr(self, 'n', 0) + 1; return x * self.n",
        "x += 1; return x * 2",
    ],
)
def test_what_depends_on_the_calls_before_is_not_compared(body: str) -> None:
    assert agrees(body) is None


@pytest.mark.parametrize(
    ("body", "least", "most"),
    [
        ("return x * 2", 1.0, 1.0),
        ("return x.sum()", 1.0, 1.0),
        ("return x.argmax(1)", 0.9, 1.0),
        ("return x[:, :64] * 2", 0.3, 0.55),
        ("return x * (torch.arange(128) < 64)", 0.3, 0.55),
        ("return x.diagonal() * 2", 0.0, 0.02),
        ("return torch.rand_like(x[:1])", 0.0, 0.0),
    ],
)
def test_the_share_that_has_to_be_read_is_what_the_result_depends_on(body: str, least: float, most: float) -> None:
    own = reference(body)
    before = own.own_inputs[0].clone()
    share = share_read(own, random.Random(1))
    assert share is not None and least <= share <= most
    assert torch.equal(own.own_inputs[0], before)


def test_of_a_table_the_rows_that_are_asked_for_have_to_be_read() -> None:
    own = reference("return table[rows] * 2", LOOKED_UP, "table, rows")
    share = share_read(own, random.Random(1))
    assert share is not None and share <= 0.1


@pytest.mark.parametrize(
    ("body", "inputs", "may_move"),
    [
        ("return F.relu(x)", "torch.randn(96, 128)", True),
        ("return x @ x.mT", "torch.randn(64, 64)", True),
        ("return torch.linalg.inv(x)", "torch.randn(64, 64)", False),
        ("return x.log()", "torch.rand(4, 5, 8, 8).softmax(1)", False),
        ("return x.log()", "torch.rand(40, 50).softmax(1)", True),
        ("return x.log()", "torch.rand(1, 50).softmax(1)", False),
        ("return x * 2", "torch.randn(500).sort().values", False),
    ],
)
def test_rows_move_where_the_inputs_stay_of_their_kind(body: str, inputs: str, may_move: bool) -> None:
    own = reference(body, f"def get_inputs():\n    return [{inputs}]\n\n")
    assert own.case_inputs.rows_may_move is may_move
