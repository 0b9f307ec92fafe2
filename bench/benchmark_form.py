"""What KernelBench says of our programs' benchmark forms: python bench/benchmark_form.py OUT --kernelbench FOLDER
[--only ID ...] [--trials N] [--commit ID].

FOLDER is a checkout of KernelBench with its requirements installed. `eval_kernel_against_ref` is called as it is; what
it takes as the reference and as the candidate is the same text, `kernelgate show ID --form benchmark`. Needs a GPU.
OUT/benchmark_form.json holds a row for each: compiled, correct, and KernelBench's times of both in ms.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "python")]

from environment import environment  # noqa: E402

from kernelgate.catalogue import operators  # noqa: E402


def evaluated(text: str, trials: int) -> dict[str, Any]:
    """What KernelBench says of a program that is judged against the problem in its own file."""
    from kernelbench.eval import eval_kernel_against_ref

    found = eval_kernel_against_ref(
        text,
        text,
        num_correct_trials=5,
        num_perf_trials=trials,
        measure_performance=True,
        check_for_excessive_speedup=False,
    )
    return {
        "compiled": found.compiled,
        "correct": found.correctness,
        "ours_ms": found.runtime,
        "reference_ms": getattr(found, "ref_runtime", None),
        "says": {name: str(value)[:400] for name, value in found.metadata.items()},
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--kernelbench", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=list(operators()))
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--commit")
    args = parser.parse_args()
    sys.path.insert(0, str(args.kernelbench / "src"))
    rows = []
    for name in args.only:
        text = operators()[name].form_text("benchmark")
        if text is not None:
            rows.append({"operator": name, **evaluated(text, args.trials)})
            print(json.dumps(rows[-1]))
    args.out.mkdir(parents=True, exist_ok=True)
    whole = {"environment": environment(args.commit), "rows": rows}
    (args.out / "benchmark_form.json").write_text(json.dumps(whole, indent=1) + "\n")
    return int(not all(row["correct"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
