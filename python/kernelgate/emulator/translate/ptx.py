"""Inline PTX as C++: each `asm` statement becomes a block that does what its instructions say.

In: source text. Out: the same text with each asm statement rewritten, every line number unchanged; `Refused` names
the first instruction that is not known. Not here: what an instruction computes (`include/kernelgate/ptx.h`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kernelgate.cuda_source.lexer import Edit, Token, apply, blank, closing, line_of, tokens
from kernelgate.emulator.errors import Refused
from kernelgate.emulator.translate.ptx_call import PTX, Asm, Unknown, cpp_type, value_of
from kernelgate.emulator.translate.ptx_hopper import HOPPER as HOPPER  # adds its instructions to the table
from kernelgate.emulator.translate.ptx_instructions import translate
from kernelgate.emulator.translate.refusals import unused_macros

_KEYWORDS = ("asm", "__asm__", "__asm")
_REGISTERS = {"r": "uint32_t", "f": "float", "l": "uint64_t", "d": "double", "h": "uint16_t"}


def rewrite_ptx(source: str, unit: str = "cuda.cu") -> str:
    """`source` with its inline PTX rewritten; that of macros which nothing expands stays. Raises Refused for an
    instruction that is not covered."""
    blanked = blank(source)
    unused = unused_macros(blanked) if "asm" in blanked else []
    all_tokens = tokens(blanked)
    edits = [
        edit
        for i, token in enumerate(all_tokens)
        if token.text in _KEYWORDS
        and not any(token.start in macro for macro in unused)
        and (edit := _edit(source, all_tokens, i, unit)) is not None
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
    except Unknown as unknown:
        raise Refused(f"inline PTX ({unknown})", unit, line) from None
    start, end = all_tokens[at].start, all_tokens[last].end
    # Inside a macro each line must still end in a backslash.
    text += " \\\n" * source.count("\\\n", start, end)
    return Edit(start, end, text)


def _block(source: str, inside: Sequence[Token]) -> str:
    sections = _split_sections(inside)
    template = _template(source, sections[0])
    asm = Asm()
    operands = [
        _operand(source, operand, number == 0, asm)
        for number, section in enumerate(sections[1:3])
        for operand in _split(section, ",")
    ]
    statements = _statements(template.replace("%%", "%").replace("%=", ""))
    if not statements:  # it only keeps the compiler from moving things
        operands = [operand for operand in operands if not operand.is_kept]
    asm.labels = [m[1] for statement in statements if (m := _LABEL.match(statement))]
    registers = [_registers(text, asm) for text in statements if text.startswith(".reg ")]
    body = [_statement(statement, asm) for statement in statements if not statement.startswith(".reg ")]
    before = [f"__label__ {', '.join(f'kernelgate_{label}' for label in asm.labels)};"] if asm.labels else []
    before += [text for operand in operands for text in operand.before(asm)]
    after = [operand.after for operand in operands if operand.variable not in asm.by_reference]
    return f"do {{ {' '.join([*before, *registers, *asm.checks, *body, *after])} }} while (0)"


_LABEL = re.compile(r"([A-Za-z_$][\w$]*) ?: ?(?!:)")


@dataclass(frozen=True)
class _Operand:
    """What is written before and after the instructions for one operand."""

    variable: str
    program: str  # a name for what the program wrote, where the operand is written
    register: str
    after: str
    is_kept: bool  # read and written

    def before(self, asm: Asm) -> list[str]:
        return [self.program] if self.variable in asm.by_reference else [self.program, self.register]


def _split_sections(inside: Sequence[Token]) -> list[list[Token]]:
    """Template, outputs, inputs, clobbers. `::` counts as two colons if no name stands before it."""
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
            raise Unknown("put together by the preprocessor")
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


def _operand(source: str, part: Sequence[Token], is_output: bool, asm: Asm) -> _Operand:
    named = None
    if part[0].text == "[":
        named, part = part[1].text, part[3:]
    if len(part) < 3 or part[0].text[0] != '"' or part[1].text != "(":
        raise Unknown("operands that cannot be read")
    constraint = source[part[0].start + 1 : part[0].end - 1]
    expression = source[part[2].start : part[-2].end].replace("\\\n", " ") if len(part) > 3 else ""
    expression = re.sub(r"\s+", " ", expression) if "//" not in expression else expression + "\n"
    number = len(asm.operands)
    variable, output = f"kernelgate_r{number}", f"kernelgate_o{number}"
    kind = _REGISTERS.get(constraint.lstrip("=+&"))
    asm.operands.append(variable)
    if named:
        asm.names[named] = variable
    if constraint in ("n", "i"):
        return _Operand(variable, "", f"const auto {variable} = {expression};", "", False)
    if kind is None:
        raise Unknown(f'operand constraint "{constraint}"')
    if not is_output:
        return _Operand(variable, "", f"const {kind} {variable} = {PTX}in<{kind}>({expression});", "", False)
    asm.outputs[variable] = output
    is_kept = constraint.startswith("+")
    start = f"{PTX}in<{kind}>({output})" if is_kept else "0"
    return _Operand(
        variable,
        f"auto&& {output} = {expression};",
        f"{kind} {variable} = {start};",
        f"{PTX}out({output}, {variable});",
        is_kept,
    )


def _statements(template: str) -> list[str]:
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", template, flags=re.DOTALL)
    found = []
    for piece in re.split(r";", text):
        # Braces around statements open and close scopes; those inside a statement hold vectors.
        statement = re.sub(r"^[\s{}]*(?=[@.a-zA-Z]|$)", "", piece)
        if statement.strip():
            found.append(re.sub(r"\s+", " ", statement).strip())
    return found


def _registers(text: str, asm: Asm) -> str:
    m = re.match(r"\.reg \.(\w+) (.+)$", text)
    if not m:
        raise Unknown(text)
    kind = cpp_type(m[1])
    names = [name.strip() for name in m[2].split(",")]
    for name in names:
        if not re.fullmatch(r"%?[A-Za-z_]\w*", name):
            raise Unknown(text)
        asm.names[name] = "kernelgate_" + name.lstrip("%")
    return f"{kind} {', '.join(asm.names[name] + ' = 0' for name in names)};"


def _statement(text: str, asm: Asm) -> str:
    label = ""
    if m := _LABEL.match(text):
        label, text = f"kernelgate_{m[1]}: ", text[m.end() :]
    guard = ""
    if m := re.match(r"@(!?)(%?\w+) ", text):
        guard = f"if ({m[1]}{value_of(m[2], asm)}) "
        text = text[m.end() :]
    opcode, _, rest = text.strip(" {}" if label and not text.strip(" {}") else None).partition(" ")
    if not opcode:
        return f"{label};"
    if opcode in ("bra", "bra.uni") and rest in asm.labels:
        return f"{label}{guard}goto kernelgate_{rest};"
    return label + guard + translate(opcode, rest, asm)
