"""The cell by which a page sends the package to a kernel: its text, run in a real kernel that has neither kernelgate
nor msgspec, and in place of the page a test that answers what the kernel asks for."""

from __future__ import annotations

import base64
import hashlib
import io
import os
import sys
import sysconfig
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty
from typing import Any

import msgspec
import pytest
from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

pytestmark = pytest.mark.drawn

ROOT = Path(__file__).parents[3]
# As src/notebook/wheel/__tests__ holds that the page writes it, for wheels that there are not.
CELL = (ROOT / "python/tests/fixtures/wheel_cell.txt").read_text()
KERNELS = ROOT / "ui-tests/jupyter/kernels"
PIECE = 256 * 1024

sys.path.append(str(ROOT / "scripts"))
import wheels  # noqa: E402


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return wheels.build_kernel_side(tmp_path_factory.mktemp("wheel")).read_bytes()


@pytest.fixture(scope="module")
def compiled() -> bytes:
    """A wheel of the msgspec that the tests have."""
    package = Path(msgspec.__file__).parent
    return zipped({f"msgspec/{file.name}": file.read_bytes() for file in package.iterdir() if file.is_file()})


def zipped(files: dict[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


def cell(ours: bytes, compiled: bytes | None) -> str:
    """The cell's text for these wheels; without msgspec's lines where there is none."""
    head, end, rest = CELL.partition("\n}\n")
    lines = head.splitlines()
    start = lines.index("_kernelgate = {") + 1
    listed = [f'    "kernelgate-0.1.0-py3-none-any.whl": ({_entry(ours)}),']
    assert lines[start].startswith(listed[0][:40])
    if compiled is not None:
        listed.append(f'    "{sysconfig.get_config_var("SOABI")}": ({_entry(compiled)}),')
    return "\n".join([*lines[:start], *listed]) + end + rest


def _entry(data: bytes) -> str:
    return f'"{hashlib.sha256(data).hexdigest()}", {len(data)}'


class Page:
    """The page's side of a kernel: what its cells show, and the comm that they open."""

    def __init__(self, client: BlockingKernelClient) -> None:
        self.client = client
        self.shown = ""
        self.comm: dict[str, Any] = {}
        self.asked: list[dict[str, Any]] = []
        self.closed: dict[str, Any] | None = None

    def run(self, code: str) -> str:
        """Runs a cell to its end; what it prints."""
        self.shown = ""
        request = self.client.execute(code)
        self.listen(lambda message: _is_idle(message, request))
        return self.shown

    def listen(self, until: Callable[[dict[str, Any]], bool], limit_s: float = 60) -> None:
        """Hears the kernel until a message."""
        deadline = time.monotonic() + limit_s
        while time.monotonic() < deadline:
            try:
                message = self.client.get_iopub_msg(timeout=1)
            except Empty:
                continue
            self._hear(message["msg_type"], message["content"])
            if until(message):
                return
        raise AssertionError(f"not heard; shown so far: {self.shown}")

    def _hear(self, kind: str, content: dict[str, Any]) -> None:
        if kind == "stream":
            self.shown += content["text"]
        elif kind in ("display_data", "update_display_data"):
            self.shown = content["data"]["text/plain"]
        elif kind == "error":
            self.shown += "\n".join(content["traceback"])
        elif kind == "comm_open":
            self.comm, self.asked, self.closed = content, [], None
        elif kind == "comm_msg":
            self.asked.append(content["data"])
        elif kind == "comm_close":
            self.closed = content["data"]

    def send(self, data: object) -> None:
        """Sends a message over the comm, and waits until the kernel is done with it."""
        self._say("comm_msg", data)

    def close(self) -> None:
        self._say("comm_close", {})

    def _say(self, kind: str, data: object) -> None:
        message = self.client.session.msg(kind, {"comm_id": self.comm["comm_id"], "data": data})
        self.client.shell_channel.send(message)
        self.listen(lambda heard: _is_idle(heard, message["header"]["msg_id"]))

    def answer(self, *files: bytes) -> None:
        """Answers what the kernel asks for, until it asks for nothing more. `files` stand for those that it names."""
        named = dict(zip(self.comm["data"]["sha256"], files, strict=True))
        answered = 0
        while answered < len(self.asked):
            ask = self.asked[answered]
            answered += 1
            piece = named[ask["sha256"]][ask["offset"] : ask["offset"] + PIECE]
            self.send({**ask, "base64": base64.b64encode(piece).decode()})


def _is_idle(message: dict[str, Any], request: str) -> bool:
    is_status = message["msg_type"] == "status" and message["content"]["execution_state"] == "idle"
    return is_status and message["parent_header"].get("msg_id") == request


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    """A kernel without the packages, whose temporary folders lie in `tmp_path`."""
    specs = KernelSpecManager(kernel_dirs=[str(KERNELS)], ensure_native_kernel=False)
    manager = KernelManager(kernel_name="bare-python", kernel_spec_manager=specs)
    manager.start_kernel(env={**os.environ, "TMPDIR": str(tmp_path)}, cwd=str(tmp_path))
    client = manager.blocking_client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
        yield Page(client)
    finally:
        client.stop_channels()
        if manager.is_alive():
            manager.shutdown_kernel(now=True)
        manager.cleanup_resources()


def folders(tmp_path: Path) -> list[Path]:
    return list(tmp_path.glob("kernelgate-*"))


def test_the_right_bytes_make_the_package_importable_and_nothing_else_changes(
    page: Page, ours: bytes, compiled: bytes, tmp_path: Path
) -> None:
    before = page.run("import sys; path, names = list(sys.path), set(globals()) | {'path', 'names'}; print(len(path))")

    shown = page.run(cell(ours, compiled))

    assert shown == "Waiting for the page that shows KernelGate"
    assert page.comm["target_name"] == "kernelgate.wheel"
    assert page.comm["data"] == {"sha256": [hashlib.sha256(data).hexdigest() for data in (ours, compiled)]}
    assert folders(tmp_path) == []
    page.answer(ours, compiled)
    (folder,) = folders(tmp_path)
    assert page.shown == f"kernelgate 0.1.0 is here, in {folder}; it goes with this kernel"
    assert page.closed == {"arrived": True}
    assert len(page.asked) == -(-len(ours) // PIECE) + -(-len(compiled) // PIECE)
    assert page.run(f"print(len(path) == {before} and sys.path == [*path, {str(folder)!r}])") == "True\n"
    assert page.run("print({n for n in set(globals()) - names if n[0] != '_'})") == "set()\n"
    asked = "import kernelgate; print(kernelgate.handshake()._repr_mimebundle_()['application/json']['protocol'])"
    assert page.run(asked) == "1\n"
    assert page.run("import msgspec; print(msgspec.__file__)").startswith(str(folder))
    # What the package starts finds both, where nothing is installed.
    started = (
        "import os, subprocess; from kernelgate.run import client\n"
        "env = {'PYTHONPATH': os.path.dirname(os.path.dirname(kernelgate.__file__))}\n"
        "code = 'import kernelgate.messages.job, msgspec; print(msgspec.__file__)'\n"
        "print(subprocess.run([sys.executable, '-S', '-c', code], env=env, capture_output=True, text=True).stdout)"
    )
    assert page.run(started).startswith(str(folder))
    # A second time nothing is asked for.
    assert "is here already" in page.run(cell(ours, compiled))
    assert folders(tmp_path) == [folder]


def test_the_folder_goes_with_the_kernel(page: Page, ours: bytes, compiled: bytes, tmp_path: Path) -> None:
    page.run(cell(ours, compiled))
    page.answer(ours, compiled)
    assert len(folders(tmp_path)) == 1
    page.client.shutdown()
    deadline = time.monotonic() + 30
    while folders(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert folders(tmp_path) == []


def test_a_second_page_that_answers_the_same_does_no_harm(
    page: Page, ours: bytes, compiled: bytes, tmp_path: Path
) -> None:
    page.run(cell(ours, compiled))
    (ask,) = page.asked
    for _ in range(2):
        page.send({**ask, "base64": base64.b64encode(ours[:PIECE]).decode()})
    assert [ask["offset"] for ask in page.asked] == [0, PIECE]
    page.asked = page.asked[1:]
    page.answer(ours, compiled)
    assert "kernelgate 0.1.0 is here" in page.shown


def _changed(data: bytes) -> bytes:
    return data[:-1] + bytes([data[-1] ^ 1])


OUTSIDE = {"absolute": "/kernelgate-outside", "above": "../x", "above, in a folder": "kernelgate/../../x"}


@pytest.mark.parametrize("way", ["changed", "longer", "shorter", "no base64", "no piece", "not a zip", *OUTSIDE])
def test_other_bytes_are_refused_with_a_sentence_and_nothing_of_them_stays(
    page: Page, ours: bytes, compiled: bytes, tmp_path: Path, way: str
) -> None:
    """Each before anything is unpacked, or with what was unpacked taken away."""
    expected = "another SHA-256"
    named, sent = ours, ours
    if way == "changed":
        sent = _changed(ours)
    elif way == "longer":
        named, sent, expected = ours[: PIECE + 10], ours, "another length"
    elif way == "shorter":
        sent, expected = ours[: PIECE + 10], "another length"
    elif way == "not a zip":
        named = sent = b"no wheel" * 10
        expected = "not a zip file"
    elif way in OUTSIDE:
        named = sent = zipped({"kernelgate/__init__.py": b"", OUTSIDE[way]: b"x"})
        expected = repr(OUTSIDE[way])

    page.run(cell(named, compiled))
    if way == "no base64":
        page.send({**page.asked[0], "base64": "?"})
        expected = "Refused: "
    elif way == "no piece":
        page.send("hello")
        expected = "Refused: "
    else:
        page.answer(sent, compiled)

    assert page.shown.startswith("Refused: ") and expected in page.shown
    assert page.shown.endswith(
        ". Nothing of it was kept. Insert this cell anew from KernelGate's panel, and run it."
    )
    assert page.closed == {}
    assert folders(tmp_path) == [] and not (tmp_path / "x").exists() and not Path(OUTSIDE["absolute"]).exists()
    lives = "import sys, importlib.util as u; print([u.find_spec(n) for n in ('kernelgate', 'msgspec')])"
    assert page.run(lives) == "[None, None]\n"
    assert page.run("print([p for p in sys.path if 'kernelgate-' in p])") == "[]\n"


def test_a_compiled_part_that_does_not_fit_is_taken_away_again(page: Page, ours: bytes, tmp_path: Path) -> None:
    unfit = zipped({"msgspec/__init__.py": b"raise ImportError('GLIBC_2.99 not found')"})
    page.run(cell(ours, unfit))
    page.answer(ours, unfit)
    assert page.shown.startswith("Refused: GLIBC_2.99 not found")
    assert folders(tmp_path) == []
    assert page.run("import sys; print([p for p in sys.path if 'kernelgate-' in p])") == "[]\n"


def test_where_the_page_has_no_msgspec_for_this_python_nothing_is_asked_for(page: Page, ours: bytes) -> None:
    abi = sysconfig.get_config_var("SOABI")
    words = f"kernelgate needs msgspec, and the page has none for {abi}. Install it here.\n"
    assert page.run(cell(ours, None)) == words
    assert page.comm == {}


def test_a_page_that_closes_has_not_what_the_cell_names(page: Page, ours: bytes, compiled: bytes) -> None:
    page.run(cell(ours, compiled))
    page.close()
    assert page.shown.startswith("The page did not send what this cell names.")
    assert page.run("print(1)") == "1\n"
