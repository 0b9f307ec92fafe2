"""The tools, called by a real client of the Model Context Protocol over standard input and output."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest
from cli.commands import PACKAGE, command

from kernelgate.agents import TOOLS, tools
from kernelgate.messages.job import UsageError

from .conversation import RIGHT, check, talk


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


def test_jupyter_server_mcp_offers_every_tool_with_its_types() -> None:
    server = pytest.importorskip("jupyter_server_mcp.mcp_server").MCPServer()
    from fastmcp import Client

    for tool in TOOLS:
        server.register_tool(getattr(tools, tool.partition(":")[2]))

    async def ask() -> tuple[list[Any], Any]:
        async with Client(server.mcp) as client:
            return await client.list_tools(), await client.call_tool("list_problems", {})

    offered, problems = asyncio.run(ask())
    assert {one.name for one in offered} == {tool.partition(":")[2] for tool in TOOLS}
    verify = {one.name: one for one in offered}["verify"]
    assert verify.input_schema["required"] == ["program"]
    assert verify.input_schema["properties"]["wait_s"]["type"] == "number"
    assert '"leakyrelu"' in problems.content[0].text
