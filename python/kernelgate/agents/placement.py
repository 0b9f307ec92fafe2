"""Where a tool runs: in this process, or in a kernel of a Jupyter server or a kernel gateway.

In a Jupyter server it is a kernel of that server, because the server itself need have neither PyTorch nor a GPU; and
behind a gateway the kernel is on the other machine. `kernelgate mcp --server URL` chooses one as well.
"""

from __future__ import annotations

import functools
import inspect
import sys
import typing
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from kernelgate.agents.kernel import Kernel

_chosen: Kernel | None = None


def choose(kernel: Kernel | None) -> None:
    """From here on tools run there."""
    global _chosen
    _chosen = kernel


def _kernel() -> Kernel | None:
    """The one that was chosen; in a Jupyter server, one of that."""
    if _chosen is None and (app := _jupyter_server()) is not None:
        provider = getattr(app, "identity_provider", None)
        choose(Kernel(app.connection_url, getattr(provider, "token", "") or ""))
    return _chosen


def _jupyter_server() -> Any:
    module = sys.modules.get("jupyter_server.serverapp")
    found = None if module is None else module.ServerApp
    return found.instance() if found is not None and found.initialized() else None


def in_its_place(tool: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
    """The tool, with the same signature."""

    @functools.wraps(tool)
    async def placed(*given: Any, **named: Any) -> Any:
        kernel = _kernel()
        if kernel is None:
            found = tool(*given, **named)
            return await found if inspect.isawaitable(found) else found
        arguments = inspect.signature(tool).bind(*given, **named)
        arguments.apply_defaults()
        answered = await kernel.answer(tool.__name__, arguments.arguments)
        return msgspec.convert(answered, typing.get_type_hints(tool)["return"])

    return placed
