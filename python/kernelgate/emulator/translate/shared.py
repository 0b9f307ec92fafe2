"""`__shared__` declarations as references into the block's shared memory.

In: source text. Out: the same text with each declaration rewritten, every line number unchanged.
Not here: the memory itself (`runtime/scheduler.cpp`), limits on its size.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from kernelgate.cuda_source.lexer import Edit, Token, apply, blank, closing, is_name, line_of, tokens
from kernelgate.emulator.errors import Refused

_DROPPED = {"extern", "static", "__shared__"}
_WITH_ARGUMENT = {"__align__", "alignas", "__attribute__"}


def rewrite_shared(source: str, unit: str = "cuda.cu") -> str:
    """`source` with its `__shared__` declarations rewritten. Raises Refused for one that cannot be read."""
    blanked = blank(source)
    all_tokens = tokens(blanked)
    edits: list[Edit] = []
    names = 0
    for i, token in enumerate(all_tokens):
        if token.text != "__shared__":
            continue
        first, last = _statement(blanked, all_tokens, i)
        line = line_of(source, token.start)
        if first is None or last is None:
            raise Refused("a __shared__ declaration that cannot be read", unit, line)
        statement = _without_specifiers(all_tokens[first:last])
        is_extern = any(t.text == "extern" for t in all_tokens[first:i])
        parts = _declarators(statement)
        if parts is None:
            raise Refused("a __shared__ declaration that cannot be read", unit, line)
        type_tokens, declarators = parts
        if is_extern:
            text = _dynamic(source, type_tokens, declarators, _inside_function(blanked, token.start))
        else:
            text = _static(source, type_tokens, declarators, names, _inside_function(blanked, token.start))
            names += len(declarators)
        if text is None:
            raise Refused("a __shared__ declaration of this form", unit, line)
        edits.append(Edit(all_tokens[first].start, all_tokens[last].start, text))
    return apply(source, edits)


def _statement(blanked: str, all_tokens: Sequence[Token], at: int) -> tuple[int | None, int | None]:
    """Indices of the declaration's first token and of its semicolon."""
    first = at
    while first > 0 and all_tokens[first - 1].text not in (";", "{", "}", "#", ")"):
        between = blanked[all_tokens[first - 1].end : all_tokens[first].start]
        if "\n" in between and _is_directive(blanked, all_tokens[first - 1].start):
            break
        first -= 1
    if first > 0 and all_tokens[first - 1].text == "#":
        return None, None  # the body of a macro
    depth = 0
    for i in range(at, len(all_tokens)):
        text = all_tokens[i].text
        depth += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
        if depth == 0 and text == ";":
            return first, i
    return first, None


def _is_directive(blanked: str, position: int) -> bool:
    line_start = blanked.rfind("\n", 0, position) + 1
    return blanked[line_start:position].lstrip().startswith("#") or blanked[position] == "#"


def _without_specifiers(statement: Sequence[Token]) -> list[Token]:
    kept: list[Token] = []
    i = 0
    while i < len(statement):
        if statement[i].text in _WITH_ARGUMENT and i + 1 < len(statement) and statement[i + 1].text == "(":
            i = (closing(statement, i + 1) or i) + 1
            continue
        if statement[i].text not in _DROPPED:
            kept.append(statement[i])
        i += 1
    return kept


def _declarators(statement: Sequence[Token]) -> tuple[list[Token], list[list[Token]]] | None:
    """The tokens of the type, and those of each declarator, which begins with its stars or its name."""
    name: int | None = None
    parentheses = angles = 0
    for i, token in enumerate(statement):
        text = token.text
        if parentheses == 0 and angles == 0:
            if text in ("[", ",", "="):
                break
            if is_name(token):
                name = i
        if text == "<" and parentheses == 0 and i > 0 and is_name(statement[i - 1]):
            angles += 1
        elif text == ">" and parentheses == 0 and angles:
            angles -= 1
        parentheses += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
    if name is None:
        return None
    while name > 0 and statement[name - 1].text == "*":
        name -= 1
    declarators: list[list[Token]] = [[]]
    depth = 0
    for token in statement[name:]:
        depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
        if token.text == "," and depth == 0:
            declarators.append([])
        else:
            declarators[-1].append(token)
    return list(statement[:name]), declarators


def _text(source: str, part: Sequence[Token]) -> str:
    """Source of tokens that may have gaps where specifiers were dropped."""
    out = ""
    for i, token in enumerate(part):
        if i and part[i - 1].end != token.start:
            out += " "
        out += source[token.start : token.end]
    return out


def _static(
    source: str,
    type_tokens: Sequence[Token],
    declarators: Sequence[list[Token]],
    number: int,
    inside_function: bool,
) -> str | None:
    out = []
    for declarator in declarators:
        stars = list(itertools.takewhile(lambda t: t.text == "*", declarator))
        rest = declarator[len(stars) :]
        if not type_tokens or not rest or not is_name(rest[0]) or (len(rest) > 1 and rest[1].text != "["):
            return None  # an initialiser, which nvcc refuses too, or something unknown
        number += 1
        kind, slot = f"kernelgate_type_{number}", f"kernelgate_slot_{number}"
        using = f"using {kind} = {_text(source, type_tokens)}{'*' * len(stars)} {_text(source, rest[1:])}; "
        if not inside_function:  # no block runs yet if it is made
            declared = f'{{{{"{_declared(source, rest)}"}}}}'
            out.append(f"{using}static const ::kernelgate::FileShared<{kind}> {rest[0].text}{declared}")
            continue
        out.append(
            f"{using}"
            f'static const ::kernelgate::SharedSlot {slot}{{"{_declared(source, rest)}"}}; '
            f"{kind}& {rest[0].text} = ::kernelgate::shared<{kind}>({slot})"
        )
    return "; ".join(out)


def _declared(source: str, declarator: Sequence[Token]) -> str:
    """The declarator as a string literal's text, for messages: a[N][M + 1]."""
    text = re.sub(r"\s+", " ", _text(source, declarator))
    return re.sub(r'["\\]', "'", text)


def _dynamic(
    source: str, type_tokens: Sequence[Token], declarators: Sequence[list[Token]], local: bool
) -> str | None:
    if len(declarators) != 1 or not type_tokens:
        return None
    name, *sizes = declarators[0]
    if [t.text for t in sizes[:2]] != ["[", "]"] or (len(sizes) > 2 and sizes[2].text != "["):
        return None
    kind, row = _text(source, type_tokens), ""
    if len(sizes) > 2:  # rows of arrays, as many as the launch has room for
        row = f"using kernelgate_row_{name.text} = {kind} {_text(source, sizes[2:])}; "
        kind = f"kernelgate_row_{name.text}"
    if local:
        return f"{row}{kind}* {name.text} = ::kernelgate::dynamic_shared<{kind}>()"
    return f"{row}static const ::kernelgate::DynamicShared<{kind}> {name.text}{{}}"


def _inside_function(blanked: str, position: int) -> bool:
    """Whether some brace around the position opens neither a namespace nor a linkage block."""
    heads: list[str] = []
    head_start = 0
    for m in re.finditer(r"[{};]", blanked[:position]):
        if m.group() == "{":
            heads.append(blanked[head_start : m.start()])
        elif m.group() == "}" and heads:
            heads.pop()
        head_start = m.end()
    return any(not re.search(r"\bnamespace\b|\bextern\b[^()]*$", head) for head in heads)
