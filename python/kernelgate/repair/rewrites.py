"""Changes of a program's text that remove one error each: a name qualified, an argument dropped, a flag replaced.

In: a candidate, and what to change. Out: the program's Python as it then reads, or None where the text does not hold
what is to be changed. Not here: which error asks for which change (`known_errors`), and where the difference goes
in the person's cell (`repair.line_edits`). The judge proves every fix that comes of these.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence

from kernelgate.cuda_source import functions
from kernelgate.program.candidate import Candidate
from kernelgate.program.extensions import LoadInline
from kernelgate.repair.python_places import replaced, span

Replacement = str | Callable[[re.Match[str]], str]
_OPTIONS = ("extra_cflags", "extra_cuda_cflags", "extra_ldflags")


def replaced_in_source(candidate: Candidate, source: str, pattern: str, by: Replacement) -> str | None:
    """Everywhere in the literals that make up a source that the program compiles."""
    return _replaced(candidate, _source_rows(candidate, source), pattern, by)


def replaced_in_statement(candidate: Candidate, row: int, pattern: str, by: Replacement) -> str | None:
    """In a row of C++ and those that follow it, to the end of the statement."""
    rows = candidate.python.split("\n")
    last = next((at for at in range(row, len(rows) + 1) if ";" in rows[at - 1]), row)
    return _replaced(candidate, [(row, min(last, row + 20))], pattern, by)


def replaced_in_row(candidate: Candidate, row: int, pattern: str, by: Replacement) -> str | None:
    return _replaced(candidate, [(row, row)], pattern, by)


def inserted_in_row(candidate: Candidate, row: int, shown: str, at: int, text: str) -> str | None:
    """`text` in a row of C++ behind its first `at` characters. `shown`: the row as the compiler read it; the Python has
    it as it stands, where no escape is in it."""
    rows = candidate.python.split("\n")
    begin = rows[row - 1].find(shown) if rows[row - 1].count(shown) == 1 else -1
    if begin < 0:
        return None
    rows[row - 1] = rows[row - 1][: begin + at] + text + rows[row - 1][begin + at :]
    return "\n".join(rows)


def row_moved(candidate: Candidate, source: str, line: int, before: int) -> str | None:
    """A row of a source above an earlier one; lines are those of the source."""
    taken, put = (candidate.source_line(source, each) for each in (line, before))
    rows, shown = candidate.python.split("\n"), source.split("\n")
    if taken is None or put is None or put >= taken or rows[taken - 1] != shown[line - 1]:
        return None
    row = rows.pop(taken - 1)
    rows.insert(put - 1, row)
    return "\n".join(rows)


def qualified(candidate: Candidate, source: str, name: str, full_name: str) -> str | None:
    """Every use of a C++ name that has no namespace, with it; directives, comments and strings stay."""
    pattern = re.compile(rf"(?<![\w:.>]){name}\b")
    rows = candidate.python.split("\n")
    for literal in candidate.literals:
        if not literal.value.strip() or literal.value not in source:
            continue
        shown = literal.value.split("\n")
        for at, row in enumerate(functions.without_directives(functions.blank(literal.value)).split("\n")):
            uses = [use.span() for use in pattern.finditer(row)]
            if not uses:
                continue
            line = literal.line_of(at + 1) - 1
            if rows[line].count(shown[at]) != 1:
                return None  # the Python does not hold the row as the compiler reads it
            fixed = shown[at]
            for begin, end in reversed(uses):
                fixed = fixed[:begin] + full_name + fixed[end:]
            rows[line] = rows[line].replace(shown[at], fixed)
    changed = "\n".join(rows)
    return changed if changed != candidate.python else None


def prototype_replaced(candidate: Candidate, name: str) -> str | None:
    """The one declaration of a function as its one definition reads, where the two differ."""
    defined = [
        each
        for literal in candidate.literals
        for each in functions.functions(literal.value)
        if each.name == name
        and each.defined
        and each.kind == "host"
        and not each.hidden
        and not each.namespaces
    ]
    declaring = [
        literal.value
        for literal in candidate.literals
        if any(each.name == name and not each.defined for each in functions.functions(literal.value))
    ]
    if len(defined) != 1 or len(declaring) != 1:
        return None
    pattern = rf"(?:extern\s+\"C\"\s+)?(?:[\w:]+(?:<[\w:<>, ]*>)?[ &*]+)+{name}\s*\([^(){{}};]*\)\s*;"
    if len(re.findall(pattern, declaring[0])) != 1:
        return None
    return replaced_in_source(candidate, declaring[0], pattern, lambda _: defined[0].prototype)


def declared_only(candidate: Candidate, source: str, function: functions.Function) -> str | None:
    """A definition in a source as the declaration of the same function."""
    seen = functions.blank(source)
    begin = sum(len(row) + 1 for row in seen.split("\n")[: function.line - 1])
    opening = seen.find("{", begin)
    end = functions.closing(seen, opening) if opening >= 0 else len(seen)
    body = source[opening : end + 1]
    rows = candidate.python
    if end == len(seen) or rows.count(body) != 1:
        return None
    at = rows.index(body)
    return f"{rows[:at].rstrip()};{rows[at + len(body) :]}"


def is_defined(candidate: Candidate, name: str) -> bool:
    """Whether a source defines a function of that name."""
    known = (each for literal in candidate.literals for each in functions.functions(literal.value))
    return any(each.name == name and each.defined for each in known)


def renamed_definition(candidate: Candidate, name: str) -> str | None:
    """The one host function of the CUDA sources by the name that is declared and bound, where its parameters fit."""
    known = [each for literal in candidate.literals for each in functions.functions(literal.value)]
    declared = [each for each in known if each.name == name and not each.defined]
    hosts = [
        each
        for each in known
        if each.defined and each.kind == "host" and not each.hidden and not each.namespaces
        and not any(each.name in call.functions for call in candidate.extensions)
    ]  # fmt: skip
    if len(declared) != 1 or len(hosts) != 1 or is_defined(candidate, name):
        return None
    if [each.type for each in declared[0].parameters] != [each.type for each in hosts[0].parameters]:
        return None
    source = next(
        each.value for each in candidate.literals if f"{hosts[0].name}(" in each.value.replace(" ", "")
    )
    return replaced_in_source(candidate, source, rf"\b{hosts[0].name}(?=\s*\()", name)


_CUDA_HALF = r"\b\w+\s*\.\s*data_ptr\s*<\s*(?:__half|half|__nv_bfloat16|nv_bfloat16)\s*>\s*\(\s*\)"


def half_pointers_at(candidate: Candidate) -> int | None:
    """The first line of Python that asks a tensor for a pointer to a half type of CUDA's."""
    for literal in candidate.literals:
        found = re.search(_CUDA_HALF, functions.blank(literal.value))
        if found is not None:
            return literal.line_of(functions.line_at(literal.value, found.start()))
    return None


def half_pointers(candidate: Candidate) -> str | None:
    """data_ptr of CUDA's half types as that of PyTorch's, which alone is defined, cast."""

    def cast(found: re.Match[str]) -> str:
        name = re.search(r"<\s*(\w+)", found.group())
        assert name is not None
        ours = "at::BFloat16" if "bfloat" in name.group(1) else "at::Half"
        return f"reinterpret_cast<{name.group(1)}*>({re.sub(r'<[^>]*>', f'<{ours}>', found.group())})"

    rows = [(min(each.lines), max(each.lines)) for each in candidate.literals if "data_ptr" in each.value]
    return _replaced(candidate, rows, _CUDA_HALF, cast)


def declared_at(candidate: Candidate, name: str) -> int | None:
    """The line of Python with the one declaration of a function; None where there is none, or several."""
    found = [
        literal.line_of(each.line)
        for literal in candidate.literals
        for each in functions.functions(literal.value)
        if each.name == name and not each.defined
    ]
    return found[0] if len(found) == 1 else None


def schema_types(candidate: Candidate, source: str) -> str | None:
    """`float` as double and `int` as int64_t, in the parameters of functions that the source registers."""
    registered = set(re.findall(r"\bm\.(?:def|impl)\([^;]*?&?\b(\w+)\s*\)\s*;", source))
    names = [
        each.name
        for each in functions.functions(source)
        if each.name in registered
        and any(re.search(r"\b(?:float|int)$", one.type) for one in each.parameters)
    ]
    if not names:
        return None

    def widened(found: re.Match[str]) -> str:
        wide = re.sub(r"\bfloat\b(?!\s*[*&])", "double", found.group())
        return re.sub(r"\bint\b(?!\s*[*&])", "int64_t", wide)

    return replaced_in_source(
        candidate, source, rf"\b(?:{'|'.join(names)})\s*\([^()]*\)(?=\s*[{{;])", widened
    )


def without_argument(candidate: Candidate, line: int, argument: str) -> str | None:
    """A load_inline call without one of its keyword arguments."""
    for node in ast.walk(candidate.tree):
        if isinstance(node, ast.Call) and node.lineno == line:
            for keyword in node.keywords:
                if keyword.arg == argument:
                    return _cut(candidate.python, keyword)
    return None


def with_argument(candidate: Candidate, line: int, argument: str) -> str | None:
    """A load_inline call with one more keyword argument, behind its last one."""
    for node in ast.walk(candidate.tree):
        if isinstance(node, ast.Call) and node.lineno == line and node.keywords:
            last = node.keywords[-1].value
            rows = candidate.python.split("\n")
            end = span(candidate.python, last)[1]
            own_row = rows[node.keywords[-1].lineno - 1].lstrip().startswith(f"{node.keywords[-1].arg}=")
            indent = " " * node.keywords[-1].col_offset
            between = f",\n{indent}" if own_row else ", "
            return f"{candidate.python[:end]}{between}{argument}{candidate.python[end:]}"
    return None


def listed_instead(candidate: Candidate, call: LoadInline, name: str, host: str | None) -> str | None:
    """`functions` of a load_inline call with `host` in place of a name that cannot be bound; without that name, where
    there is none."""
    entries = [one for one in call.literals.get("functions", ()) if isinstance(one, ast.Constant)]
    wrong = [one for one in entries if one.value == name]
    if len(wrong) != 1 or (host is None and len(entries) < 2):
        return None
    if host is None:
        return _cut(candidate.python, wrong[0])
    begin, end = span(candidate.python, wrong[0])
    return replaced(candidate.python, wrong, candidate.python[begin:end].replace(name, host))


def without_flags(candidate: Candidate, architecture: str) -> str | None:
    """Without the compiler's flags that name an architecture, as 35; or without the variable that does."""
    number = re.escape(f"{architecture[:-1]}.{architecture[-1]}")
    for node in candidate.tree.body:
        if "TORCH_CUDA_ARCH_LIST" in ast.dump(node) and re.search(number, ast.unparse(node)):
            return _without_rows(candidate.python, node.lineno, node.end_lineno or node.lineno)
    for flags in _flags(candidate):
        words = [part.value if isinstance(part, ast.Constant) else "" for part in flags.elts]
        for at, part in enumerate(flags.elts):
            if not re.search(rf"(?:compute|sm)_{architecture}[af]?\b", str(words[at])):
                continue
            pair = at and re.fullmatch(r"-gencode|--generate-code|-arch", str(words[at - 1]))
            first = flags.elts[at - 1] if pair else part
            return _cut(candidate.python, first, part)
    return None


def without_an_architecture(candidate: Candidate) -> str | None:
    """Without the first architecture that flags or a variable name."""
    named = re.findall(r"(?:compute|sm)_(\d+)|TORCH_CUDA_ARCH_LIST\W+(\d+\.\d)", candidate.python)
    tried = (without_flags(candidate, flag or variable.replace(".", "")) for flag, variable in named)
    return next(filter(None, tried), None)


def with_standard(candidate: Candidate, standard: int) -> str | None:
    """With a newer C++ standard where flags name an older one."""
    for flags in _flags(candidate):
        for part in flags.elts:
            found = (
                re.search(r"(?<!\S)--?std=(?:c|gnu)\+\+(\d\d)\b", str(part.value))
                if isinstance(part, ast.Constant)
                else None
            )
            if found is not None and int(found.group(1)) < standard:
                rows = (part.lineno, part.end_lineno or part.lineno)
                newer = found.group().replace(found.group(1), str(standard))
                return _replaced(candidate, [rows], re.escape(found.group()), newer)
    return None


def with_flag(candidate: Candidate, flag: str, instead: str | None) -> str | None:
    """With another flag in place of one that a list of flags has, or without it."""
    for flags in _flags(candidate):
        for part in flags.elts:
            if isinstance(part, ast.Constant) and part.value == flag:
                python = candidate.python
                return _cut(python, part) if instead is None else replaced(python, [part], f'"{instead}"')
    return None


def uses_package(candidate: Candidate, package: str) -> bool:
    """Whether the program uses anything that an import takes from a package."""
    used = {each.id for each in ast.walk(candidate.tree) if isinstance(each, ast.Name)}
    taken = {
        alias.asname or alias.name.split(".")[0]
        for node in ast.walk(candidate.tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
        if ((node.module or "") if isinstance(node, ast.ImportFrom) else alias.name).split(".")[0] == package
    }
    return not used.isdisjoint(taken)


def without_import(candidate: Candidate, module: str, name: str = "") -> str | None:
    """Without the import of a module, or of one `name` from it, of which the program uses nothing."""
    used = {each.id for each in ast.walk(candidate.tree) if isinstance(each, ast.Name)}
    for node in candidate.tree.body:
        if not isinstance(node, ast.Import | ast.ImportFrom) or not _alone(candidate.tree, node):
            continue
        gone = [alias for alias in node.names if _imports(node, alias, module, name)]
        bound = {alias.asname or alias.name.split(".")[0] for alias in gone}
        if not gone or "*" in bound or not used.isdisjoint(bound):
            continue
        first, last = node.lineno, node.end_lineno or node.lineno
        node_names = [ast.unparse(alias) for alias in node.names if alias not in gone]
        if not node_names:
            return _without_rows(candidate.python, first, last)
        origin = f"from {node.module} " if isinstance(node, ast.ImportFrom) else ""
        rows = candidate.python.split("\n")
        return "\n".join([*rows[: first - 1], f"{origin}import {', '.join(node_names)}", *rows[last:]])
    return None


def _imports(node: ast.Import | ast.ImportFrom, alias: ast.alias, module: str, name: str) -> bool:
    """Whether it imports from that module or one within it; with a `name`, that one from the module itself."""
    if isinstance(node, ast.ImportFrom):
        origin = "" if node.level else node.module or ""
        return (origin, alias.name) == (module, name) if name else f"{origin}.".startswith(f"{module}.")
    return not name and f"{alias.name}.".startswith(f"{module}.")


def _alone(tree: ast.Module, node: ast.stmt) -> bool:
    """Whether no other statement stands in its rows."""
    return not any(
        other is not node
        and other.lineno <= (node.end_lineno or 0)
        and node.lineno <= (other.end_lineno or 0)
        for other in tree.body
    )


def _flags(candidate: Candidate) -> Iterator[ast.List]:
    """The lists of flags that its load_inline calls pass, where they are written out."""
    for call in candidate.extensions:
        literal = [call.literals[name] for name in _OPTIONS if name in call.literals]
        parts = {id(part) for parts in literal for part in parts}
        for node in ast.walk(candidate.tree):
            if isinstance(node, ast.List) and any(id(part) in parts for part in node.elts):
                yield node


def _source_rows(candidate: Candidate, source: str) -> list[tuple[int, int]]:
    held = [each for each in candidate.literals if each.value.strip() and each.value in source]
    return [(min(each.lines), max(each.lines)) for each in held]


def _replaced(
    candidate: Candidate, rows: Sequence[tuple[int, int]], pattern: str, by: Replacement
) -> str | None:
    lines = candidate.python.split("\n")
    for first, last in sorted(rows, reverse=True):
        block = re.sub(pattern, by, "\n".join(lines[first - 1 : last]))
        lines[first - 1 : last] = block.split("\n")
    changed = "\n".join(lines)
    return changed if changed != candidate.python else None


def _cut(python: str, first: ast.expr | ast.keyword, last: ast.expr | ast.keyword | None = None) -> str:
    """Without an argument, or the entries of a list from `first` to `last`, and the comma behind or before them."""
    begin, stop = span(python, first)[0], span(python, last or first)[1]
    behind = re.match(r"[ \t]*,[ \t]*", python[stop:])
    if behind is not None:
        stop += behind.end()
    elif (before := re.search(r",\s*$", python[:begin])) is not None:
        begin = before.start()
    alone = python[:begin].rstrip(" \t").endswith("\n") and python[stop:].startswith("\n")
    return python[:begin].rstrip(" \t") + python[stop + 1 :] if alone else python[:begin] + python[stop:]


def _without_rows(python: str, first: int, last: int) -> str:
    rows = python.split("\n")
    return "\n".join([*rows[: first - 1], *rows[last:]])
