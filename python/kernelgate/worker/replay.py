"""A candidate's forward call in a process of its own, for tools that start their target themselves: ncu,
compute-sanitizer.

    python -m kernelgate.worker.replay JOB FOLDER

In: a job as JSON, in a file. The process is confined as a worker is, extensions come from the cache alone. The last
call lies between cudaProfilerStart and Stop. What it prints or returns is not trusted.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import torch

from kernelgate.check.sizes.numbers import with_sizes
from kernelgate.json_decode import decoded
from kernelgate.judge.reference.packed_arguments import packed_construction
from kernelgate.judge.reference.reference import Reference
from kernelgate.messages.job import Job
from kernelgate.messages.worker import Building, Load
from kernelgate.program import Source, read
from kernelgate.program.folder import open_to_program
from kernelgate.sandbox.confine import confine, private_folder
from kernelgate.worker.build_client import Builds
from kernelgate.worker.worker import Worker

_CALLS = 3


def main(job_file: str, folder: str) -> int:
    job = decoded(Path(job_file).read_bytes(), Job)
    open_to_program(job.folder)
    index = int(job.device.partition(":")[2] or 0)
    device = torch.device("cuda", index)
    torch.cuda.set_device(device)
    assert job.seed is not None
    reference = Reference.of(job, device, job.seed)
    inputs = reference.drawn_inputs(job.seed)
    candidate = read(Source.of(job), job.operator, job.reference_text)
    python = with_sizes(candidate.python, job.reference_text, reference.sizes)
    private_folder(Path(folder))
    confine(Path(folder))

    worker = Worker(os.open(os.devnull, os.O_WRONLY), _unheard, Builds(None, _unheard))
    worker.answer(Load(python, "cuda", index, job.cache, job.arch), [])
    construct, descriptors = packed_construction(reference)
    worker.answer(construct, descriptors)
    module = worker.module
    if module is None:
        return 1
    with torch.no_grad():
        for _ in range(_CALLS - 1):
            module(*inputs)
        torch.cuda.synchronize()
        with _profiled():
            module(*inputs)
            torch.cuda.synchronize()
    return 0


@contextlib.contextmanager
def _profiled() -> Iterator[None]:
    cudart = torch.cuda.cudart()
    cudart.cudaProfilerStart()
    try:
        yield
    finally:
        cudart.cudaProfilerStop()


def _unheard(_building: Building) -> None:
    """Everything has been built before."""


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
