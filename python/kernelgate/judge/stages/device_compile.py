"""The device compile stage: what NVIDIA's compiler says of each kernel, for the architectures that matter.

In: what the build has compiled. Out: `DeviceCode`. What was found once is kept, by what it was found from.
Not here: the compiling (`nvrtc`), which is done in a worker.
"""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path
from typing import Literal

import msgspec

from kernelgate import cuda_source, nvrtc
from kernelgate.atomic_write import write_whole
from kernelgate.backend.target import Target
from kernelgate.emulator.build.own_headers import Searched, own_headers
from kernelgate.json_decode import decoded
from kernelgate.judge.endings.run_ended import RunEnded
from kernelgate.judge.run_context import RunContext
from kernelgate.messages.device_compile import DeviceCompile, KernelBuild
from kernelgate.messages.worker import Compile, Compiled
from kernelgate.nvrtc.library import candidates
from kernelgate.processes.worker_handle import WorkerFailed, WorkerTimeout
from kernelgate.profiling.occupancy import occupancy
from kernelgate.report import cut, one_line
from kernelgate.report.bounded import clean
from kernelgate.report.build_words import worst_first
from kernelgate.report.line_facts import InstructionCount, LineBuild
from kernelgate.report.measured import ArchBuild, BuildFacts, DeviceCode, Listing


def remembered(request: Compile) -> tuple[Path | None, Compiled | None]:
    """Where the answer to a request is kept, and the answer if it is there. A worker writes no cache. None if the
    source may include what its text does not name."""
    headers = own_headers([request.cuda], Searched(()))
    if not headers.complete:
        return None, None
    own = [
        path.read_bytes()
        for package in (nvrtc, cuda_source)
        for path in sorted(Path(str(package.__file__)).parent.rglob("*.*"))
        if path.suffix in (".py", ".h", ".cuh")
    ]
    libraries = [str(path) for path in candidates()]
    parts = [request.cuda, request.archs, request.flags, request.listing, request.lines, libraries, headers.digests]
    key = hashlib.sha256(msgspec.json.encode(parts) + b"".join(own)).hexdigest()
    path = Path(request.cache) / "nvrtc" / f"{key[:32]}.json"
    with contextlib.suppress(OSError, msgspec.DecodeError):
        return path, decoded(path.read_bytes(), Compiled)
    return path, None


def remember(path: Path | None, answer: Compiled) -> None:
    """Keeps what was compiled; a cache that cannot be written only costs time."""
    if path is not None and any(result.state == "compiled" for result in answer.results):
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, msgspec.json.encode(answer))


_ARCHS = ("sm_80", "sm_90")
_MOST_SOURCES = 4
_MOST_LINES = 48
_NAME = 300


def _archs_of(run: RunContext) -> tuple[str, ...]:
    return (run.job.arch,) if run.target.emulated and run.job.arch is not None else _ARCHS


def device_compile(run: RunContext, not_emulated: RunEnded | None = None) -> DeviceCode | None:
    """None if nothing was compiled for a device. Raises RunEnded if no GPU's compiler takes what emulation has
    built. `not_emulated`: it has refused to, and the program is at fault if NVIDIA's compiler does not take it either.
    """
    sources = list(run.worker.device_sources.items())[:_MOST_SOURCES]
    if not sources:
        return None
    found, archs = DeviceCode(), _archs_of(run)
    run.live.show(device_code=found)
    run.live.doing(f"Compiling its kernels for {' and '.join(archs)}")
    refused: tuple[str, DeviceCompile] | None = None
    for source, flags in sources:
        try:
            answer = _ask(run, source, flags)
        except _NoAnswer as exc:
            _add(found, [DeviceCompile(arch, "not looked at", str(exc)) for arch in archs], run.target)
            continue
        found.compiler = one_line(f"NVRTC {answer.version}", 120) if answer.version else ""
        by_arch = {result.arch: result for result in answer.results}  # one for each, whatever was answered
        missing = "NVRTC gave no answer"
        results = [by_arch.get(arch, DeviceCompile(arch, "not looked at", missing)) for arch in archs]
        _add(found, results, run.target)
        found.lines = worst_first([*found.lines, *_lines(run, source, results[0])])[:_MOST_LINES]
        # What one architecture alone refuses, a program may leave to the other.
        if results and all(result.refusal is not None for result in results):
            refused = refused or (source, results[0])
    run.live.doing("")
    if run.target.emulated and refused is not None:
        raise _does_not_build(run, *refused, not_emulated)
    return found


class _NoAnswer(Exception):
    """The compiler's process has not answered; its text says why."""


def _ask(run: RunContext, source: str, flags: list[str]) -> Compiled:
    lines = run.job.verb == "profile"
    request = Compile(source, flags, list(_archs_of(run)), run.job.cache, run.job.listing, lines)
    path, known = remembered(request)
    if known is not None:
        return known
    worker = run.workers.start()
    try:
        limit_s = run.job.limits.device_compile_s
        reply, _ = worker.ask(request, (), limit_s, limit_s, run.workers.clock.deadline)
    except WorkerTimeout as exc:
        raise _NoAnswer(f"NVRTC was ended after {exc.limit_s:g} s") from exc
    except WorkerFailed as exc:
        raise _NoAnswer("NVRTC failed") from exc
    finally:
        worker.close()
    if not isinstance(reply.answer, Compiled):
        raise _NoAnswer("NVRTC does not work here")
    remember(path, reply.answer)
    return reply.answer


def _add(found: DeviceCode, results: list[DeviceCompile], target: Target) -> None:
    for result in results:
        build = next((one for one in found.builds if one.arch == result.arch), None)
        why = result.why if result.refusal is None else result.refusal.what
        state = result.state
        if (
            state == "refused" and not target.emulated
        ):  # nvcc has built it: who is wrong here is not the program
            state, why = "not looked at", f"NVRTC takes less of it than nvcc: {why}"
        if build is None:
            build = ArchBuild(arch=one_line(result.arch, 120), state=state)
            found.builds.append(build)
        elif _WORST.index(state) < _WORST.index(build.state):
            build.state = state
        build.why = build.why or one_line(why, 600)
        build.cubin_bytes += result.cubin_bytes
        for kernel in result.kernels:
            if len(found.kernels) < 64:
                found.kernels.append(_facts(result.arch, kernel))
        listed: list[tuple[Literal["PTX", "SASS"], str]] = [("PTX", result.ptx), ("SASS", result.sass)]
        for kind, text in listed:
            if text and result is results[0] and len(found.listings) < 8:
                shown, arch = cut(clean(text), 20000), one_line(result.arch, 120)
                found.listings.append(Listing(arch=arch, kind=kind, text=shown, lines=text.count("\n") + 1))
        if result.state == "compiled":
            names = [one_line(name, 120) for name in result.left_out if name not in found.left_out]
            found.left_out = (found.left_out + names)[:32]
            found.more = max(found.more, result.more)


def _lines(run: RunContext, source: str, result: DeviceCompile) -> list[LineBuild]:
    """Each line at its place in the person's program; of a program's headers nothing is known."""
    found = []
    for one in result.lines:
        where = run.candidate.cuda_place("cuda.cu", source, one.line)
        marked = next((row.text for row in where.excerpt if row.line == where.line), "")
        counts = sorted(one.counts.items(), key=lambda item: (-item[1], item[0]))
        found.append(
            LineBuild(
                kernel=one_line(one.kernel, 120),
                line=where.line,
                text=marked.strip()[:400],
                counts=[InstructionCount(kind=one_line(kind, 120), count=count) for kind, count in counts],
            )
        )
    return found


_WORST = ("refused", "unsupported", "not looked at", "compiled")


def _facts(arch: str, kernel: KernelBuild) -> BuildFacts:
    # Where the launch computes a block's shared memory, the number of blocks that fit is not known.
    known = kernel.threads is not None and kernel.dynamic_bytes is not None
    shared = kernel.static_shared_bytes + (kernel.dynamic_bytes or 0)
    fits = occupancy(arch, kernel.threads or 0, kernel.registers, shared) if known else None
    return BuildFacts(
        name=one_line(kernel.name, _NAME),
        arch=one_line(arch, 120),
        registers=kernel.registers,
        static_shared_bytes=kernel.static_shared_bytes,
        dynamic_shared_bytes=kernel.dynamic_bytes,
        spill_bytes=kernel.spill_store_bytes + kernel.spill_load_bytes,
        stack_bytes=kernel.stack_bytes,
        constant_bytes=kernel.constant_bytes,
        threads=kernel.threads,
        occupancy=fits.share if fits is not None else None,
        occupancy_limit=fits.limit if fits is not None else "",
    )


def _does_not_build(
    run: RunContext, source: str, result: DeviceCompile, not_emulated: RunEnded | None
) -> RunEnded:
    assert result.refusal is not None
    refusal = result.refusal
    emulation = "It runs in emulation because g++ takes it; NVRTC does not"
    where = run.candidate.place(None)
    if not_emulated is not None:
        emulation = "Emulation does not cover it, and NVRTC does not compile it"
        if not_emulated.failure is not None and not_emulated.failure.where is not None:
            where = not_emulated.failure.where
    if refusal.line:
        where = run.candidate.cuda_place("cuda.cu", source, refusal.line)
    sentence, what = f"Does not compile for a GPU: {refusal.what}", f"{emulation}, for {' or '.join(_archs_of(run))}"
    return RunEnded.saying("build", sentence, what, refusal.next_step, "build", where)
