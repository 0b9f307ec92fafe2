"""The tools in a kernel behind a kernel gateway: for a client of `kernelgate mcp`, and in a Jupyter server."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli.commands import PACKAGE, command, without_torch

from .conversation import RIGHT, SMALL, check, talk

TOKEN = "a token of these tests"
IN_A_SERVER = """
import asyncio, json, sys
from jupyter_server.serverapp import ServerApp
from kernelgate.agents import tools

async def ask():
    try:
        answer = await tools.verify(**json.loads(sys.argv[2]))
        print(json.dumps([answer.outcome, answer.text]), flush=True)
    finally:
        app.stop()

app = ServerApp.instance()
words = ["--no-browser", "--ip=127.0.0.1", "--port=0", "--allow-root", f"--gateway-url={sys.argv[1]}"]
app.initialize(words, find_extensions=False)
app.io_loop.add_callback(ask)
app.start()
"""


@pytest.fixture(scope="module")
def gateway(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a kernel gateway that wants the token."""
    pytest.importorskip("kernel_gateway")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    names = ("ip=127.0.0.1", f"port={port}", "port_retries=0", f"auth_token={TOKEN}")
    process = subprocess.Popen(
        [sys.executable, "-m", "kernel_gateway", *(f"--KernelGatewayApp.{name}" for name in names)],
        # Its kernels get nothing of its environment but what is named here.
        env={
            **os.environ,
            "PYTHONPATH": PACKAGE,
            "KERNELGATE_CACHE": str(cache),
            "KG_ENV_PROCESS_WHITELIST": "PYTHONPATH,KERNELGATE_CACHE",
        },
        cwd=tmp_path_factory.mktemp("gateway"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        url = f"http://127.0.0.1:{port}"
        wait_for(url)
        yield url
    finally:
        process.terminate()
        process.wait(60)


def wait_for(url: str) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        try:
            kernels(url)
            return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.1)
    raise AssertionError("the gateway has not started")


def kernels(url: str) -> bytes:
    request = urllib.request.Request(f"{url}/api/kernelspecs", headers={"Authorization": f"token {TOKEN}"})
    with urllib.request.urlopen(request, timeout=30) as answered:
        return bytes(answered.read())


@pytest.mark.drawn
def test_a_client_gets_the_answers_of_every_tool_from_a_kernel_behind_a_gateway(
    gateway: str, tmp_path: Path
) -> None:
    pytest.importorskip("mcp.client.stdio")
    without_torch(tmp_path)  # the client's side judges nothing
    path = os.pathsep.join([str(tmp_path), PACKAGE])
    check(talk(["--server", gateway], JUPYTER_TOKEN=TOKEN, PYTHONPATH=path))


@pytest.mark.drawn
def test_in_a_jupyter_server_a_tool_runs_in_a_kernel_so_it_works_behind_a_gateway(
    gateway: str, tmp_path: Path
) -> None:
    asked = {"program": RIGHT, "problem": "leakyrelu", "options": SMALL, "wait_s": 200}
    done = subprocess.run(
        [sys.executable, "-c", IN_A_SERVER, gateway, json.dumps(asked)],
        env={
            **os.environ,
            "PYTHONPATH": without_torch(tmp_path),
            "JUPYTER_GATEWAY_AUTH_TOKEN": TOKEN,
            "JUPYTER_TOKEN": "another one",
            "JUPYTER_CONFIG_DIR": str(tmp_path),
            "JUPYTER_RUNTIME_DIR": str(tmp_path),
        },
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.stdout.startswith('["pass", '), done.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ["--server", "localhost:8888"],
            "localhost:8888 is no address of a server. Write it as http://host:8888.",
        )
    ],
)
def test_an_address_that_is_none_is_refused(words: list[str], says: str) -> None:
    done = command("mcp", *words)
    assert done.returncode == 2 and says in done.stderr
