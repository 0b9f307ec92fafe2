"""Whether wrong programs fail, and are described rightly: python bench/kernelbench_wrong.py CHECKOUT OUT [--device ...]
[--at-once N] [--problems N] [--only PATTERN ...] [--limit-s S] [--within-s S] [--commit ID].

Of N problems of KernelBench, spread evenly over its levels, three wrong versions are made by rule from the renamed
reference: a wrapper around its forward changes the result or an input. Each must fail. OUT/kernelbench_wrong.json holds
a row for each, with the sentence of the report, and whether that names the kind of mistake; the table says how many.
"""

from __future__ import annotations

import argparse
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kernelbench import arguments, at_once, earlier, head, judged, problems, renamed, write


@dataclass(frozen=True)
class Rule:
    """`body` computes `y`, what a wrong program returns, from `x`, its first tensor, and `right()`, which calls the
    reference. `names`: what a sentence that names the mistake rightly says, as a regular expression."""

    name: str
    body: str
    names: str


RULES = (
    Rule("factor 1.01", "y = right() * 1.01", r"1\.01|factor"),
    Rule("dropped term", "y = right(); y = y - y.abs().mean()", r"every element is .* (smaller|larger)"),
    Rule("last tile missing", "y = tile_missing(right())", r"in the last|never written|last element"),
    Rule("wrong axis", "y = right().flip(-1)", r"axis|revers|order of|transposed|permut|other place"),
    Rule("swapped sizes", "y = right(swapped(x))", r"swap|transposed|order of|height|width|other place"),
)
_WRAPPER = '''

_Right = ModelNew


def tile_missing(y):
    y = y.clone()
    flat = y.view(-1)
    flat[max(0, flat.numel() - max(1, flat.numel() // 8)):] = 0
    return y


def swapped(x):
    """The elements of the last two dimensions in the order of a tensor with these two swapped."""
    mixed = x.reshape(*x.shape[:-2], x.shape[-1], x.shape[-2]).transpose(-1, -2).contiguous()
    if torch.equal(mixed, x):
        raise ValueError("no mistake: it is symmetric")
    return mixed


class ModelNew(_Right):
    def forward(self, x, *rest):
        def right(first=x):
            return _Right.forward(self, first, *rest)

        {body}
        return y
'''
_EACH = 3


def versions(reference: str) -> list[tuple[Rule, str]]:
    """Every rule, and the program that it makes of a reference."""
    # The class is derived from under its own name, so that it cannot call `super(ModelNew, self)`.
    honest = re.sub(r"super\(ModelNew, *self\)", "super()", renamed(reference))
    return [(rule, honest + _WRAPPER.replace("{body}", rule.body)) for rule in RULES]


def spread(found: dict[str, str], count: int) -> dict[str, str]:
    """So many of the problems, evenly."""
    names = list(found)
    return {name: found[name] for name in names[:: max(1, len(names) // count)][:count]}


def rows_of(name: str, reference: str, first: int, options: argparse.Namespace) -> list[dict[str, Any]]:
    """The first three rules, from one on, that apply to a program."""
    rows: list[dict[str, Any]] = []
    made = versions(reference)
    for rule, program in itertools.islice(itertools.cycle(made), first % len(made), first % len(made) + len(made)):
        if len(rows) == _EACH:
            break
        report, row = judged(name, reference, program, options)
        if row["sentence"].startswith("Raises"):
            continue  # the rule does not apply: a scalar has no axis, and integers have no mean
        words = " ".join([row["sentence"], row["what"], *(case.message for case in report.cases)])
        row.update(rule=rule.name, named=bool(re.search(rule.names, words, re.IGNORECASE)))
        rows.append(row)
    return rows


def summary(rows: Sequence[dict[str, Any]]) -> str:
    """A line a rule, and each program that did not fail."""
    lines = [f"{'rule':20} {'n':>4} {'fail':>5} {'named rightly':>14}"]
    for rule in RULES:
        some = [row for row in rows if row["rule"] == rule.name]
        failed = [row for row in some if row["outcome"] == "fail"]
        lines.append(f"{rule.name:20} {len(some):4} {len(failed):5} {sum(row['named'] for row in failed):14}")
    lines += [
        f"{row['problem']}, {row['rule']}: {row['outcome']} ({row['shape']}): {row['sentence']}"
        for row in rows
        if row["outcome"] != "fail"
    ]
    return "\n".join(lines)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--problems", type=int, default=60)
    options = parser.parse_args()
    found = spread(problems(options), options.problems)
    if not found:
        raise SystemExit(f"{options.checkout} has no such problem: give a checkout of KernelBench")
    options.out.mkdir(parents=True, exist_ok=True)
    file = options.out / "kernelbench_wrong.json"
    begins = head(options)
    rows = earlier(file, begins)
    judged_before = {row["problem"] for row in rows}
    left = [
        (name, text, number, options)
        for number, (name, text) in enumerate(found.items())
        if name not in judged_before
    ]
    for some in at_once(rows_of, left, options):
        for row in some:
            rows.append(row)
            print(f"{row['problem']}, {row['rule']}: {row['outcome']}; {row['sentence']}", flush=True)
        write(file, begins, rows)
    print(summary(rows))


if __name__ == "__main__":
    main()
