"""The tools, called by a real client of the Model Context Protocol over standard input and output."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from cli.commands import PACKAGE, command
from judge.candidates import forward

from kernelgate.agents import TOOLS, tools
from kernelgate.messages.job import UsageError

SMALL = {"device": "emulated", "shape": "8x64"}
RIGHT = forward("return F.leaky_relu(x, s)")
WRONG = forward("return F.leaky_relu(x, 0.011)")
HANGS = forward("while True:\n    pass")


async def conversation(server: Any, cache: Path) -> dict[str, Any]:
    """What a client gets that calls every tool."""
    from mcp import Client

    async with Client(server) as client:

        async def call(name: str, **arguments: Any) -> Any:
            answered = await client.call_tool(name, arguments)
            content = answered.structured_content
            assert not answered.is_error, answered
            return content["result"] if content is not None and set(content) == {"result"} else content

        said: dict[str, Any] = {
            "tools": (await client.list_tools()).tools,
            "problems": await call("list_problems"),
        }
        given = {"problem": "leakyrelu", "options": SMALL}
        said["began"] = await call("verify", program=HANGS, wait_s=0, **given)
        said["cancelled"] = await call("cancel", handle=said["began"]["handle"])
        said["right"] = await call("verify", program=RIGHT, wait_s=0, **given)
        while said["right"]["state"] == "running":
            said["right"] = await call("result", handle=said["right"]["handle"], wait_s=60)
        said["wrong"] = await call("benchmark", program=WRONG, wait_s=120, **given)
        handles = [said["wrong"]["handle"], said["right"]["handle"]]
        said["compared"] = await call("compare", handles=handles)
        said["explained"] = await call("explain", handle=handles[0])
        said["refused"] = await client.call_tool(
            "verify", {"program": RIGHT, **given, "options": {"seed": 1}}
        )
        return said


def test_a_client_of_the_protocol_gets_typed_answers_of_every_tool(cache: Path) -> None:
    stdio = pytest.importorskip("mcp.client.stdio")
    path = os.pathsep.join([PACKAGE, os.environ.get("PYTHONPATH", "")])
    parameters = stdio.StdioServerParameters(
        command=sys.executable,
        args=["-m", "kernelgate.cli", "mcp"],
        env={**os.environ, "PYTHONPATH": path, "KERNELGATE_CACHE": str(cache)},
    )
    said = asyncio.run(conversation(stdio.stdio_client(parameters), cache))
    assert {tool.name for tool in said["tools"]} == {name.partition(":")[2] for name in TOOLS}
    assert all(tool.output_schema for tool in said["tools"])
    assert "leakyrelu" in [problem["id"] for problem in said["problems"]]
    assert said["began"]["state"] == "running"
    assert said["cancelled"]["state"] == "finished" and "Cancelled" in said["cancelled"]["text"]
    assert said["right"]["outcome"] == "pass"
    sentence = "Wrong result: negative inputs are multiplied by 0.011 instead of 0.01"
    assert said["wrong"]["outcome"] == "fail" and said["wrong"]["text"].startswith(f"FAIL: {sentence}")
    assert [one["outcome"] for one in said["compared"]] == ["pass", "fail"]
    assert said["explained"].startswith("KernelGate")
    assert said["refused"].is_error and "seed cannot be chosen here" in said["refused"].content[0].text


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
