"""Forbids decisions that read our own sentences: whoever rewords one would switch off a fix, and no type says so.

In: the product's Python, but for what reads words of others (compilers, PyTorch, programs). Out: each place that looks
for two words or more in a text. What a run found is a record: ask for its kind. What PyTorch and the CUDA driver say is
read in `kernelgate.torch_errors`.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1] / "python" / "kernelgate"
FOLDERS = (
    *("judge", "check", "report", "run", "commands", "cli"),
    *("notebook", "evaluation", "testing", "agents", "formats"),
)
_METHODS = {"startswith", "endswith", "removeprefix", "removesuffix", "partition", "rpartition"}
_SENTENCE = re.compile("[A-Za-z]{2,} +[A-Za-z]{2,}")


def places(text: str) -> Iterator[tuple[int, str]]:
    """The line and the words of every place in a program."""
    tree = ast.parse(text)
    named = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        for asked in _asked(node):
            words = _words(named.get(asked.id, asked) if isinstance(asked, ast.Name) else asked)
            if _SENTENCE.search(words):
                yield asked.lineno, words


def _asked(node: ast.AST) -> Iterator[ast.expr]:
    """What is looked for in a text."""
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
        if not isinstance(node.comparators[0], ast.Tuple | ast.List | ast.Set | ast.Dict):  # of names, not of texts
            yield node.left
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        of_re = isinstance(node.func.value, ast.Name) and node.func.value.id == "re"
        if of_re or node.func.attr in _METHODS:
            yield from node.args[:1]


def _words(asked: ast.expr) -> str:
    """The literal text in it; "" if there is none."""
    if isinstance(asked, ast.JoinedStr | ast.Tuple):
        parts = asked.values if isinstance(asked, ast.JoinedStr) else asked.elts
        return " | ".join(_words(part) for part in parts)
    return asked.value if isinstance(asked, ast.Constant) and isinstance(asked.value, str) else ""


def main() -> int:
    files = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
    found = [f"{file}:{line}: {words!r}" for file in files for line, words in places(file.read_text())]
    print("\n".join(found) or "no text is asked for our own words")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
