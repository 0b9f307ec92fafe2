"""The host functions that a `KernelInterface` lists, and the declarations that bind them.

In: `Meta.functions`, and the CUDA source. Out: a name and a C++ declaration each. Nothing is compiled here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kernelgate.cuda_source.functions import functions


class InterfaceError(TypeError):
    """A `KernelInterface` is declared in a way that cannot be bound. The message says what to change."""


def declarations(listed: Sequence[Any], cuda_sources: str, owner: str) -> dict[str, str]:
    """A C++ declaration for each listed function, by name.

    An entry is a name, whose declaration is found in the source, or a tuple of a name, its parameters' types and its
    result's type: `("forward_cuda", ["torch::Tensor", "float"], "torch::Tensor")`. Raises InterfaceError.
    """
    return {name: text for name, text in (_declaration(one, cuda_sources, owner) for one in listed)}


def _declaration(entry: Any, cuda_sources: str, owner: str) -> tuple[str, str]:
    if isinstance(entry, str):
        return entry, _found(entry, cuda_sources, owner)
    try:
        name, parameters, result = entry
        if isinstance(name, str) and isinstance(result, str) and not isinstance(parameters, str):
            return name, f"{result} {name}({', '.join(parameters)});"
    except (TypeError, ValueError):
        pass
    raise InterfaceError(
        f"{owner}.Meta.functions holds {entry!r}: give a name, or (name, [parameter types], result type)"
    )


def _found(name: str, cuda_sources: str, owner: str) -> str:
    found = [one for one in functions(cuda_sources) if one.name == name]
    hosts = {one.prototype for one in found if one.kind == "host" and not one.hidden}
    if len(hosts) == 1:
        return hosts.pop()
    if hosts:
        raise InterfaceError(f"{owner}.Meta.functions names {name}, of which the source defines {len(hosts)}")
    kind = "only a kernel, or a hidden function," if found else "no function"
    raise InterfaceError(f"{owner}.Meta.functions names {name}: the source defines {kind} of that name")
