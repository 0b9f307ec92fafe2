"""What a process gives up before a candidate is loaded, and the filter of system calls for both processors."""

from __future__ import annotations

import errno
import os
import socket
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from kernelgate.sandbox import landlock, seccomp
from kernelgate.sandbox.landlock import SystemCallFailed

CONFINES = """
import resource, sys
from pathlib import Path
from kernelgate.sandbox.confine import close_descriptors, confine, private_folder
folder, outside = map(Path, sys.argv[1:])
private_folder(folder)
close_descriptors({0, 1, 2})
done = confine(folder)
print(done.held, done.missing)
"""


def confined(tmp_path: Path, script: str, **environment: str) -> list[str]:
    """What a process of its own prints, confined to a folder below `tmp_path`, when it does `script`; `outside` is
    another one."""
    folder, outside = tmp_path / "private", tmp_path / "outside"
    folder.mkdir()
    outside.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", CONFINES + script, str(folder), str(outside)],
        env={**os.environ, "PYTHONPATH": str(Path(landlock.__file__).parents[2]), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_compiler_builds_in_the_private_folder_and_temporary_files_lie_there(tmp_path: Path) -> None:
    script = """
import os, subprocess, tempfile
made = tempfile.mkdtemp()
Path(made, "a.cpp").write_text("int main() { return 0; }")
subprocess.run(["g++", "-pipe", "a.cpp", "-o", "a.tmp"], cwd=made, check=True)
subprocess.run(["g++", "a.cpp", "-o", "b.tmp"], cwd=made, check=True)
os.rename(made + "/a.tmp", folder / "a")
print(Path(made).parent == folder, os.environ["CUDA_CACHE_PATH"].startswith(str(folder)))
try:
    os.rename(made + "/b.tmp", outside / "b")
except OSError:
    print("not outside")
"""
    assert confined(tmp_path, script)[1:] == ["True True", "not outside"]
    assert list((tmp_path / "outside").iterdir()) == []


def test_resources_are_limited(tmp_path: Path) -> None:
    script = """
print(resource.getrlimit(resource.RLIMIT_CORE))
print(all(resource.RLIM_INFINITY not in resource.getrlimit(kind)
          for kind in (resource.RLIMIT_CPU, resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE)))
"""
    assert confined(tmp_path, script)[1:] == ["(0, 0)", "True"]


def test_no_descriptor_is_inherited(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.set_inheritable(write, True)
    try:
        script = "import os\nprint(sorted(map(int, os.listdir('/proc/self/fd')))[:3])\n"
        script += f"try:\n    os.fstat({write})\nexcept OSError:\n    print('closed')"
        assert confined(tmp_path, script)[1:] == ["[0, 1, 2]", "closed"]
    finally:
        os.close(read)
        os.close(write)


def test_it_can_be_left_out_and_says_so(tmp_path: Path) -> None:
    script = "(outside / 'written').write_text('x')"
    assert confined(tmp_path, script, KERNELGATE_CONFINE="off") == ["['limits'] KERNELGATE_CONFINE=off"]
    assert (tmp_path / "outside" / "written").exists()


def test_an_older_kernel_gets_what_it_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    for version, says in ((0, "no Landlock in this kernel"), (1, "Landlock 1 is too old")):
        monkeypatch.setattr(landlock, "version", lambda version=version: version)
        with pytest.raises(SystemCallFailed, match=says):
            landlock.restrict([], [])


# --- the filter -----------------------------------------------------------------------------------------------------

X86, ARM = 0xC000003E, 0xC00000B7
ALLOWED, REFUSED = 0x7FFF0000, 0x00050000 | errno.EPERM


def answer(program: bytes, number: int, architecture: int, first: int = 0) -> int:
    """What a kernel that runs this filter answers to a system call."""
    data = struct.pack("=IIQQ", number, architecture, 0, first)
    at, loaded = 0, 0
    while True:
        code, then, otherwise, operand = struct.unpack_from("=HBBI", program, at * 8)
        at += 1
        if code == 0x06:
            return int(operand)
        if code == 0x20:
            (loaded,) = struct.unpack_from("=I", data, operand)
        else:
            holds = loaded == operand if code == 0x15 else loaded >= operand
            assert code in (0x15, 0x35)
            at += then if holds else otherwise


@pytest.mark.parametrize(
    ("machine", "architecture", "ptrace", "open_socket", "prlimit", "prctl", "read"),
    [("x86_64", X86, 101, 41, 302, 157, 0), ("aarch64", ARM, 117, 198, 261, 167, 63)],
)
def test_the_filter(
    machine: str, architecture: int, ptrace: int, open_socket: int, prlimit: int, prctl: int, read: int
) -> None:
    program = seccomp.program(machine)
    assert answer(program, read, architecture) == ALLOWED
    assert answer(program, ptrace, architecture) == REFUSED
    for family in (socket.AF_UNIX, socket.AF_NETLINK):
        assert answer(program, open_socket, architecture, family) == ALLOWED
    alone = seccomp.program(machine, unix_sockets=False)
    assert answer(alone, open_socket, architecture, socket.AF_UNIX) == REFUSED
    assert answer(alone, open_socket, architecture, socket.AF_NETLINK) == ALLOWED
    for family in (socket.AF_INET, socket.AF_INET6, socket.AF_PACKET, socket.AF_VSOCK):
        assert answer(program, open_socket, architecture, family) == REFUSED
    assert answer(program, prlimit, architecture, 0) == ALLOWED
    assert answer(program, prlimit, architecture, 77) == REFUSED
    assert answer(program, prctl, architecture, 36) == REFUSED  # PR_SET_CHILD_SUBREAPER
    assert answer(program, prctl, architecture, 38) == ALLOWED
    assert answer(program, ptrace | 0x40000000, architecture) == REFUSED
    assert answer(program, read, 0x40000003) == REFUSED


def test_no_processor_is_taken_for_another() -> None:
    with pytest.raises(SystemCallFailed, match="no filter for riscv64"):
        seccomp.program("riscv64")
