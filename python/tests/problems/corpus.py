"""Problems of many kinds, each with an honest program, which passes, and a wrong one, which fails and is described.

In: kinds/, a problem a file. Out: `Kind`. A file holds text: PROBLEM and HONEST, without their imports; CUDA, which
HONEST calls as `ext`; MISTAKE, what is replaced in these to make the wrong program, and SAYS, a part of what is
then said. DROP_IN is True where the honest program is one, and else a part of what keeps it from being one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent / "kinds"

_IMPORTS = "import math\nimport torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
_EXTENSION = """
from torch.utils.cpp_extension import load_inline

ext = load_inline(name={name!r}, cpp_sources={declarations!r}, functions={functions!r}, cuda_sources=r'''
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <cfloat>

#define STREAM c10::cuda::getCurrentCUDAStream()
{source}''')
"""
_NO_ARGUMENTS = "\n\ndef get_init_inputs():\n    return []\n"


@dataclass(frozen=True)
class Kind:
    """One problem. `mistake`: what is replaced, by what; `says`: of the wrong program."""

    name: str
    about: str
    problem: str
    honest: str
    cuda: str
    mistake: tuple[str, str]
    says: str
    drop_in: bool | str

    @property
    def has_kernel(self) -> bool:
        return bool(self.cuda)

    @property
    def reference(self) -> str:
        text = _IMPORTS + self.problem
        return text if "def get_init_inputs" in text else text + _NO_ARGUMENTS

    @property
    def program(self) -> str:
        return _program(self.name, self.honest, self.cuda)

    @property
    def wrong(self) -> str:
        old, new = self.mistake
        if (self.honest + self.cuda).count(old) != 1:
            raise ValueError(f"{self.name}: {old!r} does not stand in the program once")
        return _program(self.name, self.honest.replace(old, new), self.cuda.replace(old, new))


def _program(name: str, module: str, cuda: str) -> str:
    if not cuda:
        return _IMPORTS + module
    found = re.findall(
        r"^((?:torch::Tensor|std::vector<torch::Tensor>|void) (\w+)\([^)]*\)) \{", cuda, re.MULTILINE
    )
    extension = _EXTENSION.format(
        name=f"kind_{name}",
        declarations="\n".join(f"{declaration};" for declaration, _function in found),
        functions=[function for _declaration, function in found],
        source=cuda,
    )
    return _IMPORTS + extension + module


def kinds() -> Iterator[Kind]:
    """All of them, by name. Raises ValueError for a file that lacks something."""
    for file in sorted(HERE.glob("*.py")):
        fields: dict[str, Any] = {}
        exec(compile(file.read_text(), str(file), "exec"), fields)
        try:
            yield Kind(
                name=file.stem,
                about=fields["__doc__"],
                problem=fields["PROBLEM"],
                honest=fields["HONEST"],
                cuda=fields.get("CUDA", ""),
                mistake=fields["MISTAKE"],
                says=fields["SAYS"],
                drop_in=fields["DROP_IN"],
            )
        except KeyError as exc:
            raise ValueError(f"{file}: lacks {exc}") from exc
