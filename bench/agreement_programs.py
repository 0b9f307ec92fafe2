"""The programs of the fault set in a process of their own, for bench/agreement.py: builds a family, calls each of its
programs on the device, calls one of them, or emulates them.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "python"), str(HERE.parent / "python" / "tests" / "emulator")]

from faultset import ALL, FAMILIES  # noqa: E402
from faultset.case import Case, program  # noqa: E402

DEVICE_LIMIT_S = 20
FLAGS = ["-lineinfo"]
FLAGS_OF = {"hopper": ["-gencode=arch=compute_90a,code=sm_90a"]}  # an H100 or H200


def family_of(case: Case) -> str:
    return next(name for name, cases in FAMILIES.items() if case in cases)


def sources(cases: list[Case], fixed: bool) -> tuple[str, str]:
    cpp, cuda = program(cases, fixed=fixed)
    return cpp, '#line 1 "cuda.cu"\n' + cuda  # PyTorch puts lines in front


def architecture() -> str:
    """The device's, as sm_90. PyTorch would initialise CUDA in this process to find it out, which then cannot fork."""
    asked = ["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"]
    capabilities = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split()
    return f"sm_{capabilities[0].replace('.', '')}"


def extension(cases: list[Case], fixed: bool, cache: Path, arch: str) -> Any:
    from kernelgate.compile.cuda import cached_load_inline
    from kernelgate.compile.cuda_library import build
    from kernelgate.sandbox.confined_process import run_confined

    def compiling(folder: Path, work: Callable[[], None]) -> None:
        run_confined(folder, work, None)

    cpp, cuda = sources(cases, fixed)
    family = family_of(cases[0])
    load = cached_load_inline(cache, arch, lambda _facts: None, lambda what: build(what, cache, compiling))
    names = [case.name for case in cases]
    return load(f"faults_{family}", cpp, cuda, functions=names, extra_cuda_cflags=[*FLAGS, *FLAGS_OF.get(family, [])])


def drawn(case: Case) -> Any:
    import torch

    torch.manual_seed(1)
    return torch.randn(case.n).cuda()


def call(built: Any, case: Case, out: Path) -> None:
    """Calls one program on the device and keeps its result."""
    import torch

    result = getattr(built, case.name)(drawn(case))
    torch.cuda.synchronize()
    torch.save(result.cpu(), out)


def call_each(cases: list[Case], fixed: bool, cache: Path, out: Path) -> None:
    """Each program in a fork of this process, which has imported PyTorch and not touched the device."""
    # PyTorch counts devices where cpp_extension is imported. By CUDA, that alone forbids it to forks; by NVML not.
    os.environ["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1"
    import torch.utils.cpp_extension

    built = extension(cases, fixed, cache, architecture())
    if in_fork(torch.cuda._is_in_bad_fork):
        raise RuntimeError("PyTorch has called CUDA in the process that forks, so that its forks cannot")
    sys.stdout.flush()
    for case in cases:
        child = os.fork()
        if child == 0:
            log = os.open(log_of(out, case, fixed), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(log, 1)
            os.dup2(log, 2)
            try:
                call(built, case, result_of(out, case, fixed))
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        status = ended(child, DEVICE_LIMIT_S)
        status_of(out, case, fixed).write_text("killed" if status is None else str(status), encoding="utf-8")


def in_fork(condition: Callable[[], bool]) -> bool:
    """What it is in a fork of this process."""
    child = os.fork()
    if child == 0:
        os._exit(int(condition()))
    return ended(child, DEVICE_LIMIT_S) != 0


def ended(child: int, limit_s: float) -> int | None:
    """The exit code of a process, or minus its signal; None if it had to be killed."""
    until = time.monotonic() + limit_s
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > until:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return None
        time.sleep(0.05)


def log_of(folder: Path, case: Case, fixed: bool) -> Path:
    return folder / f"{case.name}-{fixed}.log"


def result_of(folder: Path, case: Case, fixed: bool) -> Path:
    return folder / f"{case.name}-{fixed}.pt"


def status_of(folder: Path, case: Case, fixed: bool) -> Path:
    return folder / f"{case.name}-{fixed}.status"


def emulate_each(cases: list[Case], cache: Path, out: Path) -> None:
    """What a memory check says of each program, and the result of its twin."""
    import torch
    from support import in_worker, load_inline

    from kernelgate.judge.endings.findings import faults

    names = [each.name for each in cases]

    def body(case: Case, fixed: bool) -> Any:
        def run(emulation: Any) -> Any:
            cpp, cuda = program(cases, fixed=fixed)
            with emulation.active(), emulation.guarded():
                built = load_inline(f"faults_{family_of(case)}", cpp, cuda, functions=names)
                return getattr(built, case.name)(drawn(case)).clone()

        return run

    for case in cases:
        found = in_worker(cache, body(case, False), examine=True, launch_limit_s=2.0)
        lines = [line.decode() for line in found.findings]
        fault = faults(lines)[0] if lines else found.fault
        marked = case.marked(program(cases)[1])
        said = {
            "kind": fault.kind if fault is not None else None,
            "text": fault.text if fault is not None else found.error,
            "right": fault is not None
            and fault.kind == case.kind
            and {fault.line, fault.other_line} - {None} == set(marked),
        }
        twin = in_worker(cache, body(case, True))
        torch.save(twin.value, out / f"{case.name}.emulated.pt")
        (out / f"{case.name}.emulated.json").write_text(json.dumps(said), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("build", "each", "one", "emulated"))
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", nargs="+", required=True)
    parser.add_argument("--case", default="")
    parser.add_argument("--fixed", action="store_true")
    parser.add_argument("--cache", type=Path, required=True)
    args = parser.parse_args()
    cases = [case for case in ALL if case.name in args.only]
    if args.what == "build":
        extension(cases, args.fixed, args.cache, architecture())
    elif args.what == "each":
        call_each(cases, args.fixed, args.cache, args.out)
    elif args.what == "one":
        built = extension(cases, args.fixed, args.cache, architecture())
        call(built, next(case for case in cases if case.name == args.case), args.out)
    else:
        emulate_each(cases, args.out / f"emulated-{family_of(cases[0])}", args.out)


if __name__ == "__main__":
    main()
