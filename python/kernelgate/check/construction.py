"""How a module is made from what `get_init_inputs` gives: `Model(*values)`, or by position and by name.

In: a class and these values. Out: an instance. Judge and worker both use it, so that both make the same one.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any


def constructed(make: Callable[..., Any], values: Sequence[Any]) -> Any:
    """`make(*values)`. Where the values are a list and a dictionary, as in `[[64], {"bias": False}]`, and `make` takes
    what is in them, `make(64, bias=False)`. Raises what `make` raises."""
    if len(values) == 2 and isinstance(values[0], list | tuple) and isinstance(values[1], dict):
        by_position, by_name = values
        if all(isinstance(name, str) for name in by_name) and _takes(make, by_position, by_name):
            return make(*by_position, **by_name)
    return make(*values)


def _takes(make: Callable[..., Any], by_position: Sequence[Any], by_name: dict[str, Any]) -> bool:
    try:
        inspect.signature(make).bind(*by_position, **by_name)
    except (TypeError, ValueError):  # it does not, or does not say what it takes
        return False
    return True
