"""For which GPU a program is compiled: sm_80, an older or smaller one that a person asks for, or sm_90a where its text
needs what only that has.

In: CUDA source, as it is for that GPU. Out: the compiler's flags, and the source with `__cluster_dims__` as a call that
a kernel's first thread makes. Not here: what those instructions do (`ptx_hopper`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kernelgate.cuda_source.architectures import MULTIPROCESSORS
from kernelgate.cuda_source.lexer import Edit, Token, apply, blank, closing, line_of, tokens
from kernelgate.emulator.errors import Refused

SM90_FLAGS = ("-DKERNELGATE_SM90",)
SM90_DEFINES = ("-D__CUDA_ARCH__=900", "-D__CUDA_ARCH_FEAT_SM90_ALL=1")
"""What nvcc then defines, for conditions that are decided before the compiler sees them."""

_NUMBER = re.compile(r"-DKERNELGATE_ARCH=(\d+)")
_EMULATED = frozenset({"sm_70", "sm_75", "sm_86", "sm_87", "sm_89"})

_NEEDS_SM90 = re.compile(
    r"wgmma\.|cp\.async\.bulk|setmaxnreg\.|barrier\.cluster|mbarrier\.try_wait|mapa\.|elect\.sync"
    r"|\b__cluster_dims__\b|\bcudaLaunchAttributeClusterDimension\b|\bcuTensorMapEncode|\bthis_cluster\b"
)


def arch_flags(arch: str | None) -> list[str]:
    """What tells the emulator's headers that a run is for such a GPU, as "sm_75"; nothing for those that it decides on
    by a program's text: None, sm_80, and sm_90 and later."""
    if arch not in _EMULATED:
        return []
    held = MULTIPROCESSORS[arch]
    facts = {"ARCH": f"{arch[3:]}0", "WARPS": held.warps, "BLOCKS": held.blocks, "SHARED_KIB": held.shared_kib,
             "RESERVED_KIB": held.reserved_kib}  # fmt: skip
    return [f"-DKERNELGATE_{name}={value}" for name, value in facts.items()]


def arch_defines(flags: Sequence[str]) -> list[str]:
    """What nvcc defines by itself, for flags that have `arch_flags`."""
    return [f"-D__CUDA_ARCH__={m[1]}" for flag in flags if (m := _NUMBER.fullmatch(flag)) is not None]


def needs_sm90(source: str) -> bool:
    return _NEEDS_SM90.search(source) is not None


def rewrite_cluster_dims(source: str, unit: str = "cuda.cu") -> str:
    """`source` with each `__cluster_dims__` as a call at the start of its kernel, lines unchanged."""
    all_tokens = tokens(blank(source))
    edits: list[Edit] = []
    for i, token in enumerate(all_tokens):
        if token.text != "__cluster_dims__":
            continue
        end = closing(all_tokens, i + 1)
        body = None if end is None else _body(all_tokens, end + 1)
        if end is None or body is None:
            raise Refused("a __cluster_dims__ that cannot be read", unit, line_of(source, token.start))
        sizes = source[all_tokens[i + 1].end : all_tokens[end].start]
        edits.append(Edit(token.start, all_tokens[end].end, ""))
        if all_tokens[body].text == "{":
            at = all_tokens[body].end
            edits.append(Edit(at, at, f" ::kernelgate::cluster_dims({sizes});"))
    return apply(source, edits)


def _body(all_tokens: Sequence[Token], first: int) -> int | None:
    """Index of the brace that opens a kernel's body, or of the semicolon that ends its declaration."""
    i = first
    while i < len(all_tokens):
        if all_tokens[i].text == "(":
            end = closing(all_tokens, i)
            if end is None:
                return None
            i = end
        elif all_tokens[i].text in ("{", ";"):
            return i
        i += 1
    return None
