"""The compiler and the machine: what is there, what to do about what is missing, and how commands run side by side.

Out: a `Compiler`, or why there is none, with the next step; how each command ended, and its output. A builder for
others may run them differently, for instance in a process that can write to one folder only: `Compiling` is the
signature of such a function. Not here: which commands (`extension`).
"""

from __future__ import annotations

import functools
import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from kernelgate.emulator.errors import ToolchainMissing

OLDEST_GXX = 12  # the first with a type for half in C++ and a complete -std=c++20 for what torch's programs use
MACHINES = ("x86_64", "aarch64")
HEADER_FOLDERS = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH")
"""Environment variables that name folders of headers to a compiler."""
_PAGE_BYTES = 4096  # as runtime/memory.h
_NAMES = ("g++", "g++-14", "g++-13", "g++-12")
_INSTALL = (
    "install it (Debian and Ubuntu: sudo apt install g++; Fedora: sudo dnf install gcc-c++; "
    "conda: conda install -c conda-forge gxx) or name one in CXX"
)


@dataclass(frozen=True)
class Compiler:
    command: tuple[str, ...]  # an argument list, CXX may hold more than a name
    version: str
    target: str

    @property
    def identity(self) -> str:
        return f"{' '.join(self.command)} {self.version} {self.target}"


def supported() -> str | None:
    """None when this machine can emulate, otherwise why not, with the next step."""
    try:
        find_compiler()
    except ToolchainMissing as missing:
        return str(missing)
    return None


def find_compiler() -> Compiler:
    """The compiler to use. Raises ToolchainMissing, whose text says what to do."""
    if sys.platform != "linux" or platform.machine() not in MACHINES:
        raise ToolchainMissing(
            f"emulation runs on Linux on x86-64 and aarch64 only, this is {platform.machine()} {platform.system()}: "
            "use such a machine or container, or a GPU"
        )
    if os.sysconf("SC_PAGE_SIZE") != _PAGE_BYTES:
        raise ToolchainMissing(
            f"emulation needs memory in pages of {_PAGE_BYTES} bytes, this kernel has {os.sysconf('SC_PAGE_SIZE')}: "
            "use another kernel, or a GPU"
        )
    if not (python_headers() / "Python.h").is_file():
        raise ToolchainMissing(
            f"Python.h is not in {python_headers()}: install Python's headers (Debian and Ubuntu: "
            f"sudo apt install python{sys.version_info[0]}.{sys.version_info[1]}-dev; "
            "Fedora: sudo dnf install python3-devel)"
        )
    return _find(os.environ.get("CXX", ""), os.environ.get("PATH", ""))


def python_headers() -> Path:
    return Path(sysconfig.get_paths()["include"])


def compiler_environment() -> dict[str, str]:
    """The environment for a compiler: messages in English, no library of the worker's preloaded, and no folder of
    headers that would come before the emulator's own."""
    left_out = ("LD_PRELOAD", "LANGUAGE", *HEADER_FOLDERS)
    environment = {k: v for k, v in os.environ.items() if k not in left_out}
    return environment | {"LC_ALL": "C"}


@functools.lru_cache(maxsize=4)  # per value of CXX and PATH
def _find(named: str, _path: str) -> Compiler:
    candidates = [shlex.split(named)] if named.strip() else [[name] for name in _NAMES]
    too_old: list[str] = []
    for command in candidates:
        if shutil.which(command[0]) is None:
            continue
        version, target = _ask(command, "-dumpfullversion"), _ask(command, "-dumpmachine")
        major = version.split(".")[0]
        if not major.isdigit() or int(major) < OLDEST_GXX or target.partition("-")[0] != platform.machine():
            too_old.append(f"{' '.join(command)} {version} for {target}")
            continue
        return Compiler(tuple(command), version, target)
    if too_old:
        raise ToolchainMissing(
            f"emulation needs g++ {OLDEST_GXX} or newer for {platform.machine()} (C++20, a type for half); "
            f"found {', '.join(too_old)}: {_INSTALL}"
        )
    looked = named.strip() or ", ".join(_NAMES)
    raise ToolchainMissing(f"no C++ compiler found (looked for {looked}): {_INSTALL}")


def _ask(command: list[str], option: str) -> str:
    try:
        answer = subprocess.run(
            [*command, option],
            capture_output=True,
            text=True,
            timeout=20,
            env=compiler_environment(),
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stdout.strip()


Command = Sequence[str]


@dataclass(frozen=True)
class Finished:
    """A command that has ended: its exit status, and what it wrote to either output."""

    status: int
    log: str


Compiling = Callable[[Path, Sequence[Command]], list[Finished]]


def run_commands(folder: Path, commands: Sequence[Command]) -> list[Finished]:
    """All at the same time, in the caller's process group. Raises OSError if one cannot be started."""
    running: list[subprocess.Popen[str]] = []
    try:
        for command in commands:
            running.append(_start(folder, command))
        logs = [process.communicate()[0] for process in running]
    finally:
        for process in running:
            if process.poll() is None:  # the build was interrupted
                process.kill()
                process.wait()
    return [Finished(process.returncode, log) for process, log in zip(running, logs, strict=True)]


def _start(folder: Path, command: Command) -> subprocess.Popen[str]:
    return subprocess.Popen(
        list(command),
        cwd=folder,
        env=compiler_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
