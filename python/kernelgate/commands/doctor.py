"""`kernelgate doctor`: what a verification needs, whether it is here, and what to do if it is not.

Takes seconds, because PyTorch is imported in a process of its own. Nothing is built, and this process touches no CUDA.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import site
import sys
import textwrap
from pathlib import Path
from typing import Literal

import msgspec

from kernelgate.commands.versions import Versions, misfits
from kernelgate.emulator import supported
from kernelgate.machine import Gpu, NoTorch, Torch, ask_torch, driver_cuda, gpus, output_of, version_of
from kernelgate.messages.job import cache_folder
from kernelgate.nvrtc.library import MISSING as NVRTC_MISSING
from kernelgate.nvrtc.library import nvrtc
from kernelgate.report.numbers import counted
from kernelgate.report.wording import upper_first
from kernelgate.version import __version__

Lane = Literal["gpu", "emulation", "nothing"]
_EXTENSION = Path("share", "jupyter", "labextensions", "jupyterlab-kernelgate", "package.json")
_COLUMNS = 80
_INDENT = 24


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is present or missing. `next_step` is what to do if it is missing."""

    name: str
    found: bool
    says: str
    next_step: str = ""


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """`verifies_on`: where a verification would run now; "nothing" if it could not run."""

    kernelgate: str
    verifies_on: Lane
    sentence: str
    findings: list[Finding]

    @property
    def status(self) -> int:
        """The exit status: 0 if a verification can run, else 2."""
        return 0 if self.verifies_on != "nothing" else 2


def diagnose(patience_s: float = 600) -> Diagnosis:
    """Looks at this machine, as this process sees it. `patience_s`: how long PyTorch's import may take."""
    torch = ask_torch(patience_s) if version_of("torch") is not None else NoTorch("not installed")
    there = gpus()
    emulation = _emulation()
    gpu = _gpu(there, torch)
    tools = [_nvcc(torch), _compiler(), _ninja()]
    on, sentence = _conclusion(torch, gpu, tools, emulation)
    more = [_nvrtc(), *([_versions(there, torch), _nvml()] if there else [])]
    findings = [_python(), _torch(torch), gpu, *tools, emulation, *more, _cache(), _jupyterlab()]
    return Diagnosis(kernelgate=__version__, verifies_on=on, sentence=sentence, findings=findings)


def _conclusion(
    torch: Torch | NoTorch, gpu: Finding, tools: list[Finding], emulation: Finding
) -> tuple[Lane, str]:
    if isinstance(torch, NoTorch):
        why = "PyTorch was not yet imported" if torch.unfinished else "PyTorch is missing"
        return "nothing", f"Nothing can be verified here: {why}"
    missing = ", ".join(tool.name for tool in tools if not tool.found)
    if gpu.found and not missing:
        return "gpu", "A verification runs here, on the GPU"
    if emulation.found and gpu.found:
        return "emulation", f"A verification runs here with --device emulated; on the GPU it needs {missing}"
    if emulation.found:
        return "emulation", "A verification runs here, in emulation on the CPU; nothing can be timed"
    return "nothing", "Nothing can be verified here: neither a GPU nor emulation works"


def as_text(diagnosis: Diagnosis) -> str:
    """One line for each thing, with the next step below what is missing."""
    lines = [f"KernelGate {diagnosis.kernelgate} doctor"]
    for finding in diagnosis.findings:
        head = f"{'OK' if finding.found else 'MISSING':9}{finding.name:{_INDENT - 9}}"
        lines += _wrapped(head, finding.says)
        if not finding.found:
            lines += _wrapped(f"{'':9}{'what to do':{_INDENT - 9}}", finding.next_step)
    return "\n".join([*lines, *_wrapped(f"{'RESULT':9}", diagnosis.sentence)])


def as_json(diagnosis: Diagnosis) -> str:
    """The diagnosis for programs."""
    return msgspec.json.format(msgspec.json.encode(diagnosis), indent=1).decode()


def _wrapped(head: str, text: str) -> list[str]:
    return textwrap.wrap(
        text,
        _COLUMNS,
        initial_indent=head,
        subsequent_indent=" " * len(head),
        break_on_hyphens=False,
        break_long_words=False,
    )


def _python() -> Finding:
    return Finding(
        name="Python",
        found=True,
        says=f"{platform.python_version()}, {platform.system()} {platform.machine()}",
    )


def _torch(torch: Torch | NoTorch) -> Finding:
    if isinstance(torch, NoTorch):
        again = "Run kernelgate doctor again: the first import after an installation is the slowest"
        step = again if torch.unfinished else "Install it where the kernel runs: pip install torch"
        return Finding(name="PyTorch", found=False, says=torch.why, next_step=step)
    build = f"built for CUDA {torch.cuda}" if torch.cuda is not None else "built for the CPU only"
    return Finding(name="PyTorch", found=True, says=f"{torch.version}, {build}")


def _gpu(there: list[Gpu], torch: Torch | NoTorch) -> Finding:
    seen = torch.devices if isinstance(torch, Torch) else []
    driver = f", driver {there[0].driver}" if there else ""
    if seen:
        return Finding(name="GPU", found=True, says="; ".join(seen) + driver)
    if there:
        names = "; ".join(gpu.name for gpu in there)
        if isinstance(torch, NoTorch):
            return Finding(name="GPU", found=False, says=names + driver, next_step="See to PyTorch first")
        step = "Clear CUDA_VISIBLE_DEVICES if it hides the GPU, else install a PyTorch built for this driver"
        return Finding(
            name="GPU", found=False, says=f"{names}{driver}, which PyTorch cannot use", next_step=step
        )
    step = "Choose a kernel with an NVIDIA GPU to time programs; checking works in emulation"
    return Finding(name="GPU", found=False, says="no NVIDIA GPU is visible here", next_step=step)


def _nvcc(torch: Torch | NoTorch) -> Finding:
    home = torch.cuda_home if isinstance(torch, Torch) else None
    nvcc = Path(home, "bin", "nvcc") if home else Path("nvcc")
    version = output_of(nvcc, "--version")
    if version is None:
        says = f"CUDA_HOME is {home}, without a working nvcc" if home else "no nvcc, and no CUDA_HOME"
        step = "Install the CUDA toolkit and set CUDA_HOME; only programs on a GPU need it"
        return Finding(name="nvcc", found=False, says=says, next_step=step)
    release = next((line for line in version.split("\n") if "release" in line), version.split("\n")[-1])
    return Finding(
        name="nvcc",
        found=True,
        says=f"{release.rpartition('tools, ')[2].strip()}, in {home or shutil.which('nvcc')}",
    )


def _versions(there: list[Gpu], torch: Torch | NoTorch) -> Finding:
    """Whether driver, toolkit, PyTorch and GPU fit together."""
    known = torch if isinstance(torch, Torch) else None
    home = known.cuda_home if known is not None else None
    nvcc = output_of(Path(home, "bin", "nvcc") if home else "nvcc", "--version")
    release = re.search(r"release (\d+\.\d+)", nvcc or "")
    found = misfits(
        Versions(
            driver=there[0].driver,
            driver_cuda=driver_cuda(),
            nvcc=release[1] if release is not None else "",
            torch_cuda=(known.cuda or "") if known is not None else "",
            torch_sms=known.sms if known is not None else (),
            gpus=[name.rpartition(", ")[2] for name in known.devices] if known is not None else (),
        )
    )
    if not found:
        return Finding(name="Versions", found=True, says="driver, toolkit, PyTorch and GPU fit together")
    return Finding(
        name="Versions",
        found=False,
        says="; ".join(each.says for each in found),
        next_step="; ".join(each.next_step for each in found),
    )


def _compiler() -> Finding:
    version = output_of("g++", "--version")
    if version is None:
        step = (
            "Install it: sudo apt install g++, sudo dnf install gcc-c++, or conda install -c conda-forge gxx"
        )
        return Finding(name="C++ compiler", found=False, says="no g++", next_step=step)
    return Finding(name="C++ compiler", found=True, says=version.split("\n")[0])


def _ninja() -> Finding:
    version = output_of("ninja", "--version")
    if version is None:
        step = "Install it: pip install ninja; only programs on a GPU need it"
        return Finding(name="ninja", found=False, says="no ninja", next_step=step)
    return Finding(name="ninja", found=True, says=version)


def _emulation() -> Finding:
    why = supported()
    if why is None:
        return Finding(name="Emulation", found=True, says="CUDA source can run on the CPU of this machine")
    says, _, next_step = why.partition(": ")
    return Finding(name="Emulation", found=False, says=says, next_step=upper_first(next_step))


def _nvrtc() -> Finding:
    found = nvrtc()
    if found is None:
        says, _, step = NVRTC_MISSING.partition(": ")
        step = f"Install it: {step}; only compiling for an A100 needs it"
        return Finding(name="NVRTC", found=False, says=says, next_step=step)
    return Finding(
        name="NVRTC", found=True, says=f"CUDA {found.version}: programs are also compiled for an A100"
    )


def _nvml() -> Finding:
    version = version_of("nvidia-ml-py")
    if version is None:
        step = "Install it: pip install 'kernelgate[gpu]'; times are taken without it, throttled ones too"
        says = "nvidia-ml-py is not installed: clock, temperature and other processes are not known"
        return Finding(name="NVML", found=False, says=says, next_step=step)
    return Finding(name="NVML", found=True, says=f"nvidia-ml-py {version}")


def _cache() -> Finding:
    folder = cache_folder()
    nearest = next(path for path in (folder, *folder.parents) if path.exists())
    if not os.access(nearest, os.W_OK):
        step = "Make it writable, or name another folder in KERNELGATE_CACHE"
        return Finding(name="Build cache", found=False, says=f"{folder} cannot be written to", next_step=step)
    sizes = [size for path in folder.rglob("*") if (size := _file_size(path)) is not None]
    says = f"{folder}, {len(sizes)} files, {sum(sizes) / 1e6:.1f} MB"
    return Finding(name="Build cache", found=True, says=says)


def _file_size(path: Path) -> int | None:
    """In bytes; None for what is no file, or no longer there: builds come and go meanwhile."""
    try:
        return path.stat().st_size if path.is_file() else None
    except OSError:
        return None


def _jupyterlab() -> Finding:
    version = version_of("jupyterlab")
    roots = (sys.prefix, site.getuserbase(), "/usr/local", "/usr")
    installed = next((file for root in roots if (file := Path(root, _EXTENSION)).is_file()), None)
    if installed is not None:
        lab = f", JupyterLab {version}" if version else ""
        says = f"the extension is installed{lab}; it carries {_carried(installed.parent)}"
        return Finding(name="JupyterLab", found=True, says=says)
    step = "Where JupyterLab runs: pip install kernelgate, then reload the page; the magics work without it"
    says = (
        f"JupyterLab {version}, without the extension" if version else "neither JupyterLab nor the extension"
    )
    return Finding(name="JupyterLab", found=False, says=f"{says} in this environment", next_step=step)


def _carried(extension: Path) -> str:
    """What it can send to a kernel that reaches no package index."""
    try:
        listed = json.loads((extension / "static" / "wheels" / "manifest.json").read_bytes())
        names = [str(wheel["name"]) for wheel in listed]
    except (OSError, ValueError, TypeError, KeyError):
        names = []
    if "kernelgate" not in names:
        return "no package for a kernel without network"
    others = [name for name in names if name != "kernelgate"]
    if not others:
        return "the package for a kernel without network, which then needs msgspec"
    return f"the package for a kernel without network, and {counted(len(others), 'wheel')} of msgspec"
