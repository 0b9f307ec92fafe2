"""What the fork server imports ahead, for all that are forked from it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import kernelgate

IMPORTS = """
import os, socket
from kernelgate.messages.channel import Channel
from kernelgate.processes.fork_server import ForkServer, Roles
ours, theirs = socket.socketpair()
process = ForkServer(Channel(ours), Roles("", "", "", ""))
process._to_import = iter(["torch._inductor.config"])
process._import_more()
import torch._inductor.config
os.environ.pop("TORCHINDUCTOR_COMPILE_THREADS", None)
print(torch._inductor.config.compile_threads)
"""
# As PyTorch does, where it may not ask CUDA itself.
ASKS_NVML = """
import ctypes
library = ctypes.CDLL("libnvidia-ml.so.1")
assert library.nvmlInit() == library.nvmlInit() == 0
"""
NVML = """
static int opened = 0;
extern "C" int nvmlInit() { return ++opened, 0; }
extern "C" int nvmlShutdown() { return opened ? (--opened, 0) : 1; }
"""
ASKED = """
import socket
from kernelgate.messages.channel import Channel
from kernelgate.processes.fork_server import ForkServer, Roles
ours, theirs = socket.socketpair()
process = ForkServer(Channel(ours), Roles("", "", "", ""))
process._to_import = iter(["asks_nvml"])
process._import_more()
import asks_nvml
print("open" if asks_nvml.library.nvmlShutdown() == 0 else "closed")
"""


@pytest.mark.drawn
def test_torch_compile_starts_no_pool_of_processes_where_it_was_imported_ahead() -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(kernelgate.__file__).parents[1])}
    environment.pop("TORCHINDUCTOR_COMPILE_THREADS", None)
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "1"


def test_nvml_is_closed_before_a_child_inherits_it(tmp_path: Path) -> None:
    (tmp_path / "asks_nvml.py").write_text(ASKS_NVML)
    (tmp_path / "nvml.cpp").write_text(NVML)
    library = tmp_path / "libnvidia-ml.so.1"
    build = ["g++", "-shared", "-fPIC", f"-Wl,-soname,{library.name}", "-o", str(library), str(tmp_path / "nvml.cpp")]
    subprocess.run(build, check=True)
    python = os.pathsep.join([str(Path(kernelgate.__file__).parents[1]), str(tmp_path)])
    environment = {**os.environ, "PYTHONPATH": python, "LD_LIBRARY_PATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", ASKED], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "closed"
