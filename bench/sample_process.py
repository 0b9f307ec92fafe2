"""A built sample in a process of its own, with emulation. In: its library and its folder. Out: how it ended."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import resource
import signal
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LONGEST = 6  # times the limit that a program may take by the clock on the wall


@dataclass(frozen=True)
class Ended:
    """`status`: as of a process, negative for a signal; `late`: it was ended at its limit; `seconds` of a processor;
    `fault`: in a kernel, "" for none; `error`: raised in Python."""

    status: int
    late: bool
    seconds: float
    output: str
    fault: str
    error: str


def ended(library: Path, folder: Path, cache: Path, limit_s: int) -> Ended:
    """Calls `run_sample` of the library in `folder`, with what it prints kept, for `limit_s` of a processor at most."""
    from support import in_worker

    before = seconds_of_children()
    with tempfile.NamedTemporaryFile() as kept:

        def body(emulation: Any) -> None:
            for stream in (1, 2):
                os.dup2(kept.fileno(), stream)
            os.chdir(folder)
            with emulation.active():
                run = loaded(library).run_sample
                signal.setitimer(signal.ITIMER_PROF, limit_s)
                signal.alarm(LONGEST * limit_s)  # where it waits for what never comes
                run()

        found = in_worker(cache, body)
        output = Path(kept.name).read_text(encoding="utf-8", errors="replace")
    seconds = round(seconds_of_children() - before, 1)
    late = found.status in (-signal.SIGPROF, -signal.SIGALRM)
    fault = found.fault.text if found.fault is not None else ""
    return Ended(found.status, late, seconds, output, fault, found.error or "")


def seconds_of_children() -> float:
    """Of a processor, by the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def loaded(library: Path) -> Any:
    """The module in a file of any name."""
    loader = importlib.machinery.ExtensionFileLoader("sample", str(library))
    spec = importlib.util.spec_from_loader("sample", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module
