"""Inline PTX as C++: each `asm` statement becomes a block that does what its instructions say.

In: source text. Out: the same text with each asm statement rewritten, every line number unchanged; `Refused` names
the first instruction that is not known. Not here: what an instruction computes (`include/kernelgate/ptx.h`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kernelgate.cuda_source.lexer import Edit, Token, apply, blank, closing, line_of, tokens
from kernelgate.emulator.errors import Refused
from kernelgate.emulator.translate.ptx_call import PTX, Asm, Unknown, cpp_type, value_of
from kernelgate.emulator.translate.ptx_instructions import translate

_KEYWORDS = ("asm", "__asm__", "__asm")
_REGISTERS = {"r": "uint32_t", "f": "float", "l": "uint64_t", "d": "double", "h": "uint16_t"}


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


def _operand(
    source: str, part: Sequence[Token], is_output: bool, asm: Asm, before: list[str], after: list[str]
) -> None:
    named = None
    if part[0].text == "[":
        named, part = part[1].text, part[3:]
    if len(part) < 3 or part[0].text[0] != '"' or part[1].text != "(":
        raise Unknown("operands that cannot be read")
    constraint = source[part[0].start + 1 : part[0].end - 1]
    expression = source[part[2].start : part[-2].end].replace("\\\n", " ") if len(part) > 3 else ""
    expression = re.sub(r"\s+", " ", expression) if "//" not in expression else expression + "\n"
    number = len(asm.operands)
    variable = f"kernelgate_r{number}"
    kind = _REGISTERS.get(constraint.lstrip("=+&"))
    if constraint in ("n", "i"):
        before.append(f"const auto {variable} = {expression};")
    elif kind is None:
        raise Unknown(f'operand constraint "{constraint}"')
    elif is_output:
        before.append(f"auto&& kernelgate_o{number} = {expression};")
        start = f"{PTX}in<{kind}>(kernelgate_o{number})" if constraint.startswith("+") else "0"
        before.append(f"{kind} {variable} = {start};")
        after.append(f"{PTX}out(kernelgate_o{number}, {variable});")
    else:
        before.append(f"const {kind} {variable} = {PTX}in<{kind}>({expression});")
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


def _statement(text: str, asm: Asm) -> str:
    if m := re.match(r"\.reg \.(\w+) (.+)$", text):
        kind = cpp_type(m[1])
        names = [name.strip() for name in m[2].split(",")]
        for name in names:
            if not re.fullmatch(r"%?[A-Za-z_]\w*", name):
                raise Unknown(text)
            asm.names[name] = "kernelgate_" + name.lstrip("%")
        return f"{kind} {', '.join(asm.names[name] + ' = 0' for name in names)};"
    guard = ""
    if m := re.match(r"@(!?)(%?\w+) ", text):
        guard = f"if ({m[1]}{value_of(m[2], asm)}) "
        text = text[m.end() :]
    opcode, _, rest = text.partition(" ")
    return guard + translate(opcode, rest, asm)
