"""What a candidate tries outside of its process comes to nothing, as far as this kernel has the means."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from kernelgate.sandbox import landlock

from .conftest import Check

pytestmark = pytest.mark.drawn

ATTEMPTS = """
import ctypes, os, socket, subprocess
OUTSIDE, ASKING, PORT = {outside!r}, {asking}, {port}
libc = ctypes.CDLL(None, use_errno=True)
buffer = ctypes.create_string_buffer(8)
def native(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "native call")
attempts = {{
    "files": [
        lambda: open(OUTSIDE + "/new", "w"),
        lambda: open(OUTSIDE + "/kept", "a"),
        lambda: os.truncate(OUTSIDE + "/kept", 0),
        lambda: os.remove(OUTSIDE + "/kept"),
        lambda: os.rename(OUTSIDE + "/kept", "here"),
        lambda: os.link(OUTSIDE + "/kept", OUTSIDE + "/linked"),
        lambda: os.mkdir(OUTSIDE + "/folder"),
        lambda: subprocess.run(["sh", "-c", "echo > " + OUTSIDE + "/shell"], check=True, stderr=-3),
        lambda: open(f"/proc/{{ASKING}}/mem", "rb").read(1),
        lambda: open(f"/proc/{{os.getppid()}}/mem", "r+b").write(b"x"),
    ],
    "network": [
        lambda: socket.create_connection(("127.0.0.1", PORT), timeout=5),
        lambda: socket.socket(socket.AF_INET6),
        lambda: socket.socket(socket.AF_PACKET),
        lambda: socket.socket(socket.AF_UNIX),
    ],
    "tracing": [
        lambda: native(libc.ptrace(16, os.getppid(), None, None)),
        lambda: native(libc.process_vm_readv(os.getppid(), buffer, 0, buffer, 0, 0)),
        lambda: native(libc.unshare(0x10000000)),
    ],
    "signals": [lambda: os.kill(os.getppid(), 0), lambda: os.kill(ASKING, 0)],
}}
for name, tries in attempts.items():
    for number, attempt in enumerate(tries):
        try:
            attempt()
        except (OSError, subprocess.CalledProcessError) as exc:
            print(name, number, "refused")
        else:
            print(name, number, "done")
open("own", "w").write("in the private folder")
assert open(OUTSIDE + "/kept").read() == "kept"
print("reading and its own folder work")
class ModelNew: pass
"""


def test_writing_outside_network_tracing_and_signals_are_refused(fault: Check, tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("kept")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        report = fault(ATTEMPTS.format(outside=str(tmp_path), port=port, asking=os.getpid()))
    held = report.environment.confinement
    if landlock.version() >= 6:
        assert held == ["limits", "files", "signals", "network", "tracing"]
        assert not report.environment.unconfined
    lines = report.output.splitlines()
    assert "reading and its own folder work" in lines, report.output
    for name in {"files", "network", "tracing", "signals"} & set(held):
        told = [line for line in lines if line.startswith(name)]
        assert told and all(line.endswith("refused") for line in told), told
    if "files" in held:
        assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("kept", "kept")]
