"""The tools, called by a real client of the Model Context Protocol over standard input and output."""

from __future__ import annotations

import asyncio
import os
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli.commands import PACKAGE, command
from pages import block

from kernelgate.agents import TOOLS, tools
from kernelgate.messages.job import UsageError

from .conversation import RIGHT, SMALL, check, talk


@pytest.mark.drawn
def test_a_client_of_the_protocol_gets_typed_answers_of_every_tool(cache: Path) -> None:
    pytest.importorskip("mcp.client.stdio")
    check(talk([], KERNELGATE_CACHE=str(cache)))


def test_without_the_package_the_command_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "mcp.py").write_text("raise ImportError('no such package')\n")
    done = command("mcp", PYTHONPATH=os.pathsep.join([str(tmp_path), PACKAGE]))
    assert done.returncode == 2
    assert "The package mcp is not installed. Install it: pip install 'kernelgate[mcp]'." in done.stderr


@pytest.mark.parametrize("option", ["seed", "trace"])
def test_no_tool_takes_a_seed_or_writes_a_file(option: str) -> None:
    with pytest.raises(UsageError, match=f"{option} cannot be chosen here"):
        asyncio.run(tools.verify(RIGHT, problem="leakyrelu", options={option: "1"}))


def test_every_tool_that_jupyter_finds_exists_and_says_what_it_does() -> None:
    for tool in TOOLS:
        module, _, name = tool.partition(":")
        assert module == "kernelgate.agents.tools"
        assert (getattr(tools, name).__doc__ or "").strip()


@pytest.fixture
def jupyter(tmp_path: Path, cache: Path) -> Iterator[str]:
    """The address of the tools that jupyter-server-mcp serves, started as docs/many-candidates.md says, with
    KernelGate installed, as far as its entry points go."""
    extension = pytest.importorskip("jupyter_server_mcp")
    installed = tmp_path / "kernelgate-0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: kernelgate\nVersion: 0\n")
    (installed / "entry_points.txt").write_text("[jupyter_server_mcp.tools]\nkernelgate = kernelgate.agents:TOOLS\n")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    _, command = block("many-candidates.md", "sh", "MCPExtensionApp").splitlines()
    words = shlex.split(command.replace("3001", str(port)))[2:]
    process = subprocess.Popen(
        [sys.executable, "-m", "jupyter_server", *words, "--no-browser", "--allow-root", "--port=0", "--debug"],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([PACKAGE, str(tmp_path), os.environ.get("PYTHONPATH", "")]),
            "KERNELGATE_CACHE": str(cache),
            "JUPYTER_CONFIG_PATH": str(Path(extension.__file__).parents[1] / "etc" / "jupyter"),
            "JUPYTER_RUNTIME_DIR": str(tmp_path / "runtime"),
        },
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=(tmp_path / "log").open("w"),
    )
    try:
        deadline = time.monotonic() + 300
        while "/mcp" not in (tmp_path / "log").read_text() and time.monotonic() < deadline:
            assert process.poll() is None, (tmp_path / "log").read_text()
            time.sleep(0.1)
        yield f"http://localhost:{port}/mcp"
    finally:
        process.terminate()
        process.wait(60)


def test_jupyter_server_mcp_offers_every_tool_with_its_types_and_answers(jupyter: str) -> None:
    from fastmcp import Client

    async def ask() -> tuple[list[Any], Any]:
        async with Client(jupyter) as client:
            asked = {"program": RIGHT, "problem": "leakyrelu", "options": SMALL, "wait_s": 200}
            return await client.list_tools(), await client.call_tool("verify", asked)

    offered, answer = asyncio.run(ask())
    ours = {one.name: one for one in offered}
    assert {tool.partition(":")[2] for tool in TOOLS} <= set(ours)
    assert ours["verify"].input_schema["required"] == ["program"]
    assert ours["verify"].input_schema["properties"]["wait_s"]["type"] == "number"
    assert '"outcome":"pass"' in answer.content[0].text
