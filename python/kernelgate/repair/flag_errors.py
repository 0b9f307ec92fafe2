"""A flag that nvcc does not take, with what to write instead.

In: a failed build and one of its errors. Out: `Explained`, or None for another error. Not here: which flags these are
without a compiler (`cuda_source.nvcc_flags`).
"""

from __future__ import annotations

import re

from kernelgate.cuda_source.nvcc_flags import meant_flag
from kernelgate.messages.failures import Diagnostic
from kernelgate.repair import rewrites
from kernelgate.repair.failed_build import Explained, FailedBuild, explained

_UNKNOWN = re.compile(r"Unknown option '(?P<flag>[^']+)'")


def unknown_flag(build: FailedBuild, error: Diagnostic) -> Explained | None:
    found = _UNKNOWN.search(error.message)
    if found is None:
        return None
    flag = found["flag"]
    meant = meant_flag(flag)
    step = f"Write {meant}" if meant else "Take it out: flags for g++ belong in extra_cflags"
    place = build.units.argument_place("extra_cuda_cflags")
    changed = rewrites.with_flag(build.candidate, flag, meant)
    return explained(build, error, f"nvcc has no option {flag}", step, changed, place)
