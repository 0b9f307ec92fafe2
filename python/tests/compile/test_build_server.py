"""The process that may write to the build cache: what it is sent, and what compilers run, decides only about its own
entries. Real compilers, real processes; what needs nvcc only builds and imports, and so needs no GPU."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from torch.utils.cpp_extension import CUDA_HOME

from kernelgate.compile.cuda import cached_load_inline
from kernelgate.emulator.build.cache import is_whole
from kernelgate.messages.build_requests import BuiltExtension, CudaExtension
from kernelgate.messages.channel import Channel
from kernelgate.messages.worker import Building
from kernelgate.sandbox import landlock
from kernelgate.worker.build_client import Builds

START = """
import socket, sys
from pathlib import Path
from kernelgate.compile.build_server import builder_main
builder_main(socket.socket(fileno=int(sys.argv[1])), Path(sys.argv[2]))
"""
ANSWER = 'extern "C" int answer() { return 42; }'

needs_landlock = pytest.mark.skipif(
    landlock.version() < 2, reason="without Landlock, compilers write where they like, and the report says so"
)
needs_nvcc = pytest.mark.skipif(CUDA_HOME is None, reason="nvcc was not found: set CUDA_HOME to a CUDA toolkit")


class Started:
    """A builder of its own."""

    def __init__(self, cache: Path) -> None:
        self.connection, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-c", START, str(theirs.fileno()), str(cache)],
                pass_fds=[theirs.fileno()],
                env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        self.told: list[Building] = []
        self.builds = Builds(Channel(self.connection), self.told.append)

    def end(self) -> int:
        """Its exit status, once its worker has gone."""
        self.connection.close()
        return self.process.wait(timeout=60)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def builds(cache: Path) -> Iterator[Builds]:
    started = Started(cache)
    try:
        yield started.builds
    finally:
        assert started.end() == 0


@pytest.mark.drawn
def test_a_library_of_the_emulators_own_is_a_build_and_no_part_of_a_call(cache: Path) -> None:
    """Its time is the compiler's, and a progress line says so."""
    started = Started(cache)
    assert is_whole(started.builds.library("runtime"))
    assert started.told == [Building("the emulator's runtime"), Building(None)]
    assert started.end() == 0


@pytest.fixture(scope="module")
def honest(builds: Builds) -> Path:
    """The library of a program that others want to replace."""
    return builds.cuda_extension(plain("honest"))


def plain(name: str, source: str = ANSWER, settings: dict[str, str | None] | None = None, **more: Any) -> CudaExtension:
    """An extension that is no Python module and includes nothing, and so builds in a moment."""
    arguments = {"cpp_sources": [source], "is_python_module": False, "no_implicit_headers": True, **more}
    return CudaExtension(name, arguments, settings=settings or {})  # type: ignore[arg-type]


@pytest.fixture
def wrapper(tmp_path: Path) -> Callable[[str], list[str]]:
    """Flags by which g++ has a shell do `script` instead of each of its own steps, which is "$@"."""

    def flags(script: str) -> list[str]:
        file = tmp_path / "wrapper"
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)
        return ["-wrapper", str(file)]

    return flags


@pytest.mark.parametrize("empty", [[], [""]], ids=["none", "an empty one"])
def test_an_extension_is_built_once_whatever_flags_it_has(builds: Builds, cache: Path, empty: list[str]) -> None:
    extension = plain(f"once_{len(empty)}", extra_cflags=empty, extra_ldflags=empty)
    first = builds.cuda_extension(extension)
    written = first.stat().st_mtime_ns
    assert first.parent == cache and is_whole(first)
    assert builds.cuda_extension(extension) == first and first.stat().st_mtime_ns == written
    assert not list(cache.glob("building-*"))


@needs_landlock
def test_what_a_compiler_runs_writes_to_its_own_folder_only(
    builds: Builds, honest: Path, cache: Path, tmp_path: Path, wrapper: Callable[[str], list[str]]
) -> None:
    before, entries = honest.read_bytes(), sorted(cache.glob("*.so"))
    attempts = {
        "overwrite": f"echo evil > {honest}",
        "append": f"echo evil >> {honest}",
        "remove": f"rm {honest}",
        "replace": f"echo evil > own && mv own {honest}",
        "move away": f"mv {honest} own",
        "a new entry": f"echo evil > {cache}/cuda-0123.so",
        "beside its folder": "echo evil > ../published",
        "elsewhere": f"echo evil > {tmp_path}/written",
        "the network": "exec 3<>/dev/tcp/127.0.0.1/9",
        "its own folder": "echo fine > own",
    }
    script = "\n".join(
        f"""if bash -c '{attempt}' 2>/dev/null; then echo "{name}: done" >&2; else echo "{name}: refused" >&2; fi"""
        for name, attempt in attempts.items()
    )
    with pytest.raises(RuntimeError, match="Error building extension 'wrapped'") as failed:
        builds.cuda_extension(plain("wrapped", extra_cflags=wrapper(f"{script}\nexit 1")))
    told = [line for line in str(failed.value).splitlines() if line.endswith((": done", ": refused"))]
    assert told == [f"{name}: {'done' if name == 'its own folder' else 'refused'}" for name in attempts]
    assert honest.read_bytes() == before
    assert sorted(cache.glob("*.so")) == entries
    assert [path.name for path in tmp_path.iterdir()] == ["wrapper"]


@pytest.mark.parametrize(
    "left",
    ["ln -sf {honest} odd.so", "rm odd.so && mkfifo odd.so", "rm odd.so && mkdir odd.so", "rm odd.so"],
    ids=["a link to another library", "a pipe", "a folder", "nothing"],
)
def test_only_a_file_is_taken_for_a_library(
    builds: Builds, honest: Path, cache: Path, wrapper: Callable[[str], list[str]], left: str
) -> None:
    entries = sorted(cache.glob("*.so"))
    flags = wrapper(f'"$@" && {left.format(honest=honest)}')
    with pytest.raises(RuntimeError, match=r"Error building extension 'odd': the build left .*odd\.so"):
        builds.cuda_extension(plain("odd", extra_ldflags=flags))
    assert sorted(cache.glob("*.so")) == entries


def test_a_process_that_holds_the_library_open_changes_nothing(
    builds: Builds, wrapper: Callable[[str], list[str]], tmp_path: Path
) -> None:
    wait = f"while [ ! -e {tmp_path}/published ]; do sleep 0.05; done"
    later = f"exec 3>>held.so; {wait}; echo evil >&3; echo evil >> held.so"
    flags = wrapper(f'"$@" || exit 1\n({later}) < /dev/null > /dev/null 2>&1 &')
    library = builds.cuda_extension(plain("held", extra_ldflags=flags))
    before = library.read_bytes()
    (tmp_path / "published").touch()
    time.sleep(0.5)
    assert library.read_bytes() == before and is_whole(library)


def test_what_a_program_says_to_the_compiler_by_the_environment_is_its_own_affair(
    builds: Builds, tmp_path: Path
) -> None:
    """The same sources and flags, and headers of its own: they must not decide what others get."""
    source = '#if __has_include(<evil.h>)\nextern "C" int answer() { return 13; }\n#else\n' + ANSWER + "\n#endif"
    (tmp_path / "evil.h").touch()
    theirs = builds.cuda_extension(plain("told", source, {"CPATH": str(tmp_path)}))
    ours = builds.cuda_extension(plain("told", source))
    assert theirs != ours and theirs.read_bytes() != ours.read_bytes()


HEADER = 'extern "C" int answer() {{ return {}; }}\n'


def with_header(name: str, include: str, *folders: Path) -> CudaExtension:
    return plain(name, include, extra_include_paths=[str(folder) for folder in folders])


@pytest.mark.parametrize("manner", ["a folder", "a whole path", "a flag", "a header beside it"])
def test_a_changed_header_leads_to_another_library(builds: Builds, tmp_path: Path, manner: str) -> None:
    header = tmp_path / "answer.h"
    (tmp_path / "outer.h").write_text('#include "answer.h"\n')
    extension = {
        "a folder": with_header("by_folder", "#include <answer.h>", tmp_path),
        "a whole path": with_header("by_path", f'#include "{header}"'),
        "a flag": plain("by_flag", "#include <answer.h>", extra_cflags=["-I", str(tmp_path)]),
        "a header beside it": with_header("beside", "#include <outer.h>", tmp_path),
    }[manner]
    header.write_text(HEADER.format(1))
    first = builds.cuda_extension(extension)
    assert builds.cuda_extension(extension) == first
    header.write_text(HEADER.format(2))
    second = builds.cuda_extension(extension)
    assert second != first and second.read_bytes() != first.read_bytes()
    header.write_text(HEADER.format(1))
    assert builds.cuda_extension(extension) == first


def test_a_source_that_does_not_name_its_header_is_built_each_time(builds: Builds, tmp_path: Path) -> None:
    (tmp_path / "answer.h").write_text(HEADER.format(1))
    by_macro = with_header("by_macro", "#define WHICH <answer.h>\n#include WHICH", tmp_path)
    libraries = [builds.cuda_extension(by_macro) for _ in range(2)]
    assert libraries[0] != libraries[1] and all(map(is_whole, libraries))


def test_a_header_that_only_ninja_knows_of_is_missed_and_not_cached(builds: Builds, tmp_path: Path) -> None:
    """`-include` in the source's own pragma would be such a one; a wrapper around the compiler is a plain stand-in."""
    (tmp_path / "answer.h").write_text(HEADER.format(1))
    (tmp_path / "asked.h").write_text("")
    script = tmp_path / "compiler"
    script.write_text(f'#!/bin/sh\nexec g++ -include {tmp_path}/answer.h "$@"\n')
    script.chmod(0o755)
    extension = plain(
        "wrapped_include",
        "#include <asked.h>",
        {"CXX": str(script)},
        extra_include_paths=[str(tmp_path)],
        extra_cflags=["-DTRIED=1"],
    )
    assert builds.cuda_extension(extension) != builds.cuda_extension(extension)


@needs_nvcc
@pytest.mark.gpu
def test_a_changed_header_of_a_cuda_source_leads_to_another_library(builds: Builds, tmp_path: Path) -> None:
    header = tmp_path / "scale.cuh"
    source = (
        '#include "scale.cuh"\n__global__ void k(float* y) { y[threadIdx.x] *= SCALE; }\n'
        'extern "C" void scaled(float* y) { k<<<1, 32>>>(y); }\n'
    )
    extension = plain("by_nvcc", "", cuda_sources=[source], extra_include_paths=[str(tmp_path)])
    libraries = []
    for scale in (2, 3, 2):
        header.write_text(f"#define SCALE {scale}\n")
        libraries.append(builds.cuda_extension(extension))
    assert libraries[0] == libraries[2] != libraries[1]


@needs_nvcc
@pytest.mark.gpu
def test_a_change_of_a_kernel_leaves_the_cpp_side_as_it_was_compiled(builds: Builds) -> None:
    times, values = set(), []
    for value in (1, 2):
        cuda = f'__global__ void k() {{}}\nextern "C" int value() {{ k<<<1, 1>>>(); return {value}; }}\n'
        cpp = 'extern "C" const char* compiled() { return __TIME__; }'
        library = ctypes.CDLL(str(builds.cuda_extension(plain("edited", cpp, cuda_sources=[cuda]))))
        library.compiled.restype = ctypes.c_char_p
        times.add(library.compiled())
        values.append(library.value())
        time.sleep(1)  # __TIME__ has seconds
    assert len(times) == 1 and values == [1, 2]


JUNK = {
    "noise": b"\xff" * 100,
    "2 GB": struct.pack("!I", 1 << 31) + bytes(1 << 20),
    "no JSON": struct.pack("!I", 4) + b"{{{{",
    "deep JSON": struct.pack("!I", 200_000) + b"[" * 200_000,
}
NO_ORDERS: dict[str, object] = {
    "no such order": {"type": "remove"},
    "a name that is a path": {"type": "cuda_extension", "name": "../../odd", "arguments": {}},
    "a number among the flags": {"type": "cuda_extension", "name": "odd", "arguments": {"extra_cflags": [1]}},
    "a variable that compilers do not read": {
        "type": "cuda_extension",
        "name": "odd",
        "arguments": {},
        "settings": {"LD_PRELOAD": "odd.so"},
    },
    "too many flags": {"type": "cuda_extension", "name": "odd", "arguments": {"extra_cflags": ["-O1"] * 1001}},
    "a library that emulation does not have": {"type": "emulator_library", "name": "../odd"},
}


def _framed(message: object) -> bytes:
    body = json.dumps(message).encode()
    return struct.pack("!I", len(body)) + body


SENT = JUNK | {name: _framed(message) for name, message in NO_ORDERS.items()}


@pytest.mark.parametrize("sent", SENT.values(), ids=SENT.keys())
def test_a_builder_that_is_sent_no_order_ends_and_leaves_nothing(tmp_path: Path, sent: bytes) -> None:
    started = Started(tmp_path / "cache")
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it may have gone before all was sent
        started.connection.sendall(sent)
    started.process.wait(timeout=60)
    assert not (tmp_path / "cache").exists()
    with pytest.raises(RuntimeError, match="the process that builds extensions has ended"):
        started.builds.cuda_extension(plain("after"))
    started.connection.close()


# --- load_inline as a program sees it ---------------------------------------------------------------------------------


@pytest.fixture
def load_inline(builds: Builds, cache: Path) -> Callable[..., Any]:
    """The worker's load_inline for a GPU that need not be there; `noted` are its builds."""
    noted: list[BuiltExtension] = []
    load = cached_load_inline(cache, "sm_80", noted.append, builds.cuda_extension)
    load.noted = noted  # type: ignore[attr-defined]
    return load


def test_a_compilers_error_is_that_of_load_inline(load_inline: Callable[..., Any]) -> None:
    words = r"^Error building extension 'broken': [\s\S]*main\.cpp:2:\d+: error: .x. was"
    with pytest.raises(RuntimeError, match=words):
        load_inline("broken", ["int f() {\nreturn x; }"], no_implicit_headers=True)


def test_arguments_that_load_inline_refuses_are_refused_in_its_own_words(load_inline: Callable[..., Any]) -> None:
    with pytest.raises(ValueError, match="Expected 'functions' to be a list or dict"):
        load_inline("refused", [ANSWER], functions=("answer",), no_implicit_headers=True)
    with pytest.raises(AttributeError, match="'int' object has no attribute"):
        load_inline("refused", [ANSWER], extra_cflags=[1], no_implicit_headers=True)
    with pytest.raises(TypeError, match="missing a required argument: 'cpp_sources'"):
        load_inline("refused")


def test_flags_may_be_a_tuple(load_inline: Callable[..., Any]) -> None:
    source = "#ifndef GIVEN\n#error without its flag\n#endif\n" + ANSWER
    options = {"is_python_module": False, "no_implicit_headers": True, "extra_cflags": ("-DGIVEN",)}
    assert load_inline("flagged", [source], **options) == load_inline("flagged", [source], **options)
    assert [built.cached for built in load_inline.noted] == [False, True]  # type: ignore[attr-defined]


class Template(str):
    """As the markup of a template engine: text of a class of its own."""


def test_a_source_may_be_text_of_a_class_of_its_own(load_inline: Callable[..., Any]) -> None:
    options = {"is_python_module": False, "no_implicit_headers": True}
    assert load_inline("made", [Template(ANSWER)], **options) == load_inline("made", [ANSWER], **options)
    assert [built.cached for built in load_inline.noted] == [False, True]  # type: ignore[attr-defined]


def test_another_extension_of_the_same_name_is_built_under_a_number(load_inline: Callable[..., Any]) -> None:
    options = {"is_python_module": False, "no_implicit_headers": True}
    paths = [load_inline("twice", [f"{ANSWER} // {number}"], **options) for number in (1, 1, 2)]
    assert paths[0] == paths[1] != paths[2]
    with pytest.raises(RuntimeError, match="'twice_v2'"):
        load_inline("twice", ["wrong"], **options)


CUDA_SOURCE = """__global__ void doubled(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
int launch(int n) { doubled<<<1, 32>>>(nullptr, nullptr, 0); return n + 1; }
"""
BINDING = """#include <Python.h>
int launch(int n);
static PyObject* call(PyObject*, PyObject* n) { return PyLong_FromLong(launch(PyLong_AsLong(n))); }
static PyMethodDef methods[] = {{"launch", call, METH_O, ""}, {}};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "with_nvcc", "", -1, methods};
PyMODINIT_FUNC PyInit_with_nvcc() { return PyModule_Create(&module); }
"""


@needs_nvcc
def test_nvcc_builds_and_the_library_is_imported_here(load_inline: Callable[..., Any]) -> None:
    from kernelgate.tools.cuobjdump import resources_of

    for cached in (False, True):
        module = load_inline("with_nvcc", [BINDING], [CUDA_SOURCE], no_implicit_headers=True)
        assert module.launch(41) == 42  # the launch itself fails without a GPU, which nobody asks for
        noted = load_inline.noted[-1]  # type: ignore[attr-defined]
        assert noted.cached is cached
    # What the cache puts behind a library's end is in nobody's way.
    kernels = resources_of(Path(noted.library))
    assert [kernel.arch for kernel in kernels if "doubled" in kernel.kernel] == ["sm_80"]


@needs_nvcc
def test_an_error_of_nvcc_names_its_line(load_inline: Callable[..., Any]) -> None:
    with pytest.raises(RuntimeError, match=r"^Error building extension 'broken_cuda': [\s\S]*cuda\.cu\(3\): error: "):
        load_inline("broken_cuda", [""], [CUDA_SOURCE.replace("2 * x[i]", "z")], no_implicit_headers=True)
