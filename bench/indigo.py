"""Indigo's kernels with and without planted bugs, examined in emulation: python bench/indigo.py CHECKOUT OUT
[--jobs N] [--every N].

CHECKOUT is a clone of github.com/burtscher/IndigoSuite; its text stays if it is. Its own generator makes the CUDA
programs of its configuration (data of type int), each with the bugs that its name says. Of each the kernel is cut out
and called on three small graphs. OUT/indigo.json holds recall and false alarms of the race and bounds checks, and which
programs are missed, accused or not taken. `--every N` takes each N-th program.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "python"), str(HERE.parent / "python" / "tests" / "emulator")]

from environment import environment, machine  # noqa: E402

THREADS, LAUNCH_LIMIT_S, BATCH = 64, 10.0, 24
RACES = ("atomicBug", "guardBug", "raceBug", "syncBug")
BOUNDS = ("boundsBug",)
KINDS = {
    "races": ("race", "barrier", "uninitialised", "guard"),
    "bounds": ("out_of_bounds", "null"),
}
Graph = tuple[list[int], list[int]]
"""Where the neighbours of each vertex begin, and the neighbours."""


@dataclass(frozen=True)
class Program:
    name: str
    kernel: str

    @property
    def bugs(self) -> dict[str, bool]:
        return {
            "races": any(bug in self.name for bug in RACES),
            "bounds": any(bug in self.name for bug in BOUNDS),
        }


@dataclass(frozen=True)
class Outcome:
    """`kinds` of faults that were found for certain, `remarks` of those that decide nothing; `error`: why it was not
    taken."""

    name: str
    kinds: tuple[str, ...]
    remarks: tuple[str, ...] = ()
    error: str = ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--every", type=int, default=1)
    args = parser.parse_args()
    programs = generated(args.checkout)[:: args.every]
    batches = [programs[at : at + BATCH] for at in range(0, len(programs), BATCH)]
    with tempfile.TemporaryDirectory() as cache, ProcessPoolExecutor(args.jobs) as pool:
        folders = [Path(cache)] * len(batches)
        outcomes = [one for found in pool.map(examined, batches, folders) for one in found]
    result = {"environment": {**environment(None), **machine()}, "commit_of_indigo": commit_of(args.checkout)}
    result |= {"every": args.every, "graphs": [f"{len(g[0]) - 1} vertices, {len(g[1])} edges" for g in graphs()]}
    result |= judged(programs, outcomes)
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / "indigo.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps({key: result[key] for key in ("programs", "taken", "races", "bounds")}, indent=1))
    return 0


def commit_of(checkout: Path) -> str:
    shown = ["git", "-C", str(checkout), "rev-parse", "HEAD"]
    return subprocess.run(shown, capture_output=True, text=True, check=False).stdout.strip()


def generated(checkout: Path) -> list[Program]:
    """The programs that Indigo's generator makes."""
    here = (checkout / "Generators").resolve()
    with tempfile.TemporaryDirectory() as out:
        for source in sorted((here / "CUDA_sources").glob("*.idg")):
            command = [sys.executable, "generate_CUDA_codes.py", str(source), str(here.parent / "copyright.txt"), out]
            subprocess.run(command, cwd=here, check=True, capture_output=True)
        return [Program(file.stem, kernel_of(file.read_text())) for file in sorted(Path(out).rglob("*.cu"))]


def kernel_of(text: str) -> str:
    """What stands before the serial code, without Indigo's own header."""
    device = text.partition("void serial_code")[0]
    return re.sub(r"^#include[^\n]*|/\*.*?\*/", "", device, flags=re.MULTILINE | re.DOTALL)


def source_of(programs: Sequence[Program]) -> tuple[str, str]:
    """An extension with a function for each program, `p0` and so on."""
    parameters = "torch::Tensor i, torch::Tensor l, torch::Tensor a, torch::Tensor b, int64_t blocks"
    cpp, cuda = [], ["#include <torch/extension.h>"]
    for k, program in enumerate(programs):
        pointers = ", ".join(f"{name}.data_ptr<int>()" for name in "ilab")
        call = f"test_kernel<<<blocks, {THREADS}>>>({pointers}, i.numel() - 1);"
        cuda.append(f"namespace of_{k} {{\n{program.kernel}\nvoid run({parameters}) {{ {call} }}\n}}")
        cuda.append(f"void p{k}({parameters}) {{ of_{k}::run(i, l, a, b, blocks); }}")
        cpp.append(f"void p{k}({parameters});")
    return "\n".join(cpp), "\n".join(cuda)


def graphs() -> list[Graph]:
    """The first and the last vertex of each have no neighbour; one vertex has more than a block has threads."""
    degrees = [
        [0, *(1 + 3 * v % 5 for v in range(20)), 0],
        [0, *[2] * 40, 0],
        [0, 80, *(v % 4 for v in range(22)), 0, 0],
    ]
    made = []
    for degree in degrees:
        begins = [sum(degree[:v]) for v in range(len(degree) + 1)]
        ends = [(7 * v + 5 * k + 3) % len(degree) for v, count in enumerate(degree) for k in range(count)]
        made.append((begins, ends))
    return made


def examined(programs: Sequence[Program], cache: Path) -> list[Outcome]:
    """Each program in a process of its own, of one build; one at a time where the build of all fails."""
    from support import in_worker, load_inline

    from kernelgate.judge.endings.findings import certain, faults

    cpp, cuda = source_of(programs)
    names = [f"p{k}" for k in range(len(programs))]

    def body(k: int) -> Any:
        def run(emulation: Any) -> None:
            with emulation.active(), emulation.guarded():
                call = getattr(load_inline("indigo", cpp, cuda, functions=names), f"p{k}")
                for graph in graphs():
                    called(call, graph, programs[k].name)

        return run

    outcomes: list[Outcome] = []
    for k, program in enumerate(programs):
        if outcomes and outcomes[0].error.startswith("CompileFailed"):
            break
        found = in_worker(cache, body(k), examine=True, launch_limit_s=LAUNCH_LIMIT_S)
        named = faults([line.decode() for line in found.findings]) if found.findings else []
        kinds = {fault.kind for fault in named if certain(fault, unwritten_matters=True)}
        remarks = {fault.kind for fault in named} - kinds
        broken = (found.error or "") if not named and found.fault is None else ""
        kinds |= {found.fault.kind} if found.fault is not None and not named else set()
        said = [tuple(sorted(each)) for each in (kinds, remarks)]
        outcomes.append(Outcome(program.name, *said, broken.partition("\n")[0][:200]))
    if len(programs) > 1 and any(one.error.startswith("CompileFailed") for one in outcomes):
        return [one for program in programs for one in examined([program], cache)]
    return outcomes


def called(call: Any, graph: Graph, name: str) -> None:
    """One call, with Indigo's own way of filling the data. A launch that a finding ended raises."""
    import torch

    begins, neighbours = graph
    vertices, edges = len(begins) - 1, len(neighbours)
    count = max(vertices, edges)
    torch.manual_seed(1)
    a, b = (torch.randint(0, high, (count,), dtype=torch.int32) for high in (vertices, edges))
    a[0] = b[0] = 0
    given = [torch.tensor(part, dtype=torch.int32).cuda() for part in (begins, neighbours)]
    blocks = 3 if "persistent" in name else vertices
    try:
        call(*given, a.cuda(), b.cuda(), blocks)
        torch.cuda.synchronize()
    except RuntimeError as error:
        if "memory check ended" not in str(error):
            raise


def judged(programs: Sequence[Program], outcomes: Sequence[Outcome]) -> dict[str, Any]:
    by_name = {program.name: program for program in programs}
    taken = [one for one in outcomes if not one.error]
    result: dict[str, Any] = {"programs": len(programs), "taken": len(taken)}
    result["without_bugs"] = sum(not any(by_name[one.name].bugs.values()) for one in taken)
    for check, kinds in KINDS.items():
        buggy = [one for one in taken if by_name[one.name].bugs[check]]
        right = [one for one in taken if not by_name[one.name].bugs[check]]
        unnamed = [one for one in buggy if not set(kinds) & set(one.kinds)]
        missed = [one for one in unnamed if not set(kinds) & set(one.remarks)]
        accused = [one for one in right if set(kinds) & set(one.kinds)]
        result[check] = {
            "with_such_a_bug": len(buggy),
            "named": len(buggy) - len(unnamed),
            "remarked": len(unnamed) - len(missed),
            "without_one": len(right),
            "accused": len(accused),
            "remarked_without_one": sum(bool(set(kinds) & set(one.remarks)) for one in right),
            "missed": [asdict(one) for one in missed],
            "false_alarms": [asdict(one) for one in accused],
        }
    result["not_taken"] = dict(Counter(one.error for one in outcomes if one.error))
    return result


if __name__ == "__main__":
    sys.exit(main())
