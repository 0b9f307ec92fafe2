"""A kernel in which the tools run: behind a Jupyter server or a kernel gateway, where the GPU is.

In: the server's address, a tool's name and its arguments. Out: its answer as plain data. The kernel is one for the
tools alone; it is started with the first call. A call that takes long would keep the kernel from the next one, so none
waits there: it is asked again from here. Not here: what the kernel does with a call (`agents.in_kernel`).
"""

from __future__ import annotations

import asyncio
import json
import secrets
import time
import urllib.request
from collections.abc import Mapping
from typing import Any

from kernelgate.messages.job import UsageError

_ANSWER_S = 120.0
"""By when the kernel has answered: it may first have to import PyTorch, on a busy machine."""
_PAUSE_S = 0.25
_MIME = "application/json"
# The kernel is for the tools alone, and may have been started in a stranger's folder (`safe_path`).
_LOOK_ELSEWHERE = (
    "import os, sys\n"
    "sys.path = [one for one in sys.path if os.path.isabs(one) and os.path.realpath(one) != os.getcwd()]"
)


class Kernel:
    """`url`: of a Jupyter server or a kernel gateway. `kernel_name`: of a kernel there; its usual one if empty."""

    def __init__(self, url: str, token: str = "", kernel_name: str = "") -> None:
        self.url = url.rstrip("/")
        self._headers = {"Authorization": f"token {token}"} if token else {}
        self._kernel_name = kernel_name
        self._id = ""
        self._socket: Any = None
        self._lock = asyncio.Lock()

    async def answer(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        """What a tool gives there, as plain data. Raises UsageError."""
        wait_s = float(arguments.get("wait_s", 0.0))
        deadline = time.monotonic() + wait_s
        found = await self._asked(tool, {**arguments, "wait_s": 0.0} if "wait_s" in arguments else arguments)
        while isinstance(found, dict) and found.get("state") == "running" and time.monotonic() < deadline:
            await asyncio.sleep(_PAUSE_S)
            found = await self._asked("result", {"handle": found["handle"], "wait_s": 0.0})
        return found

    async def _asked(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        async with self._lock:
            try:
                if self._socket is None:
                    await self._connect()
                answered = await asyncio.wait_for(self._execute(tool, arguments), _ANSWER_S)
            except UsageError:
                raise
            except Exception as exc:  # of the network, of the server, or of time
                self._leave()
                said = str(exc) or type(exc).__name__
                raise UsageError(
                    f"The kernel of {self.url} does not answer: {said}",
                    "Look whether the server runs and takes the token, and ask again; earlier runs may be lost",
                ) from None
        if "error" in answered:
            raise UsageError(answered["error"], answered["next_step"])
        return answered["answer"]

    async def _connect(self) -> None:
        """To the kernel, which is started if there is none."""
        from tornado.httpclient import AsyncHTTPClient, HTTPRequest
        from tornado.websocket import websocket_connect

        if not self._id:
            body = json.dumps({"name": self._kernel_name} if self._kernel_name else {})
            headers = {**self._headers, "Content-Type": "application/json"}
            started = await AsyncHTTPClient().fetch(
                HTTPRequest(
                    f"{self.url}/api/kernels",
                    method="POST",
                    headers=headers,
                    body=body,
                    request_timeout=_ANSWER_S,
                )
            )
            self._id = str(json.loads(started.body)["id"])
        address = f"ws{self.url.removeprefix('http')}/api/kernels/{self._id}/channels"
        request = HTTPRequest(address, headers=self._headers, connect_timeout=_ANSWER_S)
        self._socket = await websocket_connect(request)

    async def _execute(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Raises UsageError if the kernel has no KernelGate, ConnectionError if it is gone."""
        message_id = secrets.token_hex(16)
        await self._socket.write_message(json.dumps(_request(message_id, tool, arguments)))
        while True:
            text = await self._socket.read_message()
            if text is None:
                raise ConnectionError("it has closed the connection")
            message = json.loads(text)
            kind, content = message["header"]["msg_type"], message["content"]
            if kind == "status" and content.get("execution_state") in ("dead", "restarting"):
                raise ConnectionError("its process has died")
            if kind == "execute_reply" and message["parent_header"].get("msg_id") == message_id:
                return self._read(content)

    def _read(self, content: Mapping[str, Any]) -> dict[str, Any]:
        found = content.get("user_expressions", {}).get("answer", {})
        if found.get("status") == "ok":
            answered: dict[str, Any] = found["data"][_MIME]
            return answered
        says = f"{found.get('ename', content.get('status'))}: {found.get('evalue', '')}"
        if found.get("ename") == "ModuleNotFoundError":
            raise UsageError(
                f"The kernel of {self.url} has no KernelGate: {found['evalue']}",
                "Install it there: pip install kernelgate",
            )
        raise UsageError(f"The kernel of {self.url} failed: {says}", "Look at its log")

    def _leave(self) -> None:
        if self._socket is not None:
            self._socket.close()
        self._socket = None
        self._end()

    def close(self) -> None:
        """Ends the kernel, with all its runs."""
        self._end()

    def _end(self) -> None:
        if not self._id:
            return
        address, self._id = f"{self.url}/api/kernels/{self._id}", ""
        try:
            request = urllib.request.Request(address, method="DELETE", headers=self._headers)
            urllib.request.urlopen(request, timeout=10).close()
        except OSError:
            pass  # it is gone, or the server is


def _request(message_id: str, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """A request to evaluate the call, and to run no cell. The arguments enter Python as an ASCII literal."""
    called = f"answer({tool!a}, {json.dumps(dict(arguments))!a})"
    header = {
        "msg_id": message_id,
        "msg_type": "execute_request",
        "username": "kernelgate",
        "session": message_id,
        "version": "5.3",
        "date": "",
    }
    content = {
        "code": _LOOK_ELSEWHERE,
        "silent": True,
        "store_history": False,
        "user_expressions": {
            "answer": f"__import__('kernelgate.agents.in_kernel', fromlist=['answer']).{called}"
        },
        "allow_stdin": False,
        "stop_on_error": False,
    }
    return {
        "header": header,
        "parent_header": {},
        "metadata": {},
        "content": content,
        "channel": "shell",
        "buffers": [],
    }
