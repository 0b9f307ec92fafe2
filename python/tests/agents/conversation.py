"""What a client of the Model Context Protocol asks of every tool, and what it has to be answered."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from cli.commands import PACKAGE
from judge.candidates import forward
from pages import block

from kernelgate.agents import TOOLS

SMALL = {"device": "emulated", "shape": "8x64"}
RIGHT = forward("return F.leaky_relu(x, s)")
WRONG = forward("return F.leaky_relu(x, 0.011)")
DOCUMENTED = json.loads(block("many-candidates.md", "json", "mcpServers"))["mcpServers"]["kernelgate"]
HANGS = forward("while True:\n    pass")


def talk(words: Sequence[str], **environment: str) -> dict[str, Any]:
    """With the server that docs/many-candidates.md configures, and these words, as a real client."""
    return asyncio.run(_conversation(_server(words, **environment)))


def answers_of(*programs: str) -> list[dict[str, Any]]:
    """Of the server's tool `verify` to each program."""

    async def ask() -> list[dict[str, Any]]:
        from mcp import Client

        async with Client(_server([])) as client:
            given = {"problem": "leakyrelu", "options": SMALL, "wait_s": 120}
            answered = [await client.call_tool("verify", {"program": one, **given}) for one in programs]
            return [one.structured_content for one in answered]

    return asyncio.run(ask())


def _server(words: Sequence[str], **environment: str) -> Any:
    from mcp.client.stdio import StdioServerParameters, stdio_client

    # As an installed script does: the folder that it is started in is not on its path.
    code = "import sys; sys.path.remove(''); from kernelgate.cli.main import main; sys.exit(main())"
    path = os.pathsep.join([PACKAGE, *filter(None, [os.environ.get("PYTHONPATH")])])
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-c", code, *DOCUMENTED["args"], *words],
        env={**os.environ, "PYTHONPATH": path, **environment},
    )
    return stdio_client(parameters)


async def _conversation(server: Any) -> dict[str, Any]:
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
        said["right"] = await call("profile", program=RIGHT, wait_s=0, **given)
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


def check(said: dict[str, Any]) -> None:
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
