"""A built sample in a process of its own, with emulation. In: its library and its folder. Out: how it ended."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import signal
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Ended:
    """`status`: as of a process, negative for a signal; `fault`: in a kernel, "" for none; `error`: raised in Python;
    `seconds` since the call."""

    status: int
    seconds: float
    output: str
    fault: str
    error: str


def ended(library: Path, folder: Path, cache: Path, limit_s: int) -> Ended:
    """Calls `run_sample` of the library in `folder`, with what it prints kept, for at most `limit_s`."""
    from support import in_worker

    with tempfile.NamedTemporaryFile() as kept, tempfile.NamedTemporaryFile() as began:

        def body(emulation: Any) -> None:
            for stream in (1, 2):
                os.dup2(kept.fileno(), stream)
            os.chdir(folder)
            with emulation.active():
                run = loaded(library).run_sample
                os.utime(began.name)
                signal.alarm(limit_s)
                run()

        found = in_worker(cache, body)
        output = Path(kept.name).read_text(encoding="utf-8", errors="replace")
        seconds = time.time() - Path(began.name).stat().st_mtime
    fault = found.fault.text if found.fault is not None else ""
    return Ended(found.status, round(seconds, 1), output, fault, found.error or "")


def loaded(library: Path) -> Any:
    """The module in a file of any name."""
    loader = importlib.machinery.ExtensionFileLoader("sample", str(library))
    spec = importlib.util.spec_from_loader("sample", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module
