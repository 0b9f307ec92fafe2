"""A program as a package in the layout of Hugging Face kernels, in which the `kernels` library finds it.

In: a verified program, its report, and what the package is called. Out: the texts of its files. The program goes in as
it was judged, so the package is one that is compiled at first use (`torch-noarch`), and what a person loads is what the
report is about. Not here: judging, writing the files (`cli.export`).
"""

from __future__ import annotations

import ast
import base64
import hashlib
import re
import sys
from dataclasses import dataclass

import msgspec

from kernelgate.formats import FormatError
from kernelgate.report import Report, one_line, wording
from kernelgate.report.as_json import as_json
from kernelgate.report.text import as_text

VERSION = 1
_NAME = re.compile(r"[a-z][-a-z0-9]*[a-z0-9]")
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
_LICENSE = re.compile(r"[a-z0-9][a-z0-9.+-]*")
_IMPORTABLE = {"torch", "triton"}
"""What a package may import beside Python's own modules."""
_INIT = '''"""{title}: `ModelNew`, which CARD.md describes."""

from .model_new import ModelNew

__all__ = ["ModelNew"]
'''
_FLAKE = """{
  description = "A CUDA kernel for PyTorch";
  inputs.kernel-builder.url = "github:huggingface/kernels";
  outputs = { self, kernel-builder }: kernel-builder.lib.genKernelFlakeOutputs { inherit self; path = ./.; };
}
"""


@dataclass(frozen=True)
class PackageNames:
    """`name`: lower-case letters, digits and dashes. `license`: as the Hub writes it, "bsd-3-clause". `repository`: the
    one on the Hub, "somebody/leaky-relu", or "". Raises FormatError if one of them cannot be."""

    name: str
    license: str
    repository: str = ""

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise FormatError(
                f"A kernel package cannot be called {self.name!r}",
                "Give --name lower-case letters, digits and dashes, a letter first",
            )
        if not _LICENSE.fullmatch(self.license):
            raise FormatError(
                f"There is no license {self.license!r}", "Write it as the Hub does: bsd-3-clause"
            )
        if self.repository and not _REPOSITORY.fullmatch(self.repository):
            raise FormatError(f"{self.repository!r} is no repository", f"Write it as somebody/{self.name}")

    @property
    def module(self) -> str:
        return self.name.replace("-", "_")


def package_files(program: str, report: Report, names: PackageNames) -> dict[str, str]:
    """The files by their paths in the package. `program`: Python, as the judge read it."""
    module = {"__init__.py": _INIT.format(title=names.name), "model_new.py": program}
    source, built = f"torch-ext/{names.module}", "build/torch-cuda"
    return {
        "build.toml": _build_file(names),
        "CARD.md": _card(report, names),
        "flake.nix": _FLAKE,
        "report.json": f"{as_json(report)}\n",
        **{f"{source}/{name}": text for name, text in module.items()},
        **{f"{built}/{name}": text for name, text in module.items()},
        f"{built}/metadata.json": _metadata(module, names),
    }


def check_imports(program: str) -> None:
    """Raises FormatError if a program imports what a package may not."""
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found = ["." * node.level + (node.module or "")]
        else:
            continue
        for name in found:
            top = name.partition(".")[0]
            if top not in _IMPORTABLE and top not in sys.stdlib_module_names:
                raise FormatError(
                    f"Line {node.lineno} of the program imports {name}",
                    "Leave it out: a kernel package may import torch, triton and Python's own modules",
                )


def _build_file(names: PackageNames) -> str:
    hub = f'\n[general.hub]\nrepo-id = "{names.repository}"\n' if names.repository else ""
    return (
        f'[general]\nname = "{names.name}"\nversion = {VERSION}\nedition = 5\nlicense = "{names.license}"\n'
        f'backends = ["cuda"]\n{hub}\n[torch-noarch]\n'
    )


def _metadata(module: dict[str, str], names: PackageNames) -> str:
    """What the `kernels` library reads of a build. `id` is another one for another program."""
    digests = {name: hashlib.sha256(text.encode()).digest() for name, text in module.items()}
    found = {
        "id": f"_{names.module}_cuda_{digests['model_new.py'].hex()[:12]}",
        "name": names.name,
        "version": VERSION,
        "license": names.license,
        "python-depends": [],
        "backend": {"type": "cuda"},
        "digest": {
            "algorithm": "sha256",
            "files": {name: base64.b64encode(digest).decode() for name, digest in digests.items()},
        },
    }
    return msgspec.json.format(msgspec.json.encode(found), indent=2).decode() + "\n"


def _card(report: Report, names: PackageNames) -> str:
    """The card. Its facts are those of the report, and the whole report stands below them."""
    verdict = report.verdict
    assert verdict is not None
    facts: dict[str, str] = {
        "Verdict": verdict.sentence,
        "Contract": _contract(report),
        "Not yet a drop-in": verdict.obstacle,
        "Checked": report.cases_conclusion,
        "Strength of the check": wording.power(report.power),
        "Memory": "" if report.memory_check is None else wording.memory_check(report.memory_check),
        "Arithmetic": report.arithmetic,
        **{fact.question: ", ".join(filter(None, (fact.answer, fact.evidence))) for fact in report.facts},
        "Where": f"{report.device.name}, {report.problem.shape}, {report.problem.dtype}",
        "Program": f"sha256 {report.candidate.source_sha256}",
        "Repeat it with": f"KernelGate {report.environment.kernelgate}, --seed {report.seed}",
    }
    rows = "".join(f"| {name} | {_in_a_cell(value)} |\n" for name, value in facts.items() if value)
    where = names.repository or f"somebody/{names.name}"
    text = as_text(report)
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    card = (
        f"---\nlibrary_name: kernels\nlicense: {names.license}\n---\n\n# {names.name}\n\n"
        f"`ModelNew` computes {_in_a_cell(report.problem.name)}. {_kernels(report)}\n\n"
        f'```python\nfrom kernels import get_kernel\n\nkernel = get_kernel("{where}", version={VERSION})\n'
        "model = kernel.ModelNew(...)\n```\n\n"
        f"## What KernelGate found\n\n| | |\n| --- | --- |\n{rows}\n{fence}text\n{text}\n{fence}\n"
    )
    return re.sub(r"\{(?=[{%#])", "{ ", card)  # the builder fills in a card as a template


def _contract(report: Report) -> str:
    if report.contract == "drop-in":
        return "drop-in: it may replace the module wherever that is used"
    return "problem: right for the problem's inputs"


def _kernels(report: Report) -> str:
    names = ", ".join(f"`{name}`" for name in report.candidate.cuda_kernels)
    if not names:
        return "It has no kernel of its own."
    return f"Its kernels, {names}, are compiled at first use, which needs the CUDA toolkit."


def _in_a_cell(text: str) -> str:
    """As one cell of a table in Markdown."""
    return re.sub(r"([\\`*_|<>\[\]])", r"\\\1", one_line(text, 600))
