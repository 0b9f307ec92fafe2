"""`%%kernelgate profile` on a cell that trains a small network: python bench/cell_profile.py OUT [--commit ID].

The cell runs in a Jupyter kernel, as a notebook's would; it needs nbclient and ipykernel. OUT/cell-profile.ipynb is the
notebook with its outputs, OUT/cell-profile.json the report, OUT/cell-profile.txt its text.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import nbformat
from environment import environment
from nbclient import NotebookClient

from kernelgate.report.types import REPORT_MIME

SETUP = """%load_ext kernelgate
import torch
import torch.nn as nn

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(1024, 2048), nn.LeakyReLU(), nn.Linear(2048, 10)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x = torch.randn(512, 1024, device=device)
labels = torch.randint(0, 10, (512,), device=device)
"""
STEPS = """%%kernelgate profile
for step in range(3):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), labels)
    loss.backward()
    optimizer.step()
    print(f"step {step}: loss {loss.item():.3f}")
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--commit")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in (SETUP, STEPS)])
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    nbformat.write(notebook, args.out / "cell-profile.ipynb")
    printed, reports, texts = [], [], []
    for output in notebook.cells[1].outputs:
        data = output.get("data", {})
        printed += [output["text"]] if output.output_type == "stream" else []
        reports += [data[REPORT_MIME]] if REPORT_MIME in data else []
        texts += [data["text/plain"]] if REPORT_MIME in data else []
    kept = {"environment": environment(args.commit), "cell": STEPS, "printed": printed, "report": reports[-1]}
    (args.out / "cell-profile.json").write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    (args.out / "cell-profile.txt").write_text(texts[-1] + "\n", encoding="utf-8")
    print("".join(printed) + texts[-1])


if __name__ == "__main__":
    main()
