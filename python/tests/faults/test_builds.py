"""No program decides what another one's build gives, and a builder that ends costs its own run only."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest
from judge.candidates import RIGHT_CUDA, cuda_program

from kernelgate.report import Report
from kernelgate.run import Limits, client
from kernelgate.sandbox import landlock

from .conftest import RIGHT, Check, Survived
from .test_interrupts import run_with_reports
from .traces import Place

pytestmark = pytest.mark.drawn

HONEST = cuda_program(RIGHT_CUDA)

needs_landlock = pytest.mark.skipif(
    landlock.version() < 6, reason="this kernel has no Landlock 6: a report says what is open"
)

# In a program: the socket to its builder, which it finds like this or by trying all descriptors. A process that looks
# like a notebook's kernel has none.
CONNECTION = """
import gc, os, socket
from kernelgate.worker.build_client import Builds
builds = next((found for found in gc.get_objects() if isinstance(found, Builds)), None)
connection = builds and builds._channel._socket
"""

OVERWRITES = """
import os, pathlib
for path in pathlib.Path({cache!r}).iterdir():
    for attempt in (
        lambda: path.write_bytes(b"evil"),
        lambda: os.truncate(path, 0),
        lambda: path.unlink(),
        lambda: os.rename(path, "taken"),
        lambda: (pathlib.Path("own").write_bytes(b"evil"), os.rename("own", path)),
        lambda: (path.parent / "new.so").write_bytes(b"evil"),
        lambda: os.link(path, path.parent / "linked.so"),
        lambda: os.symlink("/dev/null", path.parent / "symbolic.so"),
    ):
        try:
            attempt()
        except OSError:
            pass
        else:
            print("done to", path)
"""

# What the worker's own process may not do, compilers may not do for it.
BY_A_COMPILER = (
    CONNECTION
    + """
import pathlib
from kernelgate.messages.build_requests import CudaExtension
script = pathlib.Path("wrapper").absolute()
script.write_text('''#!/bin/sh
for file in {cache}/*.so; do
    echo evil > $file && echo done to $file >&2
done
exit 1
''')
script.chmod(0o755)
evil = dict(cpp_sources=["int x;"], no_implicit_headers=True, extra_cflags=["-wrapper", str(script)])
try:
    print("done" if builds and builds.cuda_extension(CudaExtension("evil", evil)) else "")
except RuntimeError as exc:
    assert "Error building extension 'evil'" in str(exc), exc
    print(*(line for line in str(exc).splitlines() if line.startswith("done")), sep="\\n")
"""
)

# Emulation asks the environment for a compiler, and a program may say anything there.
BY_ANOTHER_COMPILER = """
import os, pathlib
folder = pathlib.Path("bin").absolute()
folder.mkdir()
(folder / "g++").write_text('''#!/bin/sh
case $1 in
-dumpfullversion) echo 12.2.0;;
-dumpmachine) echo x86_64-linux-gnu;;
*) echo done >&2; exit 1;;
esac
''')
(folder / "g++").chmod(0o755)
os.environ["PATH"] = str(folder) + ":" + os.environ["PATH"]
"""


class Honest:
    """A program that is built, and what the cache then holds."""

    def __init__(self, place: Place, check: Check) -> None:
        self._place = place
        self._check = check
        self.verdict()
        self._entries = self._files()

    def _files(self) -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in self._place.cache.iterdir() if path.is_file()}

    def verdict(self) -> Report:
        report = self._check(HONEST)
        assert report.verdict is not None and report.verdict.outcome == "pass", report.verdict
        return report

    def is_unchanged(self) -> None:
        """Every library is there as it was, and found."""
        files = self._files()
        assert {path: files.get(path) for path in self._entries} == self._entries
        report = self.verdict()
        assert report.build is not None and report.build.cached


@pytest.fixture
def honest(place: Place, check: Check) -> Honest:
    return Honest(place, check)


@needs_landlock
@pytest.mark.parametrize(
    "attack",
    [OVERWRITES, BY_A_COMPILER, BY_ANOTHER_COMPILER],
    ids=["by itself", "by what a compiler runs", "by another compiler"],
)
def test_a_program_cannot_change_the_cache(place: Place, check: Check, honest: Honest, attack: str) -> None:
    report = check(attack.format(cache=str(place.cache)) + HONEST)
    assert report.verdict is not None and report.verdict.outcome == "pass", report.verdict
    assert "done" not in report.output, report.output
    honest.is_unchanged()


SENDS = {
    "noise": "connection.sendall(b'\\xff' * 1000)",
    "2 GB": "connection.sendall((1 << 31).to_bytes(4, 'big') + bytes(1 << 20))",
    "nothing more": "connection.shutdown(socket.SHUT_WR)",
}


@pytest.mark.parametrize("sends", SENDS.values(), ids=SENDS.keys())
def test_a_builder_that_is_sent_nonsense(fault: Check, honest: Honest, sends: str) -> None:
    attack = f"{CONNECTION}\ntry:\n    {sends}\nexcept OSError:\n    pass\n"
    report = fault(attack + cuda_program(f"{RIGHT_CUDA} // {sends[:20]}"), limits=Limits())
    assert report.verdict is not None
    assert report.verdict.sentence.endswith("the process that builds extensions has ended"), report.verdict
    honest.is_unchanged()


def test_a_builder_that_is_killed(place: Place, honest: Honest, survived: Survived) -> None:
    killed: list[int] = []

    def kill(report: Report) -> None:
        if not killed and report.progress.startswith("Compiling"):
            timer = threading.Timer(0.3, lambda: kill_builder(killed))
            timer.start()

    def kill_builder(killed: list[int]) -> None:
        while not killed:
            killed += place.builders()
        os.kill(killed[0], signal.SIGKILL)

    report = run_with_reports(place, cuda_program(f"{RIGHT_CUDA} // its builder is killed"), kill)
    assert killed and report.verdict is not None
    assert report.verdict.sentence.endswith("the process that builds extensions has ended"), report.verdict
    survived()
    honest.is_unchanged()


KILLS = """
import os, signal, threading, time
def others():
    for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
        try:
            same = os.getpgid(pid) == os.getpgid(0)
        except ProcessLookupError:
            continue
        if same and pid != os.getpid():
            yield pid
def kill():
    while True:
        for pid in others():
            try:
                os.kill(pid, signal.SIGKILL)
                print("killed one")
            except ProcessLookupError:
                pass
            except PermissionError:
                print("refused")
                return
        time.sleep(0.01)
threading.Thread(target=kill, daemon=True).start()
"""


@needs_landlock
def test_a_program_that_kills_its_builder_is_refused_that(check: Check, honest: Honest) -> None:
    report = check(KILLS + cuda_program(f"{RIGHT_CUDA} // kills in vain"))
    assert report.verdict is not None and report.verdict.outcome == "pass", report.verdict
    assert "refused" in report.output and "killed" not in report.output
    honest.is_unchanged()


def test_a_program_that_can_kill_its_builder_fails_its_own_run_only(
    check: Check, honest: Honest, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as without:
        without.setenv("KERNELGATE_CONFINE", "off")
        without.setattr(client, "_idle", [])  # a fork server that has that setting
        report = check(KILLS + cuda_program(f"{RIGHT_CUDA} // kills"))
        for warm in client._idle:
            warm.close()
    assert report.verdict is not None
    assert report.verdict.sentence.endswith("the process that builds extensions has ended"), report.verdict
    honest.is_unchanged()


def test_a_forked_process_cannot_build_and_gets_the_reason(check: Check) -> None:
    forks = f"""
import os
if os.fork() == 0:
    try:
        from torch.utils.cpp_extension import load_inline
        load_inline(name="forked", cpp_sources="int forked() {{ return 1; }}", functions=["forked"])
    except RuntimeError as exc:
        print(exc, flush=True)
    finally:
        os._exit(0)
os.wait()
{RIGHT}
"""
    report = check(forks)
    assert report.verdict is not None and report.verdict.outcome == "pass", report.verdict
    assert "built in the program's own process, not in one that it forked" in report.output
