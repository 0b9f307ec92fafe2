"""The ways a run ends before its verdict, each with its sentence, its place and one next step.

In: what the worker did, or what the machine lacks. Out: `RunEnded`.
Not here: that there is no device (`judge.choose_target`), build errors (`repair.diagnostics`), wrong results
(`judge.verdict`).
"""

from __future__ import annotations

import re
import signal
import traceback
from collections.abc import Collection, Sequence

from kernelgate import program, torch_errors
from kernelgate.emulator import Fault
from kernelgate.judge.endings import findings
from kernelgate.judge.endings.findings import Sources
from kernelgate.judge.endings.run_ended import CandidateRaised, NotJudged, OutOfMemory, RunEnded
from kernelgate.judge.run.run_clock import RunClock
from kernelgate.messages.failures import Raised
from kernelgate.messages.fork_server import OWN_FAILURE
from kernelgate.messages.worker import Refused
from kernelgate.processes.worker_handle import WorkerEnded, WorkerFailed, WorkerMemory, WorkerProcesses
from kernelgate.program import Candidate, ProgramError, Source
from kernelgate.repair import kernel_fixes
from kernelgate.repair.exceptions import with_fix
from kernelgate.repair.missing import what_is_missing
from kernelgate.report import Failure, Place, StageName, cut, one_line
from kernelgate.report.closing import SAFE
from kernelgate.report.wording import KILLED, lower_first
from kernelgate.report.wrong_results import Wrong


def leaves_a_tensor(end: RunEnded) -> bool:
    """Whether what ended the run is an access outside of a tensor."""
    return findings.strays(end.cause) or (isinstance(end.cause, Wrong) and end.cause.kind == "outside")


def unreadable(exc: ProgramError, source: Source) -> RunEnded:
    """The text holds no program."""
    return RunEnded("read", exc.sentence, program.unreadable(source, exc))


def worker_failed(
    candidate: Candidate, exc: WorkerFailed, stage: StageName, doing: str, sources: Sources, limit_s: float
) -> RunEnded:
    """What a worker did instead of answering. A time-out is `timed_out`."""
    if isinstance(exc, WorkerEnded):
        return _worker_ended(candidate, exc, stage, doing, sources, limit_s)
    if isinstance(exc, WorkerMemory):
        sentence = f"Took too much memory while {doing}"
        what = f"{exc.used_bytes / 1e9:.1f} GB of host memory, of {exc.limit_bytes / 1e9:.1f} GB allowed"
        step = "Look for an allocation that grows without end"
    elif isinstance(exc, WorkerProcesses):
        sentence, what = f"Started too many processes while {doing}", f"More than {exc.limit} processes"
        step = "Look for a process that starts others without end"
    else:
        sentence = f"Broke its own worker while {doing}"
        what = f"The process that ran it gave no proper answer: {exc}"
        step = "Remove what touches other descriptors or processes than the program's own"
    return RunEnded.saying("fault", sentence, f"{what}. {SAFE}", step, stage, candidate.place(None))


def _worker_ended(
    candidate: Candidate, exc: WorkerEnded, stage: StageName, doing: str, sources: Sources, limit_s: float
) -> RunEnded:
    """The worker's process is gone: a fault of the device, a signal, or an exit."""
    next_step = "Look for memory that is not the kernel's own"
    if exc.fault.strip():
        lines = exc.fault.decode(errors="replace").splitlines()
        first = findings.faults(lines[-1:])[0]
        if first.kind == "endless":
            return _endless(candidate, first, stage, sources, f"Timed out after {limit_s:g} s while {doing}")
        if first.kind == "grid":
            return _too_large(candidate, first, stage, sources)
        return device_fault(candidate, lines[-1:], stage, sources)
    status = exc.status
    if status is not None and status < 0:
        name = signal.Signals(-status).name if -status in signal.valid_signals() else f"signal {-status}"
        words = {
            "SIGSEGV": "a segmentation fault: native code touched memory that is not its own",
            "SIGABRT": "an abort in native code",
            "SIGKILL": KILLED,
            "SIGFPE": "an arithmetic fault in native code",
        }.get(name, name)
        sentence = f"Crashed while {doing}: {words}"
        if name == "SIGABRT":
            next_step = "Look for abort(), a false assert, an exception that nothing catches, or memory freed twice"
    else:
        sentence = f"Ended its process while {doing}" + (
            f" (exit status {status})" if status is not None else ""
        )
        next_step = "Remove the call that exits: os._exit, or exit() in native code"
        if status == OWN_FAILURE:  # our code fails there if a program has changed what it calls
            next_step += "; or what changes Python's own functions, such as len"
    what, place = f"The process that ran it is gone. {SAFE}", candidate.place(None)
    end = RunEnded.saying("fault", sentence, what, next_step, stage, place)
    if status is not None and status < 0 and end.failure is not None:
        end.cause = findings.ended_by("crash", sentence, end.failure)
    return end


def device_fault(candidate: Candidate, lines: Sequence[str], stage: StageName, sources: Sources) -> RunEnded:
    """The device reports a fault: the worker died of it, or it ended a launch."""
    first = findings.faults(lines)[0]
    failure = findings.failure(candidate, first, sources, stage, "\n".join(lines))
    failure.what = one_line(f"{failure.what}. {SAFE}", 600)
    if first.kind == "launch" and first.limit in ("dynamic shared memory", "static shared memory"):
        with_fix(failure, kernel_fixes.allowed_memory(candidate))
    found = findings.finding(candidate, first, sources, "problem", decides=True)
    return RunEnded("fault", found.sentence, failure, found)


def _endless(
    candidate: Candidate, first: Fault, stage: StageName, sources: Sources, sentence: str
) -> RunEnded:
    failure = findings.failure(candidate, first, sources, stage)
    where = failure.where.line if failure.where is not None else None
    line = f" in line {where}" if where is not None else ""
    failure.what = one_line(f"{failure.what} is still running{line}. {SAFE}", 600)
    return RunEnded("timeout", sentence, failure)


def _too_large(candidate: Candidate, first: Fault, stage: StageName, sources: Sources) -> RunEnded:
    """A launch that a GPU may well run, and that would take emulation longer than a call may take."""
    failure = findings.failure(candidate, first, sources, stage)
    words = first.what or "a launch is larger than emulation can run in time"
    failure.what = one_line(f"{words[0].upper()}{words[1:]}; the program has not been judged", 600)
    failure.next_step = "Run it on a kernel with a GPU, or give emulation a smaller --shape"
    return RunEnded("refused", "Not run: emulation cannot run so many blocks", failure)


def run_timed_out(clock: RunClock, stage: StageName, doing: str) -> RunEnded:
    """The run took too long: the program is named only if it is what took the time."""
    spent = clock.words()
    if clock.by_the_program:
        end = timed_out(clock.limit_s, stage, doing)
        assert end.failure is not None
        end.failure.what = one_line(f"{spent}. {end.failure.what}", 600)
        if clock.compiling_s > clock.program_s:
            end.failure.next_step = "Give the run more time with --timeout: compiling took most of it"
        return NotJudged("timeout", end.sentence, end.failure)
    sentence = f"Timed out after {clock.limit_s:g} s, most of which PyTorch's reference and the comparison took"
    step = "Give the run more time with --timeout, or a smaller problem"
    return NotJudged.saying("timeout", sentence, f"{spent}. The program has not been found wrong", step, stage)


def timed_out(limit_s: float, stage: StageName, doing: str) -> RunEnded:
    """A call took too long."""
    sentence = f"Timed out after {limit_s:g} s while {doing}"
    step = "Look for a loop that does not end, or give the run more time with --timeout"
    return RunEnded.saying("timeout", sentence, f"The process that ran it was ended. {SAFE}", step, stage)


def refused(candidate: Candidate, answer: Refused) -> RunEnded:
    where = candidate.place(answer.python_line)
    if answer.unit is not None and answer.line is not None:
        where = candidate.cuda_place(answer.unit, answer.unit_text or None, answer.line)
    return _not_emulated(one_line(answer.what, 500), where)


_OF_AMD = re.compile(r"hip/hip_runtime\.h|\bhipLaunchKernelGGL\b|[\"']hipcc[\"']")
_OF_BOTH = re.compile(r"cuda_runtime|__CUDACC__|USE_ROCM|__HIP")


def refuse_amd(candidate: Candidate) -> None:
    """Raises RunEnded for a program in HIP, which is for AMD's GPUs, and not for NVIDIA's as well."""
    found = _OF_AMD.search(candidate.python)
    if found is None or _OF_BOTH.search(candidate.python):
        return
    place = candidate.place(candidate.python.count("\n", 0, found.start()) + 1)
    what = f"It uses HIP ({found[0].strip(chr(34) + chr(39))}); KernelGate builds CUDA C++ for NVIDIA GPUs"
    step = "Write its kernels in CUDA C++; most of HIP has the same names with cuda for hip"
    raise RunEnded.saying("refused", "Not run: the program is for AMD GPUs", what, step, "build", place)


def without_a_cpu_form(raised: Raised, where: Place) -> RunEnded | None:
    """In emulation: the candidate called what PyTorch has for GPUs only. None for any other exception."""
    if raised.type == "AcceleratorError":  # PyTorch itself has called CUDA, which no program could make work here
        return _not_emulated("a call of CUDA that PyTorch makes in this line", where)
    operator = torch_errors.without_cpu(raised.message)
    if raised.type != "NotImplementedError" or operator is None:
        return None
    return _not_emulated(f"PyTorch's operator {operator}, which has no form for the CPU", where)


def _not_emulated(uses: str, where: Place) -> RunEnded:
    sentence, step = f"Not run: emulation does not cover {uses}", "Run it on a kernel with a GPU"
    what = f"Emulation runs CUDA C++ and Triton on the CPU, without {uses}; the program has not been judged"
    return RunEnded.saying("refused", sentence, what, step, "build", where)


def missing(words: str, stage: StageName | None) -> Failure:
    """What the machine lacks. `words`: what is missing, a colon, and the next step."""
    what, _, next_step = one_line(words, 600).partition(": ")
    usual = "Install it where the kernel runs; kernelgate doctor says more"
    return Failure(stage=stage, what=what, next_step=next_step or usual)


def gpu_failed(message: str) -> RunEnded | None:
    """The GPU or its driver failed, by PyTorch's message: nobody's fault. None for any other error."""
    if not torch_errors.device_failed(message):
        return None
    what = one_line(message.split("\n")[0], 300)
    return NotJudged.here(
        f"the GPU failed: {torch_errors.cuda_error(what)}",
        f"{what}. No kernel causes this: the GPU or its driver failed",
        "Run it again; if it fails again, look for lines with “Xid” in dmesg, and restart the machine",
    )


def raised(
    raised: Raised, failure: Failure, stage: StageName, doing: str, built: Collection[str] = ()
) -> RunEnded:
    """The candidate raised an exception. `built`: the names of its extensions."""
    first = one_line(raised.message, 200)
    says = f": {first}" if first else ""
    error = raised.message.split("\n")[0]  # PyTorch's advice follows, which names other errors
    # Where no memory at all is left, the driver fails before the allocator does, with its own message.
    if raised.type == "OutOfMemoryError" or torch_errors.is_no_memory(torch_errors.cuda_error(error)):
        return OutOfMemory("fault", f"Out of device memory while {doing}", failure, raised.message)
    # The allocator asks NVML who holds the memory, for its message, and a confined process cannot start NVML.
    if torch_errors.is_nvml_missing(error):
        failure.what = one_line(f"PyTorch's allocator found no device memory left while {doing}", 600)
        return OutOfMemory("fault", f"Out of device memory while {doing}", failure)
    if (end := gpu_failed(error)) is not None:
        return end
    if what := what_is_missing(raised, built):
        return NotJudged("environment", f"Not run: {what}", failure)
    if (kind := torch_errors.device_fault(raised.message)) is not None:
        failure.what = one_line(f"{failure.what}. {SAFE}", 600)
        fault = findings.ended_by(kind, findings.BY_THE_DRIVER[kind], failure)
        return RunEnded("fault", fault.sentence, failure, fault)
    if stage == "build":
        sentence = f"Does not run: {one_line(lower_first(failure.what), 400)}"
        return CandidateRaised("build", sentence, failure)
    end = CandidateRaised("wrong", f"Raises {raised.type} while {doing}{says}", failure)
    end.by_driver = bool(torch_errors.cuda_error(error))
    return end


def internal(exc: Exception) -> RunEnded:
    """The GPU failed under the judge, or KernelGate made a mistake: said plainly, with what a bug report needs."""
    if (end := gpu_failed(str(exc))) is not None:
        return end
    return own_failure(f"{type(exc).__name__}: {exc}", "".join(traceback.format_exception(exc)))


def own_failure(what: str, log: str) -> RunEnded:
    """The same for a mistake in another of our processes."""
    step = "Report it with the log below; the candidate has not been judged"
    end = NotJudged.saying("internal", "Not judged: KernelGate made a mistake", what, step)
    assert end.failure is not None
    end.failure.log, end.failure.log_lines = cut(log, 20000), log.count("\n")
    return end
