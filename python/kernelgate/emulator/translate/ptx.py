"""Inline PTX as C++: each `asm` statement becomes a block that does what its instructions say.

In: source text. Out: the same text with each asm statement rewritten, every line number unchanged; `Refused` names
the first instruction that is not known. Not here: what an instruction computes (`include/kernelgate/ptx.h`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from kernelgate.cuda_source.lexer import Edit, Token, apply, blank, closing, line_of, tokens
from kernelgate.emulator.errors import Refused

_KEYWORDS = ("asm", "__asm__", "__asm")
_REGISTERS = {"r": "uint32_t", "f": "float", "l": "uint64_t", "d": "double", "h": "uint16_t"}
_P = "::kernelgate::ptx::"


def rewrite_ptx(source: str, unit: str = "cuda.cu") -> str:
    """`source` with its inline PTX rewritten. Raises Refused for an instruction that is not covered."""
    blanked = blank(source)
    all_tokens = tokens(blanked)
    edits = [
        edit
        for i, token in enumerate(all_tokens)
        if token.text in _KEYWORDS and (edit := _edit(source, all_tokens, i, unit)) is not None
    ]
    return apply(source, edits)


def _edit(source: str, all_tokens: Sequence[Token], at: int, unit: str) -> Edit | None:
    first = at + 1
    while first < len(all_tokens) and all_tokens[first].text in ("volatile", "__volatile__"):
        first += 1
    if first >= len(all_tokens) or all_tokens[first].text != "(":
        return None
    line = line_of(source, all_tokens[at].start)
    last = closing(all_tokens, first)
    if last is None:
        raise Refused("inline PTX that cannot be read", unit, line)
    try:
        text = _block(source, all_tokens[first + 1 : last])
    except _Unknown as unknown:
        raise Refused(f"inline PTX ({unknown})", unit, line) from None
    start, end = all_tokens[at].start, all_tokens[last].end
    # Inside a macro each line must still end in a backslash.
    text += " \\\n" * source.count("\\\n", start, end)
    return Edit(start, end, text)


class _Unknown(Exception):
    """An instruction, or a form of one, that is not covered; its text is what the person reads."""


@dataclass
class _Asm:
    """What the statements of one asm block are translated with."""

    operands: list[str] = field(default_factory=list)  # C++ variable of each %N
    names: dict[str, str] = field(default_factory=dict)  # of each .reg and of each %[name]


def _block(source: str, inside: Sequence[Token]) -> str:
    sections = _split_sections(inside)
    template = _template(source, sections[0])
    asm = _Asm()
    before: list[str] = []
    after: list[str] = []
    for number, section in enumerate(sections[1:3]):
        for operand in _split(section, ","):
            _operand(source, operand, number == 0, asm, before, after)
    body = [_statement(statement, asm) for statement in _statements(template.replace("%%", "%"))]
    return f"do {{ {' '.join([*before, *body, *after])} }} while (0)"


def _split_sections(inside: Sequence[Token]) -> list[list[Token]]:
    """Template, outputs, inputs, clobbers. `::` counts as two colons where no name stands before it."""
    sections: list[list[Token]] = [[]]
    depth = 0
    for token in inside:
        depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
        if depth == 0 and token.text in (":", "::"):
            sections.extend([] for _ in token.text)
        else:
            sections[-1].append(token)
    return sections + [[]] * (4 - len(sections))


def _split(part: Sequence[Token], separator: str) -> list[list[Token]]:
    pieces: list[list[Token]] = [[]]
    depth = 0
    for token in part:
        depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
        if depth == 0 and token.text == separator:
            pieces.append([])
        else:
            pieces[-1].append(token)
    return [piece for piece in pieces if piece]


def _template(source: str, part: Sequence[Token]) -> str:
    text = ""
    raw = False
    for token in part:
        if token.text == "R":
            raw = True
        elif token.text[0] != '"':
            raise _Unknown("put together by the preprocessor")
        else:
            literal = source[token.start + 1 : token.end - 1]
            if raw:
                literal = literal[literal.index("(") + 1 : literal.rindex(")")]
            else:
                literal = re.sub(
                    r"\\(\n|.)", lambda m: {"n": "\n", "t": " ", "\n": ""}.get(m[1], m[1]), literal
                )
            text += literal
            raw = False
    return text


def _operand(
    source: str, part: Sequence[Token], is_output: bool, asm: _Asm, before: list[str], after: list[str]
) -> None:
    named = None
    if part[0].text == "[":
        named, part = part[1].text, part[3:]
    if len(part) < 3 or part[0].text[0] != '"' or part[1].text != "(":
        raise _Unknown("operands that cannot be read")
    constraint = source[part[0].start + 1 : part[0].end - 1]
    expression = source[part[2].start : part[-2].end].replace("\\\n", " ") if len(part) > 3 else ""
    expression = re.sub(r"\s+", " ", expression) if "//" not in expression else expression + "\n"
    number = len(asm.operands)
    variable = f"kernelgate_r{number}"
    kind = _REGISTERS.get(constraint.lstrip("=+&"))
    if constraint in ("n", "i"):
        before.append(f"const auto {variable} = {expression};")
    elif kind is None:
        raise _Unknown(f'operand constraint "{constraint}"')
    elif is_output:
        before.append(f"auto&& kernelgate_o{number} = {expression};")
        start = f"{_P}in<{kind}>(kernelgate_o{number})" if constraint.startswith("+") else "0"
        before.append(f"{kind} {variable} = {start};")
        after.append(f"{_P}out(kernelgate_o{number}, {variable});")
    else:
        before.append(f"const {kind} {variable} = {_P}in<{kind}>({expression});")
    asm.operands.append(variable)
    if named:
        asm.names[named] = variable


def _statements(template: str) -> list[str]:
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", template, flags=re.DOTALL)
    found = []
    for piece in re.split(r";", text):
        # Braces around statements open and close scopes; those inside a statement hold vectors.
        statement = re.sub(r"^[\s{}]*(?=[@.a-zA-Z]|$)", "", piece)
        if statement.strip():
            found.append(re.sub(r"\s+", " ", statement).strip())
    return found


def _statement(text: str, asm: _Asm) -> str:
    if m := re.match(r"\.reg \.(\w+) (.+)$", text):
        kind = _cpp_type(m[1])
        names = [name.strip() for name in m[2].split(",")]
        for name in names:
            if not re.fullmatch(r"%?[A-Za-z_]\w*", name):
                raise _Unknown(text)
            asm.names[name] = "kernelgate_" + name.lstrip("%")
        return f"{kind} {', '.join(asm.names[name] + ' = 0' for name in names)};"
    guard = ""
    if m := re.match(r"@(!?)(%?\w+) ", text):
        guard = f"if ({m[1]}{_value(m[2], asm)}) "
        text = text[m.end() :]
    opcode, _, rest = text.partition(" ")
    for pattern, translate in _INSTRUCTIONS:
        if m := pattern.fullmatch(opcode):
            return f"{guard}{translate(_Call(opcode, m, _arguments(rest), asm))}"
    raise _Unknown(opcode)


def _arguments(text: str) -> list[str]:
    found = [""]
    depth = 0
    for letter in text:
        depth += (letter in "{[") - (letter in "}]")
        if letter == "," and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    return [argument.strip() for argument in found] if text.strip() else []


def _value(name: str, asm: _Asm) -> str:
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
    raise _Unknown(f"operand {name}")


_SPECIAL = {
    **{f"tid.{d}": f"::threadIdx.{d}" for d in "xyz"},
    **{f"ntid.{d}": f"::blockDim.{d}" for d in "xyz"},
    **{f"ctaid.{d}": f"::blockIdx.{d}" for d in "xyz"},
    **{f"nctaid.{d}": f"::gridDim.{d}" for d in "xyz"},
    "laneid": f"{_P}lane()",
    "warpid": f"{_P}warp()",
    "smid": f"{_P}multiprocessor()",
    "lanemask_eq": f"(1u << {_P}lane())",
    "lanemask_lt": f"((1u << {_P}lane()) - 1u)",
    "lanemask_le": f"((2u << {_P}lane()) - 1u)",
    "lanemask_gt": f"(~((2u << {_P}lane()) - 1u))",
    "lanemask_ge": f"(~((1u << {_P}lane()) - 1u))",
}


def _cpp_type(suffix: str) -> str:
    if suffix == "pred":
        return "bool"
    if m := re.fullmatch(r"([busf])(8|16|32|64)", suffix):
        kind, bits = m[1], m[2]
        if kind == "f" and bits in ("32", "64"):
            return "float" if bits == "32" else "double"
        return f"{'' if kind == 's' else 'u'}int{bits}_t"
    raise _Unknown(f"type .{suffix}")


@dataclass(frozen=True)
class _Call:
    """One instruction: its opcode as matched, and its operands."""

    opcode: str
    match: re.Match[str]
    arguments: list[str]
    asm: _Asm

    def needs(self, least: int, most: int | None = None) -> None:
        if not least <= len(self.arguments) <= (most or least):
            raise _Unknown(f"{self.opcode} with {len(self.arguments)} operands")

    def read(self, i: int, kind: str) -> str:
        return f"{_P}as<{kind}>({_value(self.arguments[i], self.asm)})"

    def write(self, i: int, value: str) -> str:
        return f"{_P}put({_value(self.arguments[i], self.asm)}, {value});"

    def vector(self, i: int) -> list[str]:
        text = self.arguments[i]
        inside = text[1:-1].split(",") if text.startswith("{") else [text]
        return [_value(name.strip(), self.asm) for name in inside]

    def address(self, i: int) -> str:
        m = re.fullmatch(r"\[\s*([^\s+]+)\s*(?:\+\s*(\S+))?\s*\]", self.arguments[i])
        if not m:
            raise _Unknown(f"address {self.arguments[i]}")
        base = f"static_cast<uint64_t>({_value(m[1], self.asm)})"
        return f"{base} + {_value(m[2], self.asm)}" if m[2] else base


_Translate = Callable[[_Call], str]
_INSTRUCTIONS: list[tuple[re.Pattern[str], _Translate]] = []


def _instruction(pattern: str) -> Callable[[_Translate], _Translate]:
    def register(translate: _Translate) -> _Translate:
        _INSTRUCTIONS.append((re.compile(pattern), translate))
        return translate

    return register


_FLOAT_MODES = r"(?:\.rn)?(?:\.ftz)?(?:\.sat)?"


def _plain(pattern: str, expression: str) -> None:
    """An instruction `d, a, b, c` whose result is an expression in a, b and c, all of the type that ends it."""
    count = 1 + max(i for i, letter in enumerate("abc") if re.search(rf"\b{letter}\b", expression))

    def translate(call: _Call) -> str:
        call.needs(1 + count)
        kind = _cpp_type(call.match["type"])
        values = {letter: call.read(1 + i, kind) for i, letter in enumerate("abc"[:count])}
        text = re.sub(r"\b([abc])\b", lambda m: values[m[1]], expression)
        return call.write(0, f"static_cast<{kind}>({text})")

    _INSTRUCTIONS.append((re.compile(pattern), translate))


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
    "rcp": f"{_P}reciprocal",
    "rsqrt": f"{_P}reciprocal_root",
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
_plain(r"popc\.(?P<type>b32)", "::__popc(a)")
_plain(r"clz\.(?P<type>b32)", "::__clz(static_cast<int>(a))")
_plain(r"prmt\.(?P<type>b32)", "::__byte_perm(a, b, c)")


@_instruction(r"sh(?P<way>[lr])\.(?P<type>[bus](?:16|32|64))")
def _shift(call: _Call) -> str:
    call.needs(3)
    kind = _cpp_type(call.match["type"])
    name = "shift_left" if call.match["way"] == "l" else "shift_right"
    return call.write(0, f"{_P}{name}<{kind}>({call.read(1, kind)}, {call.read(2, 'uint32_t')})")


@_instruction(r"lop3\.b32")
def _lop3(call: _Call) -> str:
    call.needs(5)
    values = ", ".join(call.read(i, "uint32_t") for i in (1, 2, 3, 4))
    return call.write(0, f"{_P}lop3({values})")


@_instruction(r"mul\.wide\.(?P<type>[us]32)")
def _mul_wide(call: _Call) -> str:
    call.needs(3)
    kind = _cpp_type(call.match["type"])
    wide = kind.replace("32", "64")
    return call.write(0, f"static_cast<{wide}>({call.read(1, kind)}) * {call.read(2, kind)}")


@_instruction(r"mov\.(?P<type>pred|[busf](?:16|32|64))")
def _mov(call: _Call) -> str:
    call.needs(2)
    if call.arguments[0].startswith("{"):
        return f"{_P}unpack({_value(call.arguments[1], call.asm)}, {', '.join(call.vector(0))});"
    if call.arguments[1].startswith("{"):
        return f"{_P}pack({_value(call.arguments[0], call.asm)}, {', '.join(call.vector(1))});"
    return call.write(0, call.read(1, _cpp_type(call.match["type"])))


@_instruction(r"setp\.(?P<compare>eq|ne|lt|le|gt|ge|lo|ls|hi|hs)(?:\.ftz)?\.(?P<type>[busf](?:16|32|64))")
def _setp(call: _Call) -> str:
    call.needs(3)
    kind = _cpp_type(call.match["type"])
    symbols = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
    symbols |= {"lo": "<", "ls": "<=", "hi": ">", "hs": ">="}
    symbol = symbols[call.match["compare"]]
    return f"{_value(call.arguments[0], call.asm)} = {call.read(1, kind)} {symbol} {call.read(2, kind)};"


@_instruction(r"selp\.(?P<type>[busf](?:16|32|64))")
def _selp(call: _Call) -> str:
    call.needs(4)
    kind = _cpp_type(call.match["type"])
    return call.write(
        0, f"{_value(call.arguments[3], call.asm)} ? {call.read(1, kind)} : {call.read(2, kind)}"
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
    def translate(call: _Call) -> str:
        call.needs(1 + len(kinds))
        values = ", ".join(call.read(1 + i, kind) for i, kind in enumerate(kinds))
        return call.write(0, f"{_P}{function}({values})")

    _INSTRUCTIONS.append((re.compile(rf"cvt\.{pattern}"), translate))


for _pattern, (_function, _kinds) in _CONVERSIONS.items():
    _conversion(_pattern, _function, _kinds)


@_instruction(
    r"cvt\.(?:r[nz]i?\.)?(?:ftz\.)?(?P<to>[us](?:16|32|64)|f32|f64)\.(?P<from>[us](?:16|32|64)|f32|f64)"
)
def _cvt(call: _Call) -> str:
    call.needs(2)
    target, source = _cpp_type(call.match["to"]), _cpp_type(call.match["from"])
    rounding = "nearest" if ".rni" in call.opcode else "zero"
    return call.write(0, f"{_P}convert_{rounding}<{target}>({call.read(1, source)})")


@_instruction(r"cvta(?:\.to)?\.(?:shared|global)(?:::cta)?\.u(?:32|64)")
def _cvta(call: _Call) -> str:
    call.needs(2)
    source = _value(call.arguments[1], call.asm)
    return f"{_value(call.arguments[0], call.asm)} = static_cast<decltype({source})>({source});"


_SPACE = r"(?:\.(?:global|shared|const|local)(?:::cta)?)?"
_HINTS = r"(?:\.(?:nc|ca|cg|cs|lu|cv|wb|wt|L[12]::\w+))*"
_ORDER = r"(?:\.(?:volatile|weak|relaxed|acquire|release))?(?:\.(?:cta|gpu|sys))?"
_ACCESS = _ORDER + _SPACE + _HINTS + r"(?:\.v(?P<count>[24]))?\.(?P<type>[busf](?:8|16|32|64))"


@_instruction("ld" + _ACCESS)
def _ld(call: _Call) -> str:
    call.needs(2)
    targets = call.vector(0)
    if len(targets) != int(call.match["count"] or 1):
        raise _Unknown(f"{call.opcode} to {len(targets)} registers")
    return f"{_P}load<{_cpp_type(call.match['type'])}>({call.address(1)}, {', '.join(targets)});"


@_instruction("st" + _ACCESS)
def _st(call: _Call) -> str:
    call.needs(2)
    sources = call.vector(1)
    if len(sources) != int(call.match["count"] or 1):
        raise _Unknown(f"{call.opcode} of {len(sources)} registers")
    return f"{_P}store<{_cpp_type(call.match['type'])}>({call.address(0)}, {', '.join(sources)});"


_ATOMIC_TYPES = {
    "u32": "unsigned",
    "s32": "int",
    "u64": "unsigned long long",
    "f32": "float",
    "f64": "double",
    "b32": "unsigned",
}
_ATOMIC = _ORDER + _SPACE + r"\.(?P<op>add|min|max|and|or|xor|exch)\.(?P<type>[usbf](?:32|64))"


def _atomic(call: _Call, address: int) -> str:
    kind = _ATOMIC_TYPES.get(call.match["type"])
    if kind is None:
        raise _Unknown(call.opcode)
    name = "atomic" + call.match["op"].capitalize()
    value = call.read(address + 1, _cpp_type(call.match["type"]))
    return f"::{name}(reinterpret_cast<{kind}*>({call.address(address)}), static_cast<{kind}>({value}))"


@_instruction("red" + _ATOMIC)
def _red(call: _Call) -> str:
    call.needs(2)
    return _atomic(call, 0) + ";"


@_instruction("atom" + _ATOMIC)
def _atom(call: _Call) -> str:
    call.needs(3)
    return call.write(0, f"static_cast<{_cpp_type(call.match['type'])}>({_atomic(call, 1)})")


@_instruction(r"(?:bar|barrier)(?:\.cta)?\.sync(?:\.aligned)?")
def _bar_sync(call: _Call) -> str:
    if call.arguments != ["0"]:
        raise _Unknown(f"{call.opcode} with a barrier of its own number")
    return "__syncthreads();"


@_instruction(r"bar\.warp\.sync")
def _bar_warp(call: _Call) -> str:
    call.needs(1)
    return f"::__syncwarp({call.read(0, 'uint32_t')});"


@_instruction(r"(?:membar|fence)(?:\.\w+)*")
def _fence(call: _Call) -> str:
    return "::__threadfence();"


@_instruction(r"prefetch(?:u)?(?:\.\w+)*(?:::\w+)?")
def _prefetch(call: _Call) -> str:
    return ";"


@_instruction(r"cp\.async\.c[ag]\.shared(?:::cta)?\.global(?P<hint>\.L2::cache_hint)?(?:\.L2::\d+B)?")
def _copy_async(call: _Call) -> str:
    call.needs(3, 5)
    arguments = [_value(a, call.asm) for a in call.arguments[2 : 5 - bool(call.match["hint"])]]
    return f"{_P}copy_async({call.address(0)}, {call.address(1)}, {', '.join(arguments)});"


@_instruction(r"cp\.async\.commit_group")
def _commit(call: _Call) -> str:
    return "::kernelgate_async_commit();"


@_instruction(r"cp\.async\.wait_group")
def _wait_group(call: _Call) -> str:
    call.needs(1)
    return f"::kernelgate::wait_async_copies({call.read(0, 'uint32_t')});"


@_instruction(r"cp\.async\.wait_all")
def _wait_all(call: _Call) -> str:
    return "::kernelgate_async_commit(); ::kernelgate::wait_async_copies(0);"


@_instruction(r"ldmatrix\.sync\.aligned\.m8n8\.x(?P<count>[124])(?P<trans>\.trans)?\.shared(?:::cta)?\.b16")
def _ldmatrix(call: _Call) -> str:
    call.needs(2)
    targets = call.vector(0)
    if len(targets) != int(call.match["count"]):
        raise _Unknown(f"{call.opcode} to {len(targets)} registers")
    trans = "true" if call.match["trans"] else "false"
    return f"{_P}load_matrices<{trans}>({call.address(1)}, {', '.join(targets)});"


_ELEMENT = {"f16": "Half", "bf16": "Bfloat16", "tf32": "Tf32", "s8": "Signed8", "u8": "Unsigned8"}
_DEPTHS = {"f16": (8, 16), "bf16": (8, 16), "tf32": (4, 8), "s8": (16, 32), "u8": (16, 32)}
_SUM = {"f32": "float", "f16": "half_sum", "s32": "int32_t"}


@_instruction(
    r"mma\.sync\.aligned\.m16n8k(?P<k>\d+)\.row\.col(?:\.satfinite)?"
    r"\.(?P<d>f32|f16|s32)\.(?P<a>\w+)\.(?P<b>\w+)\.(?P<c>f32|f16|s32)"
)
def _mma(call: _Call) -> str:
    call.needs(4)
    m = call.match
    element = m["a"]
    integers = element in ("s8", "u8")
    known = element == m["b"] and m["c"] == m["d"] and int(m["k"]) in _DEPTHS.get(element, ())
    if not known or integers != (m["d"] == "s32") or (m["d"] == "f16" and element != "f16"):
        raise _Unknown(call.opcode)
    d, a, b, c = ([f"&{name}" for name in call.vector(i)] for i in range(4))
    scalar = f"16, 8, {m['k']}, {_P}{_ELEMENT[element]}, {_P if m['d'] == 'f16' else ''}{_SUM[m['d']]}"
    lists = ", ".join(f"{{{', '.join(part)}}}" for part in (d, a, b, c))
    return f"{_P}mma<{scalar}>({lists});"


def opcodes() -> list[str]:
    """The patterns of the instructions that are covered, for the table of what is."""
    return [pattern.pattern for pattern, _ in _INSTRUCTIONS]
