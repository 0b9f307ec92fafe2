"""The instructions of inline PTX that are covered, each as C++.

In: an instruction. Out: the call that does what it says. What that computes is in `include/kernelgate/ptx.h`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kernelgate.emulator.translate.ptx_call import (
    INSTRUCTIONS,
    PTX,
    Asm,
    Call,
    Unknown,
    arguments_of,
    cpp_type,
    instruction,
    value_of,
)

_FLOAT_MODES = r"(?:\.rn)?(?:\.ftz)?(?:\.sat)?"


def _plain(pattern: str, expression: str) -> None:
    """An instruction `d, a, b, c` whose result is an expression in a, b and c, all of the type that ends it."""
    count = 1 + max(i for i, letter in enumerate("abc") if re.search(rf"\b{letter}\b", expression))

    def translate(call: Call) -> str:
        call.needs(1 + count)
        kind = cpp_type(call.match["type"])
        values = {letter: call.read(1 + i, kind) for i, letter in enumerate("abc"[:count])}
        text = re.sub(r"\b([abc])\b", lambda m: values[m[1]], expression)
        return call.write(0, f"static_cast<{kind}>({text})")

    INSTRUCTIONS.append((re.compile(pattern), translate))


_INTEGER, _REAL, _BITS = (
    r"\.(?P<type>[us](?:16|32|64))",
    r"\.(?P<type>f(?:32|64))",
    r"\.(?P<type>b(?:16|32|64))",
)
for _name, _symbol in {"add": "+", "sub": "-"}.items():
    _plain(_name + _INTEGER, f"a {_symbol} b")
    _plain(_name + _FLOAT_MODES + _REAL, f"a {_symbol} b")
_plain(r"mul\.lo" + _INTEGER, "a * b")
_plain(r"mad\.lo" + _INTEGER, "a * b + c")
_plain("mul" + _FLOAT_MODES + _REAL, "a * b")
_plain(r"(?:fma|mad)\.rn(?:\.ftz)?" + _REAL, "::fma(a, b, c)")
_plain(r"div(?:\.rn|\.approx|\.full)?(?:\.ftz)?" + _REAL, "a / b")
_plain("div" + _INTEGER, "a / b")
_plain("rem" + _INTEGER, "a % b")
for _name in ("min", "max"):
    _plain(_name + _INTEGER, f"::{_name}(a, b)")
    _plain(_name + r"(?:\.ftz)?" + _REAL, f"::f{_name}(a, b)")
_plain("abs" + r"(?:\.ftz)?" + _REAL, "::fabs(a)")
_plain("neg" + r"(?:\.ftz)?" + _REAL, "-a")
_plain("neg" + _INTEGER, "-a")
_plain("and" + _BITS, "a & b")
_plain("or" + _BITS, "a | b")
_plain("xor" + _BITS, "a ^ b")
_plain("not" + _BITS, "~a")
for _name, _function in {
    "ex2": "exp2",
    "lg2": "log2",
    "rcp": f"{PTX}reciprocal",
    "rsqrt": f"{PTX}reciprocal_root",
    "sqrt": "sqrt",
    "tanh": "tanh",
    "sin": "sin",
    "cos": "cos",
}.items():
    # The error of the approximation is the hardware's own and is not modelled.
    _plain(
        _name + r"\.(?:approx|rn)(?:\.ftz)?" + _REAL,
        f"{_function if '::' in _function else '::' + _function}(a)",
    )
_plain(r"brev\.(?P<type>b32)", "::__brev(a)")
_plain(r"vabsdiff4\.u32\.u32\.(?P<type>u32)\.add", "::__vsadu4(a, b) + c")
_plain(r"popc\.(?P<type>b32)", "::__popc(a)")
_plain(r"bfind\.(?P<type>u32)", "31u - static_cast<uint32_t>(::__clz(static_cast<int>(a)))")
_plain(r"clz\.(?P<type>b32)", "::__clz(static_cast<int>(a))")
_plain(r"prmt\.(?P<type>b32)", "::__byte_perm(a, b, c)")


@instruction(r"sh(?P<way>[lr])\.(?P<type>[bus](?:16|32|64))")
def _shift(call: Call) -> str:
    call.needs(3)
    kind = cpp_type(call.match["type"])
    name = "shift_left" if call.match["way"] == "l" else "shift_right"
    return call.write(0, f"{PTX}{name}<{kind}>({call.read(1, kind)}, {call.read(2, 'uint32_t')})")


@instruction(r"lop3\.b32")
def _lop3(call: Call) -> str:
    call.needs(5)
    values = ", ".join(call.read(i, "uint32_t") for i in (1, 2, 3, 4))
    return call.write(0, f"{PTX}lop3({values})")


@instruction(r"mul\.wide\.(?P<type>[us]32)")
def _mul_wide(call: Call) -> str:
    call.needs(3)
    kind = cpp_type(call.match["type"])
    wide = kind.replace("32", "64")
    return call.write(0, f"static_cast<{wide}>({call.read(1, kind)}) * {call.read(2, kind)}")


@instruction(r"mov\.(?P<type>pred|[busf](?:16|32|64))")
def _mov(call: Call) -> str:
    call.needs(2)
    if call.arguments[0].startswith("{"):
        return f"{PTX}unpack({value_of(call.arguments[1], call.asm)}, {', '.join(call.vector(0))});"
    if call.arguments[1].startswith("{"):
        return f"{PTX}pack({value_of(call.arguments[0], call.asm)}, {', '.join(call.vector(1))});"
    return call.write(0, call.read(1, cpp_type(call.match["type"])))


@instruction(r"setp\.(?P<compare>eq|ne|lt|le|gt|ge|lo|ls|hi|hs)(?:\.ftz)?\.(?P<type>[busf](?:16|32|64))")
def _setp(call: Call) -> str:
    call.needs(3)
    kind = cpp_type(call.match["type"])
    symbols = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
    symbols |= {"lo": "<", "ls": "<=", "hi": ">", "hs": ">="}
    symbol = symbols[call.match["compare"]]
    return f"{value_of(call.arguments[0], call.asm)} = {call.read(1, kind)} {symbol} {call.read(2, kind)};"


@instruction(r"selp\.(?P<type>[busf](?:16|32|64))")
def _selp(call: Call) -> str:
    call.needs(4)
    kind = cpp_type(call.match["type"])
    return call.write(
        0, f"{value_of(call.arguments[3], call.asm)} ? {call.read(1, kind)} : {call.read(2, kind)}"
    )


_CONVERSIONS = {
    r"rna\.tf32\.f32": ("to_tf32", ("float",)),
    r"rn\.f16\.f32": ("to_half", ("float",)),
    r"f32\.f16": ("from_half", ("uint16_t",)),
    r"rn\.bf16\.f32": ("to_bfloat16", ("float",)),
    r"f32\.bf16": ("from_bfloat16", ("uint16_t",)),
    r"rn\.f16x2\.f32": ("to_half_pair", ("float", "float")),
    r"rn\.bf16x2\.f32": ("to_bfloat16_pair", ("float", "float")),
}


def _conversion(pattern: str, function: str, kinds: Sequence[str]) -> None:
    def translate(call: Call) -> str:
        call.needs(1 + len(kinds))
        values = ", ".join(call.read(1 + i, kind) for i, kind in enumerate(kinds))
        return call.write(0, f"{PTX}{function}({values})")

    INSTRUCTIONS.append((re.compile(rf"cvt\.{pattern}"), translate))


for _pattern, (_function, _kinds) in _CONVERSIONS.items():
    _conversion(_pattern, _function, _kinds)


@instruction(
    r"cvt\.(?:r[nz]i?\.)?(?:ftz\.)?(?P<to>[us](?:16|32|64)|f32|f64)\.(?P<from>[us](?:16|32|64)|f32|f64)"
)
def _cvt(call: Call) -> str:
    call.needs(2)
    target, source = cpp_type(call.match["to"]), cpp_type(call.match["from"])
    rounding = "nearest" if ".rni" in call.opcode else "zero"
    return call.write(0, f"{PTX}convert_{rounding}<{target}>({call.read(1, source)})")


@instruction(r"cvta(?:\.to)?\.(?:shared|global)(?:::cta)?\.u(?:32|64)")
def _cvta(call: Call) -> str:
    call.needs(2)
    source = value_of(call.arguments[1], call.asm)
    return f"{value_of(call.arguments[0], call.asm)} = static_cast<decltype({source})>({source});"


_SPACE = r"(?:\.(?:global|shared|const|local)(?:::(?:cta|cluster))?)?"
_HINTS = r"(?:\.(?:nc|ca|cg|cs|lu|cv|wb|wt|L[12]::\w+))*"
_ORDER = r"(?:\.(?:volatile|weak|relaxed|acquire|release))?(?:\.(?:cta|cluster|gpu|sys))?"
_ACCESS = _ORDER + _SPACE + _HINTS + r"(?:\.v(?P<count>[24]))?\.(?P<type>[busf](?:8|16|32|64))"


@instruction("ld" + _ACCESS)
def _ld(call: Call) -> str:
    call.needs(2)
    targets = call.vector(0)
    if len(targets) != int(call.match["count"] or 1):
        raise Unknown(f"{call.opcode} to {len(targets)} registers")
    return f"{PTX}load<{cpp_type(call.match['type'])}>({call.address(1)}, {', '.join(targets)});"


@instruction("st" + _ACCESS)
def _st(call: Call) -> str:
    call.needs(2)
    sources = call.vector(1)
    if len(sources) != int(call.match["count"] or 1):
        raise Unknown(f"{call.opcode} of {len(sources)} registers")
    return f"{PTX}store<{cpp_type(call.match['type'])}>({call.address(0)}, {', '.join(sources)});"


_ATOMIC_TYPES = {
    "u32": "unsigned",
    "s32": "int",
    "u64": "unsigned long long",
    "f32": "float",
    "f64": "double",
    "b32": "unsigned",
}
_ATOMIC = _ORDER + _SPACE + r"\.(?P<op>add|min|max|and|or|xor|exch)\.(?P<type>[usbf](?:32|64))"


def _atomic(call: Call, address: int) -> str:
    kind = _ATOMIC_TYPES.get(call.match["type"])
    if kind is None:
        raise Unknown(call.opcode)
    name = "atomic" + call.match["op"].capitalize()
    value = call.read(address + 1, cpp_type(call.match["type"]))
    return f"::{name}(reinterpret_cast<{kind}*>({call.address(address)}), static_cast<{kind}>({value}))"


@instruction("red" + _ATOMIC)
def _red(call: Call) -> str:
    call.needs(2)
    return _atomic(call, 0) + ";"


@instruction("atom" + _ATOMIC)
def _atom(call: Call) -> str:
    call.needs(3)
    return call.write(0, f"static_cast<{cpp_type(call.match['type'])}>({_atomic(call, 1)})")


@instruction(r"(?:bar|barrier)(?:\.cta)?\.(?P<how>sync|arrive)(?:\.aligned)?")
def _bar_sync(call: Call) -> str:
    call.needs(1, 2)
    if call.arguments == ["0"] and call.match["how"] == "sync":
        return "__syncthreads();"
    threads = call.read(1, "uint32_t") if len(call.arguments) == 2 else "0"
    waits = int(call.match["how"] == "sync")
    return f"kernelgate_named_barrier({call.read(0, 'uint32_t')}, {threads}, {waits});"


@instruction(r"trap")
def _trap(call: Call) -> str:
    return "::kernelgate_trap();"


@instruction(r"bar\.warp\.sync")
def _bar_warp(call: Call) -> str:
    call.needs(1)
    return f"::__syncwarp({call.read(0, 'uint32_t')});"


@instruction(r"(?:membar|fence(?!\.proxy))(?:\.\w+)*")
def _fence(call: Call) -> str:
    return "::__threadfence();"


@instruction(r"prefetch(?:u)?(?:\.\w+)*(?:::\w+)?")
def _prefetch(call: Call) -> str:
    return ";"


@instruction(r"cp\.async\.c[ag]\.shared(?:::cta)?\.global(?P<hint>\.L2::cache_hint)?(?:\.L2::\d+B)?")
def _copy_async(call: Call) -> str:
    call.needs(3, 5)
    arguments = [value_of(a, call.asm) for a in call.arguments[2 : 5 - bool(call.match["hint"])]]
    return f"{PTX}copy_async({call.address(0)}, {call.address(1)}, {', '.join(arguments)});"


@instruction(r"cp\.async\.commit_group")
def _commit(call: Call) -> str:
    return "::kernelgate_async_commit();"


@instruction(r"cp\.async\.wait_group")
def _wait_group(call: Call) -> str:
    call.needs(1)
    return f"::kernelgate::wait_async_copies({call.read(0, 'uint32_t')});"


@instruction(r"cp\.async\.wait_all")
def _wait_all(call: Call) -> str:
    return "::kernelgate_async_commit(); ::kernelgate::wait_async_copies(0);"


# ptxas takes its parts in any order.
@instruction(
    r"ldmatrix\.sync\.aligned(?=.*\.x(?P<count>[124]))(?=(?:.*(?P<trans>\.trans))?)"
    r"(?:\.(?:m8n8|x[124]|trans|shared(?:::cta)?|b16))+"
)
def _ldmatrix(call: Call) -> str:
    call.needs(2)
    targets = call.vector(0)
    if len(targets) != int(call.match["count"]):
        raise Unknown(f"{call.opcode} to {len(targets)} registers")
    trans = "true" if call.match["trans"] else "false"
    return f"{PTX}load_matrices<{trans}>({call.address(1)}, {', '.join(targets)});"


_ELEMENT = {"f16": "Half", "bf16": "Bfloat16", "tf32": "Tf32", "s8": "Signed8", "u8": "Unsigned8"}
_DEPTHS = {"f16": (8, 16), "bf16": (8, 16), "tf32": (4, 8), "s8": (16, 32), "u8": (16, 32)}
_SUM = {"f32": "float", "f16": "half_sum", "s32": "int32_t"}


@instruction(
    r"mma\.sync\.aligned\.m16n8k(?P<k>\d+)\.row\.col(?:\.satfinite)?"
    r"\.(?P<d>f32|f16|s32)\.(?P<a>\w+)\.(?P<b>\w+)\.(?P<c>f32|f16|s32)"
)
def _mma(call: Call) -> str:
    call.needs(4)
    m = call.match
    element = m["a"]
    integers = element in ("s8", "u8")
    known = element == m["b"] and m["c"] == m["d"] and int(m["k"]) in _DEPTHS.get(element, ())
    if not known or integers != (m["d"] == "s32") or (m["d"] == "f16" and element != "f16"):
        raise Unknown(call.opcode)
    d, a, b, c = ([f"&{name}" for name in call.vector(i)] for i in range(4))
    scalar = f"16, 8, {m['k']}, {PTX}{_ELEMENT[element]}, {PTX if m['d'] == 'f16' else ''}{_SUM[m['d']]}"
    lists = ", ".join(f"{{{', '.join(part)}}}" for part in (d, a, b, c))
    return f"{PTX}mma<{scalar}>({lists});"


def translate(opcode: str, operands: str, asm: Asm) -> str:
    """C++ of an instruction. Raises Unknown."""
    for pattern, translated in INSTRUCTIONS:
        if m := pattern.fullmatch(opcode):
            return translated(Call(opcode, m, arguments_of(operands), asm))
    raise Unknown(opcode)
