"""A caller that is a program: it fixes broken programs from the judge's answers alone.

    python examples/fix_from_answers.py PROGRAM.py --problem leakyrelu --device emulated

It asks `kernelgate verify --for-model`, applies the fix that the answer offers, and asks again. A model would take the
answer's other lines as well; this script knows nothing but the lines that say FIX. The program that passes goes to
standard output.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

MOST_FIXES = 8
LINES = re.compile(
    r"^FIX \(certain\): lines (\d+) to (\d+) become\n(`{3,})\n(.*)\n\3$", re.MULTILINE | re.DOTALL
)
INSERTED = re.compile(
    r"^FIX \(certain\): at line (\d+), after (\d+) characters, insert\n(`{3,})\n(.*)\n\3$",
    re.MULTILINE | re.DOTALL,
)


def answer(program: Path, options: list[str]) -> tuple[str, int]:
    """What the judge says of a program, and its exit status: 0 for a pass."""
    words = [sys.executable, "-m", "kernelgate.cli", "verify", str(program), "--for-model", *options]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return done.stdout.rstrip("\n"), done.returncode


def with_fix(text: str, said: str) -> str | None:
    """The program with the fix of an answer; None where it offers none."""
    rows = text.split("\n")
    if found := LINES.search(said):
        first, last = int(found[1]), int(found[2])
        before = "".join(f"{row}\n" for row in rows[: first - 1])
        after = "\n".join(rows[last:])
        return before + found[4] + after
    if found := INSERTED.search(said):
        line, column = int(found[1]), int(found[2])
        at = sum(len(row) + 1 for row in rows[: line - 1]) + column
        return text[:at] + found[4] + text[at:]
    return None


def main(words: list[str]) -> int:
    text = Path(words[0]).read_text()
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / Path(words[0]).name
        for fixes in range(MOST_FIXES + 1):
            program.write_text(text)
            said, status = answer(program, words[1:])
            if status == 0:
                print(text, end="")
                print(f"fixes applied: {fixes}", file=sys.stderr)
                return 0
            print(said, file=sys.stderr)
            fixed = with_fix(text, said)
            if fixed is None:
                return 1
            text = fixed
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
