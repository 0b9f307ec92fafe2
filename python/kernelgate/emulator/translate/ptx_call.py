"""One instruction of inline PTX, and its operands as C++ expressions.

In: the text of an instruction, and what its asm statement declares. Out: C++ text. Not here: what an instruction does.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

PTX = "::kernelgate::ptx::"


class Unknown(Exception):
    """An instruction, or a form of one, that is not covered; its text is what the person reads."""


@dataclass
class Asm:
    """What the statements of one asm block are translated with."""

    operands: list[str] = field(default_factory=list)  # C++ variable of each %N
    names: dict[str, str] = field(default_factory=dict)  # of each .reg and of each %[name]
    outputs: dict[str, str] = field(default_factory=dict)  # what the program calls a variable that is written
    by_reference: set[str] = field(
        default_factory=set
    )  # variables whose instruction reads and writes it itself
    labels: list[str] = field(default_factory=list)
    checks: list[str] = field(default_factory=list)  # what the compiler is to see first


_SPECIAL = {
    **{f"tid.{d}": f"::threadIdx.{d}" for d in "xyz"},
    **{f"ntid.{d}": f"::blockDim.{d}" for d in "xyz"},
    **{f"ctaid.{d}": f"::blockIdx.{d}" for d in "xyz"},
    **{f"nctaid.{d}": f"::gridDim.{d}" for d in "xyz"},
    **{f"cluster_ctaid.{d}": f"kernelgate_cluster_place(0, {i})" for i, d in enumerate("xyz")},
    **{f"cluster_nctaid.{d}": f"kernelgate_cluster_place(1, {i})" for i, d in enumerate("xyz")},
    **{f"clusterid.{d}": f"kernelgate_cluster_place(2, {i})" for i, d in enumerate("xyz")},
    **{f"nclusterid.{d}": f"kernelgate_cluster_place(3, {i})" for i, d in enumerate("xyz")},
    "cluster_ctarank": "kernelgate_cluster_place(4, 0)",
    "cluster_nctarank": "kernelgate_cluster_place(5, 0)",
    "laneid": f"{PTX}lane()",
    "warpid": f"{PTX}warp()",
    "smid": f"{PTX}multiprocessor()",
    "lanemask_eq": f"(1u << {PTX}lane())",
    "lanemask_lt": f"((1u << {PTX}lane()) - 1u)",
    "lanemask_le": f"((2u << {PTX}lane()) - 1u)",
    "lanemask_gt": f"(~((2u << {PTX}lane()) - 1u))",
    "lanemask_ge": f"(~((1u << {PTX}lane()) - 1u))",
}


def arguments_of(text: str) -> list[str]:
    found = [""]
    depth = 0
    for letter in text:
        depth += (letter in "{[") - (letter in "}]")
        if letter == "," and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    return [argument.strip() for argument in found] if text.strip() else []


def value_of(name: str, asm: Asm) -> str:
    """C++ expression of a register, an immediate or a special register."""
    if m := re.fullmatch(r"%(\d+)", name):
        if int(m[1]) < len(asm.operands):
            return asm.operands[int(m[1])]
    elif m := re.fullmatch(r"%\[(\w+)\]", name):
        if m[1] in asm.names:
            return asm.names[m[1]]
    elif name in asm.names:
        return asm.names[name]
    elif re.fullmatch(r"-?(0[xX][0-9a-fA-F]+|\d+)U?", name):
        return name.lower()
    elif m := re.fullmatch(r"0[fF]([0-9a-fA-F]{8})", name):
        return f"::kernelgate::from_bits<float>(0x{m[1]}u)"
    elif re.fullmatch(r"-?\d+\.\d*(e[+-]?\d+)?", name):
        return name
    elif name.lstrip("%") in _SPECIAL:
        return _SPECIAL[name.lstrip("%")]
    raise Unknown(f"operand {name}")


def cpp_type(suffix: str) -> str:
    if suffix == "pred":
        return "bool"
    if m := re.fullmatch(r"([busf])(8|16|32|64)", suffix):
        kind, bits = m[1], m[2]
        if kind == "f" and bits in ("32", "64"):
            return "float" if bits == "32" else "double"
        return f"{'' if kind == 's' else 'u'}int{bits}_t"
    raise Unknown(f"type .{suffix}")


@dataclass(frozen=True)
class Call:
    """One instruction: its opcode as matched, and its operands."""

    opcode: str
    match: re.Match[str]
    arguments: list[str]
    asm: Asm

    def needs(self, least: int, most: int | None = None) -> None:
        if not least <= len(self.arguments) <= (most or least):
            raise Unknown(f"{self.opcode} with {len(self.arguments)} operands")

    def read(self, i: int, kind: str) -> str:
        return f"{PTX}as<{kind}>({value_of(self.arguments[i], self.asm)})"

    def write(self, i: int, value: str) -> str:
        return f"{PTX}put({value_of(self.arguments[i], self.asm)}, {value});"

    def vector(self, i: int) -> list[str]:
        text = self.arguments[i]
        inside = text[1:-1].split(",") if text.startswith("{") else [text]
        return [value_of(name.strip(), self.asm) for name in inside]

    def address(self, i: int) -> str:
        m = re.fullmatch(r"\[\s*([^\s+]+)\s*(?:\+\s*(\S+))?\s*\]", self.arguments[i])
        if not m:
            raise Unknown(f"address {self.arguments[i]}")
        base = f"static_cast<uint64_t>({value_of(m[1], self.asm)})"
        return f"{base} + {value_of(m[2], self.asm)}" if m[2] else base


Translate = Callable[[Call], str]
INSTRUCTIONS: list[tuple[re.Pattern[str], Translate]] = []
"""Each pattern of an opcode with what translates it, first match first; modules of instructions add theirs."""


def instruction(pattern: str) -> Callable[[Translate], Translate]:
    def register(translate: Translate) -> Translate:
        INSTRUCTIONS.append((re.compile(pattern), translate))
        return translate

    return register
