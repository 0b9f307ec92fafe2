"""What this machine lacks for a program, as an exception of it says: nothing about the program.

In: an exception, as plain data. Out: half a sentence. Not here: what a compiler lacks (`repair.diagnostics`).
"""

from __future__ import annotations

import re
from collections.abc import Collection

from kernelgate.messages.failures import Raised
from kernelgate.repair import missing_modules
from kernelgate.repair.exception_fixes import NO_MODULE

_NO_LIBRARY = re.compile(r"(?P<name>lib[\w+-]+\.so[\w.]*): cannot open shared object file")


def lacking(raised: Raised, built: Collection[str] = ()) -> str:
    """the package cupy is not installed; "" if it says nothing of that. `built`: names of the program's own extensions,
    which torch.compile imports as if they were packages."""
    missing = NO_MODULE.match(raised.message)
    if raised.type == "ModuleNotFoundError" and missing is not None:
        if missing["name"] in built:
            return ""
        name = missing_modules.not_installed(missing["name"])
        return f"the package {name} is not installed" if name else ""
    if raised.type in ("ImportError", "OSError") and (found := _NO_LIBRARY.search(raised.message)) is not None:
        return f"the library {found['name']} is not installed"
    if "no kernel image is available" in raised.message:
        return "the program is built for other GPUs than this one"
    if "PTX was compiled with an unsupported toolchain" in raised.message:
        return "the driver is older than the CUDA toolkit"
    return ""
