"""A real Jupyter kernel for tests, and what its cells put out."""

from __future__ import annotations

import contextlib
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty
from typing import Any

from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.manager import KernelManager

from kernelgate.report import REPORT_MIME

PACKAGE = str(Path(__file__).parents[2])


@dataclass
class Output:
    """What one cell has put out. `reports`: each display's last state, `displays`: how many there are."""

    status: str = "ok"
    text: str = ""
    error: tuple[str, str] | None = None
    traceback: str = ""
    reports: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def displays(self) -> int:
        return len(self.reports)

    @property
    def report(self) -> dict[str, Any]:
        """The one report of the cell."""
        (report,) = self.reports.values()
        return report


class Kernel:
    def __init__(self, manager: KernelManager, client: BlockingKernelClient, marker: str) -> None:
        self.manager = manager
        self.client = client
        self.pid: int = manager.provisioner.process.pid  # type: ignore[union-attr]
        self._marker = marker

    def start(self, code: str, *, cell_id: str | None = None) -> str:
        """Sends a cell; gives the id of its request."""
        content = {
            "code": code,
            "silent": False,
            "store_history": True,
            "user_expressions": {},
            "allow_stdin": False,
            "stop_on_error": False,
        }
        metadata = {"cellId": cell_id} if cell_id is not None else {}
        message = self.client.session.msg("execute_request", content, metadata=metadata)
        self.client.shell_channel.send(message)
        return str(message["header"]["msg_id"])

    def finish(self, request: str, *, until: str | None = None, limit_s: float = 90) -> Output:
        """Everything that a cell puts out until it is done, or until a report shows `until`."""
        output = Output()
        deadline = time.monotonic() + limit_s
        while time.monotonic() < deadline:
            try:
                message = self.client.get_iopub_msg(timeout=1)
            except Empty:
                continue
            if message["parent_header"].get("msg_id") != request:
                continue
            content, kind = message["content"], message["msg_type"]
            if kind == "stream":
                output.text += content["text"]
            elif kind in ("display_data", "update_display_data", "execute_result"):
                report = content["data"].get(REPORT_MIME)
                if report is not None:
                    output.reports[
                        content.get("transient", {}).get("display_id") or str(len(output.reports))
                    ] = report
                    if until is not None and until in report["progress"]:
                        return output
                else:
                    output.text += content["data"].get("text/plain", "")
            elif kind == "error":
                output.status = "error"
                output.error = (content["ename"], content["evalue"])
                output.traceback += "\n".join(content["traceback"])
            elif kind == "status" and content["execution_state"] == "idle":
                return output
        raise AssertionError(f"the cell is not done after {limit_s} s; so far: {output}")

    def started_processes(self) -> dict[int, str]:
        """The processes that this kernel has started, however far removed, that still run: their command lines."""
        found = {}
        for path in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                marked = self._marker.encode() in (path / "environ").read_bytes()
                if marked and (path / "stat").read_text().rpartition(")")[2].split()[0] != "Z":
                    found[int(path.name)] = (path / "cmdline").read_text().replace("\0", " ")
        found.pop(self.pid, None)
        return found

    def asked(self, request: str, **content: Any) -> dict[str, Any]:
        """The reply to a request on the shell channel: `inspect`, `complete`."""
        message = self.client.session.msg(f"{request}_request", content)
        self.client.shell_channel.send(message)
        while True:
            reply = self.client.get_shell_msg(timeout=30)
            if reply["parent_header"].get("msg_id") == message["header"]["msg_id"]:
                answer: dict[str, Any] = reply["content"]
                return answer

    def run(self, code: str, *, cell_id: str | None = None) -> Output:
        return self.finish(self.start(code, cell_id=cell_id))


@contextmanager
def kernel() -> Iterator[Kernel]:
    """A kernel of this Python with the package on its path, and nothing loaded."""
    manager = KernelManager(kernel_name="python3")
    path = os.pathsep.join([PACKAGE, *filter(None, [os.environ.get("PYTHONPATH")])])
    marker = secrets.token_hex(8)
    manager.start_kernel(env={**os.environ, "PYTHONPATH": path, "KERNELGATE_TEST": marker})
    client = manager.blocking_client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
        yield Kernel(manager, client, marker)
    finally:
        client.stop_channels()
        if manager.is_alive():
            manager.shutdown_kernel(now=True)
        manager.cleanup_resources()
