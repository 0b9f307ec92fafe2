"""Runs a function in a process that may write to one folder and nothing else: for compilers, which run whatever a
program's flags name.

In: the folder, and what to do there. Out: its result as plain data, of the type that the caller names. That result is
not trusted: a program that runs in the process may have written it.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from kernelgate.json_decode import decoded
from kernelgate.messages.build_requests import COMPILER_ENDED, NotBuilt, as_exception, as_failure
from kernelgate.sandbox.confine import close_descriptors, confine_compiler

_PR_SET_PDEATHSIG = 1
_LONGEST = 16 << 20  # bytes of a result


class _Done(msgspec.Struct, tag="done"):
    result: msgspec.Raw


def run_confined(folder: Path, work: Callable[[], Any], kind: Any) -> Any:
    """Runs `work` in `folder` and returns its result, of the type `kind`. Raises what it raises, and RuntimeError where
    its process ends without a result."""
    read, write = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        try:
            _do(folder, work, write)
        finally:
            os._exit(1)
    os.close(write)
    try:
        with os.fdopen(read, "rb") as pipe:
            answer = pipe.read(_LONGEST + 1)
    finally:
        os.kill(pid, signal.SIGKILL)  # it has said everything, or too much
        os.waitpid(pid, 0)
    try:
        done = decoded(answer, _Done | NotBuilt)
        if isinstance(done, _Done):
            return decoded(done.result, kind)
    except msgspec.MsgspecError as exc:
        raise RuntimeError(COMPILER_ENDED) from exc
    raise as_exception(done)


def _do(folder: Path, work: Callable[[], Any], write: int) -> None:
    try:
        _confine(folder, write)
        answer: _Done | NotBuilt = _Done(msgspec.Raw(msgspec.json.encode(work())))
    except Exception as exc:
        answer = as_failure(exc)
    with os.fdopen(write, "wb") as pipe:
        pipe.write(msgspec.json.encode(answer))


def _confine(folder: Path, write: int) -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    close_descriptors({0, 1, 2, write})
    os.chdir(folder)
    temporary = folder / "temporary"
    temporary.mkdir(exist_ok=True)
    tempfile.tempdir = os.environ["TMPDIR"] = str(temporary)
    confine_compiler(folder)
