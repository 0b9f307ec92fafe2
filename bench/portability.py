"""The catalogue's programs with other toolkits and PyTorchs: python bench/portability.py OUT --cache FOLDER.

    device    every kernel, compiled by the NVRTC of each toolkit for each architecture
    host      what load_inline of each PyTorch writes as main.cpp, compiled by g++ against that PyTorch's headers
    fallback  each program on CPU tensors in each PyTorch, in an environment of its own: call, gradient, copies,
              torch.compile, torch.export. Of some GB each, gone after the run
    nvcc      the program's own load_inline with the nvcc of CUDA_HOME, for 8.0 and for 9.0a: built, linked, loaded,
              three times, whose seconds it tells

Needs no GPU: nothing is launched. Wheels come by pip; what is wanted of them is kept in the cache. An old PyTorch has
wheels for old Pythons only: run this by Python 3.11, which all of them have.
OUT/portability.json holds every result, OUT/portability.md the tables.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from environment import environment
from portability_tables import Row, as_markdown
from wheels import unpacked

ROOT = Path(__file__).parents[1]
# What builds the operators of each program.
BUILDERS = {"leakyrelu": "_extension", "scale_leakyrelu": "_extension", "gemm_scale_leakyrelu": "_operators"}
TOOLKITS = ("11.8", "12.1", "12.4", "12.6", "12.8", "12.9", "13.0", "13.5")
ARCHITECTURES = ("sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_120")
# 2.0 and 2.2 are for knowledge.
TORCHS = (
    "2.0.1", "2.2.2", "2.4.1", "2.5.1", "2.6.0", "2.7.1", "2.8.0", "2.9.1", "2.10.0", "2.11.0", "2.12.1", "2.13.0",
    "2.14.1", "2.15.0",
)  # fmt: skip
NVCC_ARCHITECTURES = ("8.0", "9.0a")


def program_path(operator: str) -> Path:
    return ROOT / "python/kernelgate/catalogue" / operator / "model_new.py"


def toolkit_package(name: str, cuda: str) -> str:
    """The requirement of a part of a CUDA toolkit, whose packages were named after its major version until 12."""
    major = int(cuda.split(".")[0])
    return f"nvidia-cuda-{name}{f'-cu{major}' if major < 13 else ''}=={cuda}.*"


def headers(cuda: str, cache: Path) -> list[Path]:
    """The include folders of a toolkit: the runtime's, and the folder crt, which another package has."""
    parts = ["runtime", "crt" if int(cuda.split(".")[0]) >= 13 else "nvcc"]
    folder = unpacked([toolkit_package(part, cuda) for part in parts], lambda name: "/include/" in name, cache)
    return list(folder.glob("nvidia/*/include"))


# ------------------------------------------------------------------------------------------------------------ device

# One process a toolkit: a process can load one NVRTC, and takes the first in its path. The tests' way to a source with
# every kernel. C++17 is what the oldest of these toolkits can do.
DEVICE = """
import json, sys
from pathlib import Path
tests, headers, *architectures = sys.argv[1:]
sys.path.append(tests)
from catalogue.programs import program
from catalogue.test_elementwise import instances
from catalogue.test_gemm import device_source
from kernelgate.nvrtc.library import nvrtc
from kernelgate.nvrtc.log import used
compiler = nvrtc()
compiler.includes.insert(0, Path(headers))
# The last: prototypes of host functions are let be.
flags = ["--std=c++17", "--ptxas-options=-v", "--device-as-default-execution-space"]
for operator in ("leakyrelu", "scale_leakyrelu", "gemm_scale_leakyrelu"):
    found = program(operator)
    for arch in architectures:
        source = (
            device_source(found, arch)
            if operator.startswith("gemm")
            else found.TYPES + found.KERNELS + instances(found)
        )
        row = {"toolkit": compiler.version, "operator": operator, "arch": arch}
        compiled = compiler.compile(source, arch, flags)
        if compiled.succeeded:
            kernels = used(compiled.log)
            row["kernels"] = len(kernels)
            row["spilled_bytes"] = sum(each.spilled_bytes for each in kernels)
            row["most_registers"] = max(each.registers for each in kernels)
        else:
            row["refused"] = compiled.log
        print(json.dumps(row), flush=True)
"""
# What NVRTC has no header for, or brings itself: the little that the kernels take of it.
HEADERS = {
    "cstddef": "",
    "cstdint": "typedef unsigned uint32_t; typedef long long int64_t; typedef unsigned long long uint64_t;\n",
    "cuda_runtime.h": "#define INFINITY __int_as_float(0x7f800000)\n",
    "cuda.h": "struct alignas(64) CUtensorMap { unsigned long long opaque[16]; };\n",
}


def device(args: argparse.Namespace) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as small:
        for name, text in HEADERS.items():
            (Path(small) / name).write_text(text, encoding="utf-8")
        for cuda in args.toolkits:
            yield from compiled_by(cuda, small, args)


def compiled_by(cuda: str, small: str, args: argparse.Namespace) -> Iterator[Row]:
    # As pip would install them, which is how NVRTC and its headers are found.
    parts = [toolkit_package(part, cuda) for part in ("nvrtc", "runtime")]
    folder = unpacked(parts, lambda name: "/include/" in name or "/lib/libnvrtc" in name, args.cache)
    path = os.pathsep.join([str(folder), str(ROOT / "python"), *sys.path])
    command = [sys.executable, "-c", DEVICE, str(ROOT / "python/tests"), small, *args.architectures]
    environ = {**os.environ, "PYTHONPATH": path}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environ) as compiling:
        assert compiling.stdout is not None
        for line in compiling.stdout:
            row = json.loads(line)
            assert row["toolkit"] == cuda, row
            refused = row.pop("refused", "")
            yield {**row, "result": device_result(refused), "error": first_error(refused)}
    if compiling.returncode != 0:
        raise SystemExit(f"the process that compiles by NVRTC {cuda} ended with {compiling.returncode}")


def device_result(refused: str) -> str:
    if not refused:
        return "builds"
    return "unknown architecture" if "--gpu-architecture" in refused else "refused"


def first_error(text: str) -> str:
    return next((line.strip()[:300] for line in text.splitlines() if "error" in line), text.strip()[:300])


# -------------------------------------------------------------------------------------------------------------- host

TORCH_FILES = ("torch/utils/cpp_extension.py", "torch/version.py", "torch/share/cmake/Torch/TorchConfig.cmake")


class Written(Exception):
    """load_inline has written its files; the flags that it would hand on for C++."""


def host(args: argparse.Namespace) -> Iterator[Row]:
    for torch_version in args.torchs:
        yield from compiled_against(torch_version, args.cache)


def compiled_against(torch_version: str, cache: Path) -> Iterator[Row]:
    def wanted(name: str) -> bool:
        return name.startswith("torch/include/") or name in TORCH_FILES

    folder = unpacked([f"torch=={torch_version}"], wanted, cache)
    extension = (folder / "torch/utils/cpp_extension.py").read_text(encoding="utf-8")
    cuda = re.search(r"^cuda\b.*= '([\d.]+)'", (folder / "torch/version.py").read_text(), re.MULTILINE)
    standard = re.search(r"cflags = common_cflags \+ \['-fPIC', '-std=(c\+\+\d\d)'\]", extension)
    config = (folder / "torch/share/cmake/Torch/TorchConfig.cmake").read_text()
    abi = re.search(r"-D_GLIBCXX_USE_CXX11_ABI=\d", config)
    assert cuda is not None and standard is not None, folder
    includes = [
        folder / "torch/include",
        folder / "torch/include/torch/csrc/api/include",
        *headers(cuda[1], cache),
        Path(sysconfig.get_path("include")),
    ]
    flags = [
        "-DTORCH_EXTENSION_NAME=tried", "-DTORCH_API_INCLUDE_EXTENSION_H", *([abi[0]] if abi else []), "-fPIC",
        f"-std={standard[1]}", *(flag for each in includes for flag in ("-isystem", str(each))),
    ]  # fmt: skip
    for operator in BUILDERS:
        row: Row = {"torch": torch_version, "cuda": cuda[1], "standard": standard[1], "operator": operator}
        with tempfile.TemporaryDirectory() as made:
            try:
                own = written(operator, extension, Path(made))
            except Exception as refused:  # whatever a program meets in another PyTorch is the result
                yield {**row, "result": "refused", "error": f"{type(refused).__name__}: {refused}"[:300]}
                continue
            row["all_headers"] = "torch/extension.h" in (Path(made) / "main.cpp").read_text()
            # No code is made of it, which would take as long again and find nothing more.
            command = ["g++", *flags, *own, "-fsyntax-only", "main.cpp"]
            done = subprocess.run(command, cwd=made, capture_output=True, text=True)
            right = done.returncode == 0
            error = "" if right else first_error(done.stderr)
            yield {**row, "result": "builds" if right else "refused", "error": error}


def written(operator: str, extension: str, folder: Path) -> list[str]:
    """The program's call of load_inline, by that function of a PyTorch as its text has it: it writes its files to
    `folder`, and nothing is built. Returns the program's own flags for C++."""
    tree = ast.parse(extension)
    tree.body = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "load_inline"]
    tree.body[0].decorator_list = []  # type: ignore[attr-defined]
    flags: list[str] = []

    def build(name: str, sources: list[str], extra_cflags: list[str], *_: object, **__: object) -> None:
        flags.extend(extra_cflags)
        raise Written

    scope: dict[str, Any] = {
        "os": os,
        "_maybe_write": lambda path, text: Path(path).write_text(text),
        "_get_build_directory": lambda name, verbose: str(folder),
        "_jit_compile": build,
        "remove_extension_h_precompiler_headers": lambda: None,
    }
    # With this module's future: annotations stay text, whose names need not be there.
    exec(compile(tree, "cpp_extension.py", "exec"), scope)
    found: dict[str, Any] = {"__name__": "program"}
    path = program_path(operator)
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), found)
    found["load_inline"] = scope["load_inline"]
    try:
        found[BUILDERS[operator]]()
    except Written:
        return flags
    raise AssertionError(f"{operator} built nothing")


# ---------------------------------------------------------------------------------------------------------- fallback

# One line of JSON a program: what it does on CPU tensors, each "works" or the error.
FALLBACK = """
import copy, importlib.util, json, pickle, sys
import torch, torch.nn.functional as F

def load(path):
    spec = importlib.util.spec_from_file_location("program", path)
    found = sys.modules["program"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found

def differentiated(module):
    leaf = x.clone().requires_grad_()
    module(leaf).sum().backward()
    assert leaf.grad.shape == leaf.shape
    return module(x)

uses = {
    "call": lambda module: module(x),
    "gradient": differentiated,
    "deepcopy": lambda module: copy.deepcopy(module)(x),
    "pickle": lambda module: pickle.loads(pickle.dumps(module))(x),
    "compile": lambda module: torch.compile(module, fullgraph=True, backend="eager")(x),
    "export": lambda module: torch.export.export(module, (x,)).module()(x),
}
cases = {
    "leakyrelu": ((0.1,), lambda m: F.leaky_relu(x, 0.1)),
    "scale_leakyrelu": ((2.3, 0.1), lambda m: F.leaky_relu(x * 2.3, 0.1)),
    "gemm_scale_leakyrelu": ((6, 5, 1.5, 0.1), lambda m: F.leaky_relu(m.gemm(x) * 1.5, 0.1)),
}
x = torch.randn(8, 6)
for path in sys.argv[1:]:
    operator = path.split("/")[-2]
    row = {"operator": operator}
    try:
        arguments, reference = cases[operator]
        module = load(path).ModelNew(*arguments)
        row["import"] = "works"
        for name, use in uses.items():
            try:
                row[name] = "works" if torch.equal(use(module), reference(module)) else "another result"
            except Exception as error:
                row[name] = f"{type(error).__name__}: {error}"[:200]
    except Exception as error:
        row["import"] = f"{type(error).__name__}: {error}"[:200]
    print(json.dumps(row), flush=True)
"""


def fallback(args: argparse.Namespace) -> Iterator[Row]:
    for torch_version in args.torchs:
        with tempfile.TemporaryDirectory(dir=args.cache) as made:
            subprocess.run([sys.executable, "-m", "venv", made], check=True)
            python = f"{made}/bin/python"
            install = [python, "-m", "pip", "install", "--quiet", f"torch=={torch_version}", "numpy<2", "setuptools<80"]
            subprocess.run(install, check=True, capture_output=True)
            command = [python, "-c", FALLBACK, *(str(program_path(operator)) for operator in BUILDERS)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
        yield from ({"torch": torch_version, **json.loads(line)} for line in done.stdout.splitlines())


# -------------------------------------------------------------------------------------------------------------- nvcc

# Builds and loads the operators; prints the seconds of that, and those of a processor that the compilers took.
NVCC = """
import resource, runpy, sys, time
import torch
import torch.utils.cpp_extension
path, builder = sys.argv[1:]
build = runpy.run_path(path)[builder]
started = time.perf_counter()
namespace = build()
seconds = time.perf_counter() - started
assert any(name.startswith(namespace + "::") for name in torch._C._dispatch_get_all_op_names())
print(seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime)
"""


def nvcc(_: argparse.Namespace) -> Iterator[Row]:
    for arch in NVCC_ARCHITECTURES:
        rows: dict[str, Row] = {
            operator: {"operator": operator, "arch": arch, "cold_s": [], "compilers_s": []} for operator in BUILDERS
        }
        for _round in range(3):
            for operator, builder in BUILDERS.items():
                with tempfile.TemporaryDirectory() as made:
                    environ = {**os.environ, "TORCH_EXTENSIONS_DIR": made, "TORCH_CUDA_ARCH_LIST": arch}
                    command = [sys.executable, "-c", NVCC, str(program_path(operator)), builder]
                    done = subprocess.run(command, env=environ, capture_output=True, text=True)
                if done.returncode != 0:
                    rows[operator]["error"] = first_error(done.stderr)
                    continue
                for name, seconds in zip(("cold_s", "compilers_s"), done.stdout.split()[-2:], strict=True):
                    rows[operator][name].append(float(seconds))
        for row in rows.values():
            yield {**row, "result": "refused" if "error" in row else "builds"}


PARTS: dict[str, Callable[[argparse.Namespace], Iterator[Row]]] = {
    "device": device,
    "host": host,
    "fallback": fallback,
    "nvcc": nvcc,
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--cache", type=Path, required=True, help="a folder for what is unpacked of wheels")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--toolkits", nargs="+", default=TOOLKITS, help="those of the part device")
    parser.add_argument("--torchs", nargs="+", default=TORCHS, help="those of the parts host and fallback")
    parser.add_argument("--architectures", nargs="+", default=ARCHITECTURES, help="those of the part device")
    parser.add_argument("--commit")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    args.cache.mkdir(parents=True, exist_ok=True)
    results: Row = {"environment": environment(args.commit), "parts": {part: [] for part in PARTS}}
    for part in args.only:
        for row in PARTS[part](args):
            results["parts"][part].append(row)
            print(part, *row.values(), flush=True)
            # After every row: a run that is cut off keeps what it has.
            (args.out / "portability.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
            (args.out / "portability.md").write_text(as_markdown(results) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
