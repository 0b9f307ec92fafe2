"""The screens in a browser: python bench/screens.py OUT [--commit ID].

Sizes of what a page loads (gzip -9), the time to draw a report, the panel with 1,000 runs, what is sent while the
panel is hidden, the time from a press of Insert to the cell, and from a press of Check to the verdict in emulation.
Insert is pressed by the browser's pointer, on a page that lies still, 100 ms after it came to the button; and once
more in the worst case, as soon as the pointer is there and while Lab still starts ("insert, pressed at once").
Needs the built extension and Chromium (`make setup`, and `make ui` once). OUT/screens.json holds each figure, and
beside those that have one its aim.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
from pathlib import Path
from typing import Any

from environment import environment, machine, output_of

ROOT = Path(__file__).parents[1]

# At most this much, by the figure's name and field.
AIMS: dict[tuple[str, str], float] = {
    ("first load", "bytes"): 30_000,
    ("renderer, with the first report", "bytes"): 60_000,
    ("draw a report of 200 kB", "median_script_ms"): 16,
    ("1000 runs", "median_update_longest_frame_ms"): 50,
    ("requests while the panel is hidden", "ours"): 0,
    ("insert", "first_painted_ms"): 100,
    ("insert", "median_painted_ms"): 100,
    ("to the verdict", "cold_cache_s"): 12,
    ("to the verdict", "median_new_kernel_s"): 5,
    ("to the verdict", "median_same_kernel_s"): 1,
}


def summarized(figure: dict[str, Any]) -> dict[str, Any]:
    """The figure with median and least of each list of times, and numbers to two decimals."""
    summary: dict[str, Any] = {}
    for name, value in figure.items():
        if isinstance(value, list):
            summary[name] = [round(each, 2) for each in value]
            if value:
                summary[f"median_{name}"] = round(statistics.median(value), 2)
                summary[f"least_{name}"] = round(min(value), 2)
        else:
            summary[name] = round(value, 2) if isinstance(value, float) else value
    aims = {field: aim for (figure_name, field), aim in AIMS.items() if figure_name == figure["name"]}
    return {**summary, "aims": aims} if aims else summary


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--commit")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    raw = args.out.resolve() / "screens.jsonl"
    raw.unlink(missing_ok=True)
    load_before = os.getloadavg()
    subprocess.run(
        ["npx", "playwright", "test", "--config", "ui-tests/screens.config.ts"],
        cwd=ROOT,
        env={**os.environ, "KERNELGATE_FIGURES": str(raw)},
        check=True,
    )
    figures = [summarized(json.loads(line)) for line in raw.read_text(encoding="utf-8").splitlines()]
    raw.unlink()
    chromium = os.environ.get("CHROMIUM", "/usr/bin/chromium")
    kept = {
        "environment": environment(args.commit)
        | machine()
        | {"browser": output_of(chromium, "--version"), "load_before": f"{load_before[0]:.1f}"},
        "figures": figures,
    }
    (args.out / "screens.json").write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    for figure in figures:
        for field, aim in figure.get("aims", {}).items():
            value = figure[field]
            least = figure.get(field.replace("median_", "least_"), value)
            print(
                f"{'ok  ' if value <= aim else 'OVER'} {figure['name']}, {field}: {value}, least {least} (aim {aim:g})"
            )


if __name__ == "__main__":
    main()
