"""Whether each program of the corpus gets its verdict: python bench/corpus.py OUT [--device cuda|emulated] [--jobs N]
[--limit-s S] [--run-s S] [--only PATTERN ...] [--resume FILE] [--commit ID].

Judges the attacks and the honest programs of python/tests/attacks as the tests do, at the same sizes, `--jobs` at a
time; those of which the verdict depends on what else runs follow one at a time. No program is begun after `--limit-s`
seconds. OUT/corpus.json holds a row for each: it is written anew after each, so that a run that is cut short leaves
what it has. `--resume FILE` keeps the rows of such a file, but for those that were not as expected. The exit status is
0 if all of the corpus is judged, as expected.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from environment import environment, machine

from kernelgate.run import Limits

sys.path.insert(0, str(Path(__file__).parents[1] / "python" / "tests"))
from attacks.corpus import ATTACKS, HONEST, Program, programs
from attacks.judged import AT_ONCE, judge, unexpected, wants_quiet


def row_of(program: Program, options: argparse.Namespace, deadline: float) -> dict[str, Any] | None:
    """None if there is no time for it."""
    if time.monotonic() >= deadline:
        return None
    started = time.monotonic()
    report = judge(program, options.device, Limits(run_s=options.run_s))
    verdict = report.verdict
    return {
        "program": program.name,
        "verdict": f"{verdict.outcome}: {verdict.sentence}" if verdict is not None else "none",
        "unexpected": unexpected(program, options.device, report),
        "seconds": round(time.monotonic() - started, 2),
        "stages": {stage.name: round(stage.seconds, 2) for stage in report.stages if stage.seconds},
    }


def rows_of(
    asked: Sequence[Program], options: argparse.Namespace, deadline: float
) -> Iterator[dict[str, Any]]:
    """As they end, which is not their order."""
    beside = [program for program in asked if not wants_quiet(program)]
    alone = [program for program in asked if wants_quiet(program)]
    for part, jobs in ((beside, options.jobs), (alone, 1)):
        with ThreadPoolExecutor(jobs) as pool:
            for done in as_completed([pool.submit(row_of, one, options, deadline) for one in part]):
                row = done.result()
                if row is not None:
                    yield row


def known_rows(file: Path | None) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The rows of an earlier command that were as expected, and with what it and those before it ran."""
    if file is None:
        return [], []
    earlier = json.loads(file.read_text(encoding="utf-8"))
    return [row for row in earlier["rows"] if not row["unexpected"]], earlier["parts"]


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--device", default="cuda", choices=["cuda", "emulated"])
    parser.add_argument("--jobs", type=int, default=AT_ONCE)
    parser.add_argument("--limit-s", type=float, default=float("inf"))
    parser.add_argument("--run-s", type=float, default=300.0, help="of one run; then it is stopped")
    parser.add_argument("--only", nargs="+", default=["*"], help="patterns of names such as 'c13_*'")
    parser.add_argument("--resume", type=Path, help="a corpus.json to go on from")
    parser.add_argument("--commit")
    return parser


def main() -> int:
    options = arguments().parse_args()
    whole = [one for one in programs(ATTACKS) + programs(HONEST) if options.device in one.devices]
    whole = [one for one in whole if any(fnmatch.fnmatchcase(one.name, words) for words in options.only)]
    names = [one.name for one in whole]
    rows, parts = known_rows(options.resume)
    known = {row["program"] for row in rows}
    asked = [one for one in whole if one.name not in known]
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // options.jobs)))
    options.out.mkdir(parents=True, exist_ok=True)
    part = {"environment": {**environment(options.commit), **machine()}, "jobs": options.jobs}
    began = time.monotonic()

    def keep() -> None:
        rows.sort(key=lambda row: str(row["program"]))
        wrong = {row["program"]: row["unexpected"] for row in rows if row["unexpected"]}
        now = {**part, "judged": len(rows) - len(known), "seconds": round(time.monotonic() - began)}
        head = {"device": options.device, "parts": [*parts, now], "programs": len(names), "judged": len(rows)}
        text = json.dumps({**head, "unexpected": wrong, "rows": rows}, indent=1)
        (options.out / "corpus.json").write_text(f"{text}\n", encoding="utf-8")

    keep()
    for row in rows_of(asked, options, began + options.limit_s):
        rows.append(row)
        keep()
        print(f"{row['program']}: {row['verdict']} ({row['seconds']} s) {row['unexpected']}", flush=True)
    wrong = [row for row in rows if row["unexpected"]]
    print(f"{len(rows)} of {len(names)} judged in {time.monotonic() - began:.0f} s, {len(wrong)} not as expected")
    return 0 if len(rows) == len(names) and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
