"""Faults of the device as the report shows them: at the person's lines, in words, with one next step.

In: faults in the device's own words, untrusted, and the sources they are in. Out: `Finding`, `Failure`.
Not here: reading the words (`emulator.decode_fault`), examining (`judge.stages.memory_check`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kernelgate.emulator import Fault, decode_fault
from kernelgate.program import Candidate
from kernelgate.program.candidate import CANDIDATE_FILE
from kernelgate.repair.compiler_log import INCLUDES_BEFORE
from kernelgate.repair.fault_steps import next_step
from kernelgate.repair.kernel_fixes import fix_of_fault
from kernelgate.report import Contract, Failure, Finding, Place, StageName, cut, one_line
from kernelgate.report.wording import lower_first
from kernelgate.torch_errors import DeviceFault

_KEPT_SOURCES = 16

# Accesses to memory that is not the kernel's own.
_STRAYS = (
    "out_of_bounds", "null", "host_memory", "host_access", "freed", "index", "surface", "cluster_rank", "cluster_exit",
    "shared_address",
)  # fmt: skip
# Faults of kernels, and most of them of host code as well.
_ANYWHERE = {
    "stack_overflow": "Stack overflow",
    "division_by_zero": "Division by zero",
    "assertion": "Assertion failed",
    "trap": "Trap",
    "instruction": "Illegal instruction",
    "address_space": "Wrong memory space",
    "unknown": "Fault",
}
_TITLES = {
    **dict.fromkeys(_STRAYS, "Illegal memory access"),
    "crash": "Crash",
    "bad_free": "Illegal free",
    "misaligned": "Misaligned memory access",
    **_ANYWHERE,
    **dict.fromkeys(("race", "guard", "unordered"), "Data race"),
    "uninitialised": "Uninitialised read",
    **dict.fromkeys(("barrier", "left_barrier"), "Barrier misused"),
    "deadlock": "Deadlock",
    "absent_lane": "Shuffle from an absent lane",
    "launch": "Failed launch",
    "call": "Failed CUDA call",
    "input_written": "Changed input",
    "mask": "Warp mask misused",
    "waits": "Endless wait",
    "endless": "Endless loop",
    **dict.fromkeys(("early_access", "overwritten"), "Data race with an asynchronous unit"),
    "proxy_fence": "Missing proxy fence",
    **{f"mbarrier_{how}": "mbarrier misused" for how in ("overrun", "unknown", "in_use", "count", "address")},
    **dict.fromkeys(("mbarrier_stuck", "named_barrier", "cluster_barrier", "grid_barrier", "wgmma_warps"), "Deadlock"),
    "store_unfinished": "Copy that is not waited for",
    "texture": "Texture or surface misused",
    "wgmma_fence": "Missing wgmma.fence",
    "wgmma_in_flight": "wgmma not waited for",
}
BY_THE_DRIVER: dict[DeviceFault, str] = {
    "out_of_bounds": "Illegal memory access: a thread reads or writes outside of a tensor",
    "misaligned": "Misaligned memory access: a thread reads or writes at an address its type does not allow",
    "assertion": "An assertion in a kernel does not hold",
    "instruction": "Illegal instruction in a kernel",
    "trap": "A kernel ended by a trap or a fault without a name",
    "address_space": "A kernel uses an address of the wrong memory space",
    "stack_overflow": "Stack overflow in a kernel",
}
"""What a GPU says of a fault: neither if it was nor of what kernel."""
# The order of findings; a fault leads to others of the later kinds.
_FIRST = ("barrier", "deadlock", "mask", "mbarrier_unknown", "race", "early_access", "overwritten", "proxy_fence")
_BARRIERS = ("barrier", "deadlock", "mbarrier_stuck")
_TWO_LINES = ("race", "unordered", "guard", *_BARRIERS, "early_access", "overwritten", "proxy_fence")


@dataclass(frozen=True)
class _Compiled:
    texts: dict[str, str]
    includes: bool


class Sources:
    """What has been compiled, to find the lines of faults in."""

    def __init__(self) -> None:
        self._kept: list[_Compiled] = []

    def note(self, cpp: str, cuda: str, *, includes: bool) -> None:
        """`includes`: load_inline has put its own before them."""
        self._kept = [*self._kept, _Compiled({"main.cpp": cpp, "cuda.cu": cuda}, includes)][-_KEPT_SOURCES:]

    def text(self, fault: Fault) -> str | None:
        """The unit that a fault is in: the one that holds its kernel, if there are several."""
        found = self._of(fault)
        return found.texts[fault.unit] if found is not None and fault.unit is not None else None

    def only(self, unit: str | None) -> str | None:
        """The text of a unit; None if several extensions have one, and nothing says which is meant."""
        texts = {kept.texts[unit] for kept in self._kept if unit is not None and unit in kept.texts}
        return texts.pop() if len(texts) == 1 else None

    def holds(self, fault: Fault) -> bool:
        """Whether a fault's kernel is one of the program's own."""
        return any(_kernel_in(fault, text) for kept in self._kept for text in kept.texts.values())

    def in_the_text(self, fault: Fault) -> Fault:
        """The same fault with the lines of the text, where those of the compiler are given."""
        found = self._of(fault)
        if fault.unit is None or found is None or not found.includes:
            return fault
        before = INCLUDES_BEFORE[fault.unit]
        line, other = (
            None if n is None or n <= before else n - before for n in (fault.line, fault.other_line)
        )
        return replace(fault, line=line, other_line=other)

    def _of(self, fault: Fault) -> _Compiled | None:
        units = [kept for kept in self._kept if fault.unit in kept.texts]
        named = [kept for kept in units if _kernel_in(fault, kept.texts[fault.unit or ""])]
        return next(iter(reversed(named or units)), None)


def _kernel_in(fault: Fault, text: str) -> bool:
    name = re.match(r"[\w:]*", fault.kernel or "")
    kernel = name[0].rpartition(":")[2] if name else ""
    return bool(kernel) and re.search(rf"\b{kernel}\s*\(", text) is not None


def faults(lines: Sequence[str]) -> list[Fault]:
    """The faults in the device's own words, each once. The first explains the others."""
    decoded = [decode_fault(line.encode()) for line in lines]
    # Emulation's headers may keep on the heap what a GPU would keep in registers.
    decoded = [
        f
        for f in decoded
        if not (f.kind == "host_memory" and f.region is None and (f.inlined or f.line is None))
    ]
    decoded.sort(key=lambda fault: _FIRST.index(fault.kind) if fault.kind in _FIRST else len(_FIRST))
    raced = {line for fault in decoded if fault.kind == "race" for line in (fault.line, fault.other_line)}
    strayed = {fault.line for fault in decoded if fault.kind == "out_of_bounds"}
    seen: set[object] = set()
    kept = []
    for fault in decoded:
        key = (fault.kind, *sorted({fault.line or 0, fault.other_line or 0}))
        early = fault.kind == "uninitialised" and fault.line in raced  # the other side has not written yet
        same = fault.kind == "index" and fault.line in strayed
        if key not in seen and not early and not same:
            seen.add(key)
            kept.append(fault)
    return kept


def certain(fault: Fault, *, unwritten_matters: bool) -> bool:
    """Whether a fault decides the verdict: it cannot be harmless."""
    if fault.kind in ("uninitialised", "absent_lane"):
        return unwritten_matters
    # An index past one row of an array may lie in the next row, and a GPU does not wait for threads that have ended.
    # Of wgmma's registers the assembler keeps order by itself where it sees that it must, and is slower.
    harmless = ("wgmma_fence", "wgmma_in_flight", "input_written")
    # A guard before an atomic that takes the larger of two saves time and changes nothing; before a count it may.
    return fault.kind not in ("index", "guard", "left_barrier", "waits", "endless", "unknown", *harmless)


def finding(
    candidate: Candidate, fault: Fault, sources: Sources, contract: Contract, *, decides: bool
) -> Finding:
    where, other = _place(candidate, fault, sources)
    return Finding(
        kind=fault.kind,
        title=_title(fault.kind, in_kernel=fault.kernel is not None),
        sentence=one_line(sentence(fault, where, other), 600),
        contract=contract,
        certain=decides,
        where=where,
        other_line=other,
        next_step=one_line(next_step(fault, other), 600),
    )


def ended_by(kind: str, sentence: str, failure: Failure) -> Finding:
    """What ended a process, or a call on a GPU, where emulation has not said so."""
    return Finding(
        kind=kind,
        title=_title(kind, in_kernel=True),
        sentence=sentence,
        contract="problem",
        certain=True,
        where=failure.where,
        next_step=failure.next_step,
    )


def strays(cause: object) -> bool:
    """Whether it is an access to memory that is not the kernel's own."""
    return isinstance(cause, Finding) and cause.kind in _STRAYS


def failure(
    candidate: Candidate, fault: Fault, sources: Sources, stage: StageName | None, log: str = ""
) -> Failure:
    """What a report says of the fault that ended a run."""
    where, other = _place(candidate, fault, sources)
    failed = Failure(
        stage=stage,
        what=one_line(_who(fault, where, other), 600),
        where=where,
        next_step=one_line(next_step(fault, other), 600),
        log=cut(log, 4000),
        log_lines=log.count("\n") + 1 if log else 0,
    )
    fix = fix_of_fault(candidate, fault.kind, where.line, other)
    if fix is not None:  # the step stays: it is true of the fault, whether or not the fix is enough
        failed.fix, failed.edit = fix.text, fix.edit
    return failed


def sentence(fault: Fault, where: Place, other: int | None) -> str:
    """Data race: two threads write `s[0]` without a barrier between, line 12"""
    words = lower_first(fault.what.rstrip(".")) or "of a kind that cannot be read"
    title = _title(fault.kind, in_kernel=fault.kernel is not None)
    return f"{title}: {words}{_lines(where, other if fault.kind in _TWO_LINES else None)}"


def _title(kind: str, *, in_kernel: bool) -> str:
    title = _TITLES.get(kind, _ANYWHERE["unknown"])
    return f"{title} in a kernel" if in_kernel and title in _ANYWHERE.values() else title


def _lines(where: Place, other: int | None) -> str:
    if where.line is None:
        return ""
    if other is None or other == where.line:
        return f", line {where.line}"
    return f", lines {min(where.line, other)} and {max(where.line, other)}"


def _who(fault: Fault, where: Place, other: int | None) -> str:
    """Kernel k, block (0, 0, 0): thread (33, 0, 0) reads, thread (1, 0, 0) writes in line 12"""
    if fault.kind == "host_access":
        if fault.name is not None and fault.region == "variable":
            return "Host code has a copy of its own on a GPU, which kernels do not see"
        return "Host code looks into memory that only kernels can reach on a GPU"
    if fault.kernel is None:
        return "It happened in host code, not in a kernel"
    if fault.block is None:
        return f"Kernel {fault.kernel}"
    from kernelgate.emulator.faults.fault_words import thread_words

    here = thread_words(fault.block, fault.thread)
    if fault.kind != "race":
        return f"Kernel {fault.kernel}, {here}"
    one = f"{here} {fault.access}s"
    two = f"{thread_words(fault.other_block, fault.other_thread)} {fault.other_access}s"
    return f"Kernel {fault.kernel}: {one}{_lines(where, None)}; {two}, line {other}"


def place_of(candidate: Candidate, kernel: str, unit: str | None, line: int | None, sources: Sources) -> Place:
    """The person's line behind one of what was compiled."""
    return _place(candidate, _at(kernel, unit, line), sources)[0]


def read_at(candidate: Candidate, kernel: str, unit: str, line: int, sources: Sources) -> Place:
    """The same for a line as a compiler counts it."""
    return _place(candidate, sources.in_the_text(_at(kernel, unit, line)), sources)[0]


def _at(kernel: str, unit: str | None, line: int | None) -> Fault:
    return Fault("", None, kernel, None, None, None, None, None, unit, line, "")


def _place(candidate: Candidate, fault: Fault, sources: Sources) -> tuple[Place, int | None]:
    if fault.unit is None or fault.line is None:
        return candidate.place(None), None
    if fault.unit == CANDIDATE_FILE:
        return candidate.place(fault.line), candidate.place(fault.other_line).line
    text = sources.text(fault)
    where = candidate.cuda_place(fault.unit, text, fault.line)
    if fault.other_line is None:
        return where, None
    return where, candidate.cuda_place(fault.unit, text, fault.other_line).line
