"""Which numbers of a program are sizes, and which smaller ones a problem gets."""

from __future__ import annotations

import ast

import pytest

from kernelgate.check.problem import Problem
from kernelgate.check.sizes.numbers import numbers_in, shared_in_class, with_sizes
from kernelgate.check.sizes.search import Search, above, other_remainders, smaller
from kernelgate.check.sizes.work import Budget, work_of
from kernelgate.judge.reference.affordable import EMULATED, ON_GPU, goes_by, smaller_sizes

BUDGET = Budget(elements=1 << 18, operations=1 << 25)

EVERY_PLACE = """
import torch
N = 2048 * 2
shape = (3, 240, 320)
height, width = 64, 128
widths = [1024] * 16
stride = 2

class Model(torch.nn.Module):
    HIDDEN = 512
    def __init__(self, features, classes=1000):
        super().__init__()

def get_inputs():
    rows = 96
    return [torch.rand(N, 7, 224), torch.randint(0, 50, (40, rows)), torch.zeros(rows, *shape), made(6, 320, seq=144)]

def made(batch_size, width, seq=1, seed=2026):
    return torch.rand(batch_size, width, seq)

def get_init_inputs():
    return [48]
"""


def test_a_number_that_the_text_spells_out_is_found_wherever_it_stands() -> None:
    found = {name: (n.value, n.role) for name, n in numbers_in(ast.parse(EVERY_PLACE)).items()}
    assert found == {
        "N": (4096, "other"),
        "shape[0]": (3, "structure"),
        "shape[1]": (240, "channels"),
        "shape[2]": (320, "space"),
        "height": (64, "space"),
        "width": (128, "space"),
        "widths[0]": (1024, "channels"),
        "stride": (2, "structure"),
        "Model.HIDDEN": (512, "channels"),
        "Model.__init__.classes": (1000, "structure"),
        "get_inputs.rows": (96, "space"),
        "get_inputs[1]": (7, "structure"),
        "get_inputs[2]": (224, "space"),
        "get_inputs[3]": (40, "batch"),
        "get_inputs[4]": (6, "batch"),
        "get_inputs[5]": (320, "space"),
        "get_inputs[6]": (144, "space"),
        "get_init_inputs[0]": (48, "channels"),
    }


@pytest.mark.parametrize("value", [4095, 8205, 2949, 65535, 393216, 512, 100, 112, 64, 24, 10])
def test_a_smaller_size_leaves_the_remainders_that_the_size_leaves(value: int) -> None:
    unit = 32 if value >= 64 else 4
    first = smaller(value, 4)[0]
    assert first < value and first % unit == value % unit


def test_a_smaller_size_is_none_that_another_size_has() -> None:
    assert smaller(64, 8)[0] == 32 and 32 not in smaller(64, 8, {32})


@pytest.mark.parametrize(
    ("value", "bound", "kept"),
    [
        *((4095, 1024, 1055), (1100, 1024, 1036), (1536, 1024, 1536), (3072, 1024, 2048), (1 << 20, 1024, 2048)),
        *((1024, 1024, None), (512, 16, 32), (500, 64, 84)),
    ],
)
def test_a_size_above_a_bound_leaves_the_remainder_of_the_own_one(value: int, bound: int, kept: int | None) -> None:
    assert above(value, bound, is_tile=True) == kept


@pytest.mark.parametrize(("value", "bound", "kept"), [(1536, 512, 640), (100, 24, 36)])
def test_a_size_above_what_only_bounds_is_no_larger_than_it_must_be(value: int, bound: int, kept: int) -> None:
    assert above(value, bound, is_tile=False) == kept


def test_each_size_above_a_block_stays_so_once_while_the_others_shrink() -> None:
    text = problem("batch = 128\nrows = 4096\ncolumns = 4095", "torch.rand(batch, rows, columns)", "return x.mean(1)")
    search = Search(text, "p.py", {})
    fitted = search.fitted(BUDGET).sizes
    found = {name: sizes for name, bound, sizes in search.above(fitted, BUDGET)}
    assert set(found) == {"rows", "columns"} and max(fitted.values()) < 1024
    for name, sizes in found.items():
        assert sizes[name] > 1024 and all(sizes[other] < 1024 for other in sizes if other != name)
        assert work_of(text, "p.py", sizes).elements <= BUDGET.elements


def test_no_size_is_above_a_block_where_the_run_has_it_above() -> None:
    search = Search(problem("rows = 4096\ncolumns = 2", "torch.rand(rows, columns)"), "p.py", {})
    assert not list(search.above(search.fitted(BUDGET).sizes, BUDGET))


def test_a_window_that_holds_all_positions_of_a_smaller_size_is_found_by_its_results() -> None:
    text = problem(
        "batch, length, window, classes = 16, 4096, 512, 700",
        "torch.rand(batch, length)",
        "return self.head(x.cumsum(1) - torch.nn.functional.pad(x.cumsum(1), (window, 0))[:, : x.shape[1]]) + 0",
        "self.head = torch.nn.AdaptiveAvgPool1d(classes)",
    )
    search = Search(text, "p.py", {})
    fitted = search.fitted(Budget(elements=1 << 13, operations=1 << 20)).sizes
    assert fitted["length"] <= 512
    assert set(search.may_bound(fitted)) == {"window", "classes"}
    assert goes_by(text, "p.py", "window", fitted) is False and goes_by(text, "p.py", "classes", fitted) is None
    kept = next(sizes for _, bound, sizes in search.above(fitted, BUDGET, (), ["window"]) if bound == "window")
    assert kept["length"] > 512 and goes_by(text, "p.py", "window", kept)


def test_another_size_leaves_other_remainders() -> None:
    assert all(other % 32 != 64 % 32 for other in other_remainders(64))


def problem(constants: str, inputs: str, model: str = "return x", init: str = "") -> str:
    return f"""
import torch
{constants}
class Model(torch.nn.Module):
    def __init__(self, *given):
        super().__init__()
        {init or "pass"}
    def forward(self, x, *rest):
        {model}
def get_inputs(): return [{inputs}]
def get_init_inputs(): return []
"""


def fitted(text: str) -> dict[str, int]:
    return Search(text, "p.py", {}).fitted(BUDGET).sizes


def test_an_affordable_problem_is_left_alone() -> None:
    assert fitted(problem("N = 256", "torch.rand(N, N)")) == {}


def test_height_and_width_that_differ_go_on_to_differ() -> None:
    text = problem(
        "batch_size = 8\nchannels = 64\nheight = 512\nwidth = 1024",
        "torch.rand(batch_size, channels, height, width)",
        "return self.conv(x)",
        "self.conv = torch.nn.Conv2d(channels, 128, (3, 5))",
    )
    sizes = fitted(text)
    assert sizes["height"] < sizes["width"]
    assert sizes["height"] % 4 == sizes["width"] % 4 == 0


def test_the_batch_goes_before_the_image_and_the_image_before_the_channels() -> None:
    text = problem(
        "batch_size = 64\nchannels = 64\nsize_of_image = 64",
        "torch.rand(batch_size, channels, size_of_image, size_of_image)",
    )
    sizes = fitted(text)
    assert sizes["batch_size"] <= 8 and sizes["size_of_image"] < 64 and "channels" not in sizes


def test_what_a_module_is_built_of_stays() -> None:
    text = problem(
        "batch = 512\nfeatures = 64\ngroups = 32\nlength = 4096",
        "torch.rand(batch, features, length)",
        "return self.norm(x)",
        "self.norm = torch.nn.GroupNorm(groups, features)",
    )
    assert "groups" not in fitted(text)


def test_a_step_at_which_the_reference_raises_is_taken_back() -> None:
    # 96 is the last width that 12 heads of 8 divide on the way down by halves.
    text = problem(
        "batch = 128\nseq_len = 512\nn_embd = 768\nn_head = 12",
        "torch.rand(batch, seq_len, n_embd)",
        "return (x @ self.w).view(*x.shape[:2], n_head, n_embd // n_head) + x.view(*x.shape[:2], n_head, -1)",
        "self.w = torch.nn.Parameter(torch.rand(n_embd, n_embd))",
    )
    sizes = fitted(text)
    assert sizes["n_embd"] % 12 == 0 and BUDGET.fits(work_of(text, "p.py", sizes))


def test_work_counts_and_not_only_elements() -> None:
    text = problem("N = 448", "torch.rand(N, N)", "return x @ x @ x @ x @ x")
    assert fitted(text)["N"] < 448


def test_a_size_that_two_inputs_share_by_chance_of_value_changes_in_both() -> None:
    text = problem(
        "batch = 32768\ndim = 32768", "torch.rand(batch, dim), torch.rand(batch)", "return x * rest[0]"
    )
    sizes = fitted(text)
    assert sizes["batch"] == sizes["dim"]


@pytest.mark.parametrize(
    "model",
    [
        "return x.cuda() * 2",
        "return x * float(x.sum().item())",
        "return x + torch.ones(x.shape[0], 1, device='cuda')",
    ],
)
def test_a_reference_is_followed_through_devices_and_numbers(model: str) -> None:
    search = Search(problem("batch = 65536\ndim = 512", "torch.rand(batch, dim).cuda()", model), "p.py", {})
    assert search.fitted(BUDGET).followed


def test_a_reference_that_cannot_be_followed_is_made_smaller_by_its_inputs() -> None:
    text = problem(
        "batch = 65536\ndim = 512", "torch.rand(batch, dim)", "return torch.from_numpy(x.numpy() * 2)"
    )
    found = Search(text, "p.py", {}).fitted(BUDGET)
    assert not found.followed and found.work is not None and BUDGET.fits(found.work)


def test_sizes_that_a_person_set_stay() -> None:
    text = problem("rows = 4096\ncolumns = 4096", "torch.rand(rows, columns)")
    found = Search(text, "p.py", {"rows": 2048}).fitted(BUDGET)
    assert set(found.sizes) == {"columns"}


def test_another_size_runs_and_differs_from_all_others() -> None:
    text = problem(
        "batch = 8\nchannels = 64\ngroups = 8\nheight = 24\nwidth = 32",
        "torch.rand(batch, channels, height, width)",
        "return self.norm(x)",
        "self.norm = torch.nn.GroupNorm(groups, channels)",
    )
    others = Search(text, "p.py", {}).others({}, BUDGET)
    assert others is not None and others["channels"] % 8 == 0 and others["channels"] % 32
    assert len({others[name] for name in ("batch", "channels", "height", "width")}) == 4
    Problem(text, "p.py", __import__("torch").device("cpu"), others)


CANDIDATE = """
import torch
N = 4096   # the problem's
BLOCK = 256
class ModelNew(torch.nn.Module):
    WIDTH = 8192
    def forward(self, x):
        return x[:, :N]
def get_inputs(): return [torch.rand(N, 4096)]
"""
REFERENCE = CANDIDATE.replace("ModelNew", "Model").replace("BLOCK", "M").replace("  # the problem's", "")


def test_a_candidate_that_repeats_a_size_and_reads_it_gets_the_same() -> None:
    sized = with_sizes(CANDIDATE, REFERENCE, {"N": 64, "M": 8, "get_inputs[0]": 32})
    assert sized == CANDIDATE.replace("N = 4096", "N = 64")


def test_a_candidate_that_does_not_read_its_copy_is_left_alone() -> None:
    unread = CANDIDATE.replace("x[:, :N]", "x")
    assert with_sizes(unread, REFERENCE, {"N": 64}) == unread


def test_a_number_in_a_class_counts_where_both_classes_have_it() -> None:
    assert shared_in_class(REFERENCE, CANDIDATE) == {"Model.WIDTH"}
    assert shared_in_class(REFERENCE, CANDIDATE.replace("WIDTH = 8192", "WIDTH = 64")) == set()
    assert "WIDTH = 32" in with_sizes(CANDIDATE, REFERENCE, {"Model.WIDTH": 32})


def test_a_group_of_a_normalization_keeps_more_than_one_element() -> None:
    text = """
import torch
batch, hidden, groups = 1024, 8192, 512
class Model(torch.nn.Module):
    def __init__(self, hidden, groups):
        super().__init__()
        self.norm = torch.nn.GroupNorm(groups, hidden)
    def forward(self, x):
        return self.norm(x)
def get_inputs():
    return [torch.rand(batch, hidden)]
def get_init_inputs():
    return [hidden, groups]
"""
    found = Search(text, "p.py", {}).fitted(Budget(elements=1 << 10, operations=1 << 20))
    assert found.sizes["hidden"] > found.sizes.get("groups", 512)


def test_a_batch_normalization_keeps_enough_elements_of_a_channel() -> None:
    text = """
import torch
batch, height, width = 64, 128, 96
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(*[torch.nn.Conv2d(8, 8, 3, 2, 1), torch.nn.BatchNorm2d(8)] * 5)
    def forward(self, x):
        return self.layers(x)
def get_inputs():
    return [torch.rand(batch, 8, height, width)]
"""
    found = Search(text, "p.py", {}).fitted(Budget(elements=1 << 8, operations=1 << 10))
    sizes = {**{"batch": 64, "height": 128, "width": 96}, **found.sizes}
    assert sizes["batch"] * -(-sizes["height"] // 32) * -(-sizes["width"] // 32) >= 16


def test_a_gpu_gets_a_smaller_size_of_a_large_problem_and_none_of_a_small_one() -> None:
    text = "import torch\nN = {rows}\nclass Model(torch.nn.Module):\n    def forward(self, x): return x.relu()\n"
    text += "def get_inputs(): return [torch.randn(N, 4096)]\ndef get_init_inputs(): return []\n"
    sizes = smaller_sizes(text.format(rows=1 << 16), "problem.py", {})
    assert sizes is not None
    assert ON_GPU.fits(work_of(text.format(rows=1 << 16), "problem.py", sizes))
    assert smaller_sizes(text.format(rows=16), "problem.py", {}) is None


def test_a_step_that_comes_to_the_budget_is_taken_however_little_it_saves() -> None:
    text = "import torch\nROWS, COLUMNS = 2048, 1024\nclass Model(torch.nn.Module):\n"
    text += "    def __init__(self):\n        super().__init__()\n"
    text += "        self.weight = torch.nn.Parameter(torch.ones(COLUMNS))\n"
    text += "    def forward(self, x):\n"
    text += "        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * self.weight\n"
    text += "def get_inputs(): return [torch.randn(ROWS, COLUMNS)]\ndef get_init_inputs(): return []\n"
    found = Search(text, "problem.py", {}).fitted(EMULATED)
    assert found.work is not None and EMULATED.fits(found.work)
