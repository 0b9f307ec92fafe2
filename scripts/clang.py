"""clang-format and clang-tidy over the C++ and CUDA of this repository: the emulator's and the catalogue's sources.

    python scripts/clang.py            fails where a file is not formatted, or clang-tidy finds something
    python scripts/clang.py --format   formats the files

It leaves compile_commands.json in the repository's root, by which an editor's clangd understands the same files. CUDA's
headers come from NVIDIA's wheels. clang reads host and device code of a .cu file in one pass, as host code, and
generates nothing.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CATALOGUE = ROOT / "catalogue-src"
EMULATOR = ROOT / "python/kernelgate/emulator"
BIN = Path(sys.executable).parent
# clang looks for a CUDA toolkit. This is one of links to the wheels' headers.
TOOLKIT = ROOT / ".kernelgate/clang-cuda"


def sources() -> list[Path]:
    """All C++ and CUDA files; the emulator has headers without a suffix, as CUDA and the standard library have."""
    headers = [file for file in (EMULATOR / "include").rglob("*") if file.is_file()]
    suffixes = (".h", ".inc", ".cpp", ".cuh", ".cu")
    others = [file for top in (CATALOGUE, EMULATOR) for file in top.rglob("*") if file.suffix in suffixes]
    return sorted({*headers, *others})


def commands() -> Iterator[tuple[Path, list[str]]]:
    """Each compiled file with the flags that it is built with. The rest is included by these."""
    plain = ["-std=c++20", *_system(EMULATOR / "include")]
    python = [*_system(Path(sysconfig.get_paths()["include"])), *plain]
    facade = [*_system(EMULATOR / "torch_cuda", EMULATOR / "torch_facade"), *python]
    for part in sorted((EMULATOR / "runtime").glob("library_*.cpp")):
        yield part, ["-std=c++17", *plain[1:]]
    yield EMULATOR / "runtime/facade.cpp", facade
    torch = importlib.util.find_spec("torch")  # not imported: that takes seconds
    if torch is not None and torch.origin is not None:
        yield EMULATOR / "runtime/allocator.cpp", [*_system(Path(torch.origin).parent / "include"), *python]
    for host in sorted(CATALOGUE.glob("*/host.cpp")):
        yield host, ["-DTORCH_EXTENSION_NAME=program", *facade]
    for kernels in sorted(CATALOGUE.glob("*/launch*.cu")):
        flags = ["-x", "cuda", "--cuda-host-only", f"--cuda-path={TOOLKIT}", "-nocudalib", "-std=c++17"]
        yield kernels, [*flags, "-Wno-unknown-cuda-version", "-DWITH_MMA", "-DWITH_WGMMA"]


def _system(*folders: Path) -> list[str]:
    return [part for folder in folders for part in ("-isystem", str(folder))]


def link_toolkit() -> None:
    """Raises FileNotFoundError if the wheels with CUDA's headers are not installed."""
    headers = next(Path(sysconfig.get_paths()["purelib"]).glob("nvidia/cu*/include/cuda_runtime.h"), None)
    if headers is None:
        raise FileNotFoundError("CUDA's headers are not installed: see requirements/dev.txt")
    for folder in ("bin", "nvvm/libdevice", "lib64"):
        (TOOLKIT / folder).mkdir(parents=True, exist_ok=True)
    (TOOLKIT / "include").unlink(missing_ok=True)
    (TOOLKIT / "include").symlink_to(headers.parent)


def tidy() -> bool:
    link_toolkit()
    database = [
        {"directory": str(ROOT), "file": str(file), "arguments": ["clang++", *flags, "-c", str(file)]}
        for file, flags in commands()
    ]
    (ROOT / "compile_commands.json").write_text(json.dumps(database, indent=1))
    with ThreadPoolExecutor(2) as pool:
        return all(list(pool.map(_tidied, [entry["file"] for entry in database])))


def _tidied(file: str) -> bool:
    command = [str(BIN / "clang-tidy"), "--quiet", "-p", str(ROOT), file]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    if found.returncode:
        print(found.stdout, found.stderr)
    return found.returncode == 0


def main(arguments: list[str]) -> int:
    command = [str(BIN / "clang-format"), *map(str, sources())]
    if "--format" in arguments:
        return subprocess.run([*command, "-i"], check=False).returncode
    formatted = subprocess.run([*command, "--dry-run", "--Werror"], check=False).returncode == 0
    return 0 if tidy() and formatted else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
