"""Makes the catalogue's programs, which stand alone, from sources that an editor and clang understand.

In: `catalogue-src/<operator>/module.py`, and the C++ and CUDA files beside it and in `catalogue-src/shared`.
Out: `python/kernelgate/catalogue/<operator>/model_new.py`, which git does not keep, and `short.py`, which it does. With
--check only what is missing is written, and the exit status is 1 if a program is stale.

In module.py, `NAME = source("kernels.cu")` becomes a string with that file's text, and `include("part.py")` that Python
file's text. A quoted #include becomes the text of its file, where the module first reaches it, and nothing thereafter:
so what two strings need stands in a string of its own, which the module puts before both.

An operator with a `short.json` gets its `short.py` as well: the text of `catalogue-src/shared/short.py`, in which each
`$name` stands for what that file says; a list there is rows.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from string import Template

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "catalogue-src"
CATALOGUE = ROOT / "python/kernelgate/catalogue"

_SOURCE = re.compile(r'^(\w+) = source\("([^"]+)"\)$', re.MULTILINE)
_INCLUDE = re.compile(r'^include\("([^"]+)"\)$', re.MULTILINE)
_QUOTED = re.compile(r'#include "([^"]+)"')
_SYSTEM = re.compile(r"#include <[^>]+>")


def program(operator: str) -> str:
    """The text of an operator's model_new.py. Raises OSError if a file is missing."""
    folder = SOURCES / operator
    seen: set[Path] = set()
    module = (folder / "module.py").read_text()
    module = _INCLUDE.sub(lambda found: (folder / found[1]).read_text().rstrip(), module)
    # A section is named by the module: no other section that includes it takes its text.
    sections = {(folder / found[2]).resolve() for found in _SOURCE.finditer(module)}

    def section(found: re.Match[str]) -> str:
        text = _section((folder / found[2]).resolve(), seen, sections)
        if '"""' in text:
            raise ValueError(f'{folder / found[2]} has """ in it, which would end the string that it becomes')
        return f'{found[1]} = r"""\n{text}"""'

    return _SOURCE.sub(section, module)


def short_form(operator: str) -> str:
    """The text of an operator's short.py. Raises OSError if a file is missing, KeyError for a $name without text."""
    parts = json.loads((SOURCES / operator / "short.json").read_text())
    rows = {name: "\n".join(part) if isinstance(part, list) else part for name, part in parts.items()}
    return Template((SOURCES / "shared/short.py").read_text()).substitute(rows)


def made() -> dict[Path, str]:
    """Each file of the catalogue that is made from sources, and its text."""
    programs = {CATALOGUE / each / "model_new.py": program(each) for each in operators()}
    short = sorted(parts.parent.name for parts in SOURCES.glob("*/short.json"))
    return programs | {CATALOGUE / each / "short.py": short_form(each) for each in short}


def operators() -> list[str]:
    """Those whose program is made from sources."""
    return sorted(module.parent.name for module in SOURCES.glob("*/module.py"))


def _section(file: Path, seen: set[Path], sections: set[Path]) -> str:
    """A file with all that it includes; the system's headers once, where the first stood."""
    lines = _unfolded(file, seen, sections)
    first, headers, depth = None, set(), 0
    kept: list[str] = []
    for line in lines:
        depth += line.startswith("#if") - line.startswith("#endif")
        if depth == 0 and _SYSTEM.match(line):
            first = len(kept) if first is None else first
            headers.add(line)
        else:
            kept.append(line)
    if first is not None:
        libraries = sorted(header for header in headers if "/" in header)
        standard = sorted(header for header in headers if "/" not in header)
        kept[first:first] = [*libraries, "", *standard, ""]
    text = re.sub(r"^#if.*\n(#else\n)?#endif\n", "", "\n".join(kept), flags=re.MULTILINE)  # held only #includes
    text = re.sub(r"\n{3,}", "\n\n", text).strip("\n") + "\n"
    return text.replace("\n}  // namespace\n\nnamespace {\n", "")


def _unfolded(file: Path, seen: set[Path], sections: set[Path]) -> list[str]:
    seen.add(file)
    lines: list[str] = []
    for line in file.read_text().splitlines():
        if quoted := _QUOTED.match(line):
            other = (file.parent / quoted[1]).resolve()
            if other not in seen and other not in sections:
                lines += ["", *_unfolded(other, seen, sections), ""]
        elif line != "#pragma once":
            lines.append(line)
    return lines


def main(arguments: list[str]) -> int:
    check = "--check" in arguments
    stale = []
    for target, text in made().items():
        if check and target.exists():
            stale += [target.relative_to(ROOT)] if target.read_text() != text else []
        elif not target.exists() or target.read_text() != text:
            target.write_text(text)
    if stale:
        print("Not what their sources make, run `make generate`:", *stale, sep="\n  ")
    return int(bool(stale))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
