"""The CUDA sources that programs pass to load_inline, without building any of them."""

from __future__ import annotations

import contextlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from torch.utils import cpp_extension


def cuda_sources(program: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, list[str]]]:
    """Each source of a program that builds when it is imported, with its flags for nvcc."""
    found: list[tuple[str, list[str]]] = []

    def load_inline(name: str, cpp_sources: Any = "", cuda_sources: Any = "", **rest: Any) -> Any:
        cuda = cuda_sources if isinstance(cuda_sources, str) else "\n".join(cuda_sources or [])
        found.append((cuda, list(rest.get("extra_cuda_cflags") or [])))
        return SimpleNamespace()

    monkeypatch.setattr(cpp_extension, "load_inline", load_inline)
    with contextlib.suppress(AttributeError):  # what it does with the module that it did not get
        exec(compile(program.read_text(), str(program), "exec"), {"__name__": "candidate"})
    return [(source, flags) for source, flags in found if source.strip()]
