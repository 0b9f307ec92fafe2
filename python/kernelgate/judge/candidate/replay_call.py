"""Starts a replay of a candidate's forward call, for a tool that starts its target itself.

In: a job. Out: the command (`worker.replay`), its environment, and a folder to put the tool's own files in, which a
confined replay cannot write to.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from kernelgate.check.problem import constants
from kernelgate.judge.reference.reference import Reference
from kernelgate.messages.job import Job
from kernelgate.safe_path import command, elsewhere, environment, running


@dataclass(frozen=True)
class Replay:
    command: tuple[str, ...]
    environment: dict[str, str]
    folder: Path
    """The tool's own; everything in it goes when the replay is over."""


@contextlib.contextmanager
def replay_of(job: Job, sizes: Mapping[str, int], index: int, seed: int) -> Iterator[Replay]:
    """A replay of a job on CUDA device `index`, at the sizes `exact_sizes` gives."""
    replayed = msgspec.structs.replace(
        job, device=f"cuda:{index}", seed=seed, shape=None, sizes=dict(sizes), trace=""
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "job.json"
        file.write_bytes(msgspec.json.encode(replayed))
        inside = folder / "inside"
        inside.mkdir()
        # In one process nothing can be sent by CUDA IPC.
        path = os.pathsep.join(elsewhere(sys.path))
        # The tool may still write to TMPDIR once the process is confined.
        variables = {**environment(), "PYTHONPATH": path, "KERNELGATE_IPC": "off", "TMPDIR": str(inside)}
        yield Replay(command(running("kernelgate.worker.replay"), str(file), str(inside)), variables, folder)


def exact_sizes(job: Job, reference: Reference) -> dict[str, int]:
    """Every size of the reference by name: with less memory free than before, a replay would be scaled down."""
    return {**constants(job.reference_text, "problem.py"), **reference.sizes}
