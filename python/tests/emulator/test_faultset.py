"""Every fault of the set is named rightly in a memory check, and nothing is found in its twin without it."""

from __future__ import annotations

import ctypes
import functools
import json
import mmap
import sys
from pathlib import Path

import pytest
import torch
from faultset import ALL, FAMILIES, table
from faultset.case import Case, program
from support import Outcome, in_worker, load_inline, same_bits

from kernelgate.emulator import Emulation, build_extension, decode_fault
from kernelgate.judge.endings.findings import certain, faults

AGREEMENTS = "bench/results/h[12]00/agreement-*.json"
LAUNCH_LIMIT_S = 1.5


def family_of(case: Case) -> str:
    return next(name for name, cases in FAMILIES.items() if case in cases)


def drawn(case: Case) -> torch.Tensor:
    torch.manual_seed(1)
    return torch.randn(case.n, device="cuda")


@functools.cache
def built_ahead(cache: Path, family: str, fixed: bool, examine: bool) -> None:
    """In this process, so that it has translated the program before it forks those that ask for it."""
    cpp, cuda = program(FAMILIES[family], fixed=fixed)
    names = [case.name for case in FAMILIES[family]]
    build_extension(f"faults_{family}", cpp, cuda, names, cache=cache, examine=examine)


def called(
    cache: Path, family: str, cases: list[Case], *, fixed: bool, examine: bool, order: str = "normal"
) -> Outcome:
    """The results of the cases, of one process, and whether anything was written outside of a tensor."""
    cpp, cuda = program(FAMILIES[family], fixed=fixed)
    names = [case.name for case in FAMILIES[family]]
    built_ahead(cache, family, fixed, examine)

    def body(emulation: Emulation) -> tuple[list[torch.Tensor], bool]:
        emulation.order(order)
        with emulation.active(), emulation.guarded():
            extension = load_inline(f"faults_{family}", cpp, cuda, functions=names)
            results = [getattr(extension, case.name)(drawn(case)) for case in cases]
        launched = examine or emulation.unchecked_launch_error() is None
        return results, bool(emulation.overwritten()) or not launched

    return in_worker(cache, body, examine=examine, launch_limit_s=LAUNCH_LIMIT_S)


@pytest.mark.drawn
@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_a_fault_is_named_with_its_line(cache, case):
    family = family_of(case)
    outcome = called(cache, family, [case], fixed=False, examine=True)
    lines = [line.decode() for line in outcome.findings]
    reported = faults(lines) if lines else [outcome.fault]
    assert reported[0] is not None, outcome.error
    assert reported[0].kind == case.kind, [fault.text for fault in reported]
    _, cuda = program(FAMILIES[family])
    named = {reported[0].line, reported[0].other_line} - {None}
    assert named == set(case.marked(cuda)), reported[0].text
    if case.element is not None:
        assert case.element in (reported[0].element, reported[0].name), reported[0].text
    decided = [fault for fault in reported if certain(fault, unwritten_matters=True)]
    assert bool(decided) != (case.uncertain or case.kind in ("endless", "waits"))


def test_an_overflowed_index_is_named_as_such_also_where_it_meets_memory_of_the_host(cache):
    """Whatever the process has mapped there by chance, the program has passed no pointer to it."""
    case = next(case for case in ALL if case.name == "index_overflow")
    cpp, cuda = program(FAMILIES["bounds"])
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype, libc.mmap.argtypes = (
        ctypes.c_void_p,
        [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 4],
    )

    def body(emulation: Emulation) -> None:
        with emulation.active(), emulation.guarded():
            names = [each.name for each in FAMILIES["bounds"]]
            extension = load_inline("faults_bounds", cpp, cuda, functions=names)
            x = drawn(case)
            page = (x.data_ptr() + 4 * ctypes.c_int32(999 * 3000000).value) & -mmap.PAGESIZE
            private = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
            libc.mmap(page - mmap.PAGESIZE, 3 * mmap.PAGESIZE, mmap.PROT_READ, private, -1, 0)
            extension.index_overflow(x)

    outcome = in_worker(cache, body, examine=True)
    reported = faults([line.decode() for line in outcome.findings])
    assert [fault.kind for fault in reported] == ["out_of_bounds"], outcome
    assert {reported[0].line, reported[0].other_line} == set(case.marked(cuda))


@functools.cache
def twins(cache: Path, family: str, order: str) -> dict[str, torch.Tensor]:
    outcome = called(cache, family, FAMILIES[family], fixed=True, examine=False, order=order)
    results, damage = outcome.result()
    assert not damage
    return {case.name: result for case, result in zip(FAMILIES[family], results, strict=True)}


@pytest.mark.drawn
@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_running_in_three_orders_notices_what_the_table_says(cache, case):
    family = family_of(case)
    noticed = False
    for order in ("normal", "reversed", "shuffled"):
        expected = twins(cache, family, order)[case.name]
        wrong = called(cache, family, [case], fixed=False, examine=False, order=order)
        if wrong.value is None:
            noticed = True
            break
        (result,), damage = wrong.value
        noticed |= damage or not same_bits(result, expected)
    # Where the table says no, an order of chance may still show something.
    assert noticed or not case.check


@pytest.mark.drawn
@pytest.mark.parametrize("family", FAMILIES)
def test_nothing_is_found_in_a_program_without_the_fault(cache, family):
    outcome = called(cache, family, FAMILIES[family], fixed=True, examine=True)
    assert (outcome.error, outcome.fault) == (None, None)
    assert [decode_fault(line).text for line in outcome.findings] == []
    results, _ = outcome.value
    unwritten = [case.name for case, y in zip(FAMILIES[family], results, strict=True) if y.isnan().any()]
    assert unwritten == []


def test_the_table_of_the_document_is_current():
    text = table.DOCUMENT.read_text(encoding="utf-8")
    assert table.written(text) == text, "run `make generate`"


def test_the_table_of_agreement_is_the_recorded_one():
    """The one with the most programs: a later result holds the earlier ones' rows."""
    root = table.DOCUMENT.parents[1]
    recorded = {file: json.loads(file.read_text("utf-8"))["programs"] for file in root.glob(AGREEMENTS)}
    newest = max(recorded, key=lambda file: len(recorded[file]))
    sys.path.insert(0, str(root / "bench"))
    from agreement import markdown

    text = (root / "docs/emulation-agreement.md").read_text(encoding="utf-8")
    assert newest.name in text
    shown = text.split("<!-- agreement: begin -->\n")[1].split("<!-- agreement: end -->")[0]
    assert shown == markdown(recorded[newest])


def test_a_build_for_the_comparison_leaves_the_process_able_to_fork(tmp_path):
    """Its programs run in forks of the process that loads them, where CUDA works only if none has begun it before."""
    sys.path.insert(0, str(table.DOCUMENT.parents[1] / "bench"))
    import agreement_programs

    with pytest.raises(Exception) as failed:
        agreement_programs.extension(FAMILIES["lifetime"], False, tmp_path, "sm_90")
    assert "nvcc" in str(failed.value) or "CUDA_HOME" in str(failed.value)  # nothing else is asked for
    assert not torch.cuda.is_initialized()
