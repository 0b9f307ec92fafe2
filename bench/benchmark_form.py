"""What KernelBench says of our programs' benchmark forms: python bench/benchmark_form.py OUT --kernelbench FOLDER
[--only ID ...] [--checks N] [--trials N] [--commit ID].

FOLDER is a checkout of KernelBench. `eval_kernel_against_ref` is called as it is; what it takes as the reference and
as the candidate is the same text, `kernelgate show ID --form benchmark`. Needs a GPU. OUT/benchmark_form.json holds a
row for each: compiled, correct, KernelBench's times of both in ms, and what it says. Exit status 0: all are correct.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "python")]

from environment import environment  # noqa: E402

from kernelgate.catalogue import operators  # noqa: E402

# What KernelBench imports to ask language models, and what it takes from it; its evaluation calls none of it.
UNUSED = {"dotenv": "load_dotenv", "openai": "OpenAI", "litellm": "completion"}


def fill_in_unused() -> None:
    """Puts an empty module if one of them is not installed."""
    for name, taken in UNUSED.items():
        try:
            importlib.import_module(name)
        except ImportError:
            sys.modules[name] = ModuleType(name)
            setattr(sys.modules[name], taken, lambda *args, **kwargs: None)


def evaluated(text: str, checks: int, trials: int) -> dict[str, Any]:
    """What KernelBench says of a program that is judged against the problem in its own file."""
    from kernelbench.eval import eval_kernel_against_ref

    found = eval_kernel_against_ref(
        text, text, num_correct_trials=checks, num_perf_trials=trials, measure_performance=True
    )
    if found is None:
        raise RuntimeError("KernelBench met a lock of another build, and asks to be run again")
    return {
        "compiled": found.compiled,
        "correct": found.correctness,
        "ours_ms": found.runtime,
        "reference_ms": found.ref_runtime,
        "says": {name: str(value)[:400] for name, value in found.metadata.items()},
    }


def row(name: str, text: str, checks: int, trials: int) -> dict[str, Any]:
    """What raises is a row as well, so that the others are still evaluated."""
    try:
        return {"operator": name, **evaluated(text, checks, trials)}
    except Exception as exc:
        traceback.print_exc()
        return {"operator": name, "correct": False, "raised": f"{type(exc).__name__}: {exc}"[:400]}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--kernelbench", type=Path, required=True)
    parser.add_argument("--only", nargs="+", choices=list(operators()), default=list(operators()))
    parser.add_argument("--checks", type=int, default=5, help="inputs that are compared")
    parser.add_argument("--trials", type=int, default=100, help="calls that are timed")
    parser.add_argument("--commit")
    args = parser.parse_args()
    texts = {name: operators()[name].form_text("benchmark") for name in args.only}
    sys.path.insert(0, str(args.kernelbench / "src"))
    fill_in_unused()
    args.out.mkdir(parents=True, exist_ok=True)
    head = {"environment": environment(args.commit)}
    rows: list[dict[str, Any]] = []
    for name, text in texts.items():
        if text is not None:
            rows.append(row(name, text, args.checks, args.trials))
            print(json.dumps(rows[-1]), flush=True)
            # Written after each, so that a run that is cut short leaves what it has.
            whole = {**head, "rows": rows}
            (args.out / "benchmark_form.json").write_text(
                json.dumps(whole, indent=1) + "\n", encoding="utf-8"
            )
    return int(not rows or not all(each["correct"] for each in rows))


if __name__ == "__main__":
    sys.exit(main())
