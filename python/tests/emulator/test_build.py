"""The build cache survives damage, races and a wrong place; errors name the user's own lines."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from support import in_worker, load_inline, one_to_one

from kernelgate.emulator import CompileFailed, Refused, ToolchainMissing, build_extension, supported
from kernelgate.emulator.build import toolchain
from kernelgate.emulator.build.cache import is_whole
from kernelgate.emulator.translate.units import only_declares

pytestmark = pytest.mark.drawn

MAIN = "torch::Tensor f(torch::Tensor x);"
COPY = one_to_one(
    "__global__ void k(const float* x, float* y, int n) {\n"
    "  int i = blockIdx.x * 256 + threadIdx.x; if (i < n) y[i] = x[i]; }"
)


def build(cache, cuda=COPY, cpp=MAIN, name="program", **options):
    return build_extension(name, cpp, cuda, ["f"], cache=cache, **options)


def small(cache, cpp="int f() { return 1; }", cuda="", name="program", **options):
    """For questions about the cache itself: no header is read, so that it compiles in no time."""
    return build_extension(name, cpp, cuda, None, cache=cache, implicit_headers=False, **options)


def test_a_second_build_is_a_look_into_the_cache(tmp_path, cache):
    first, second = build(tmp_path), build(tmp_path)
    assert (first.cached, second.cached) == (False, True)
    assert first.library == second.library


def test_sources_flags_and_name_are_part_of_the_key(tmp_path, cache):
    libraries = {
        small(tmp_path).library,
        small(tmp_path, cpp="int f() { return 2; }").library,
        small(tmp_path, cuda="int g;").library,
        small(tmp_path, defines=["-DX=1"]).library,
        small(tmp_path, name="other").library,
    }
    assert len(libraries) == 5


@pytest.mark.parametrize("damage", ["truncate", "flip", "empty"])
def test_a_damaged_entry_is_built_again(tmp_path, cache, damage):
    library = small(tmp_path).library
    whole = library.read_bytes()
    library.write_bytes(
        {"truncate": whole[:5000], "flip": whole[:-9] + b"?" + whole[-8:], "empty": b""}[damage]
    )
    again = small(tmp_path)
    assert not again.cached
    assert again.library.read_bytes()[:4] == b"\x7fELF" and small(tmp_path).cached


def test_of_builders_at_once_one_compiles_and_all_get_the_library(tmp_path, cache):
    with ThreadPoolExecutor(4) as pool:
        built = list(pool.map(lambda _: small(tmp_path), range(4)))
    assert len({one.library for one in built}) == 1
    assert sorted(one.cached for one in built) == [False, True, True, True]
    assert small(tmp_path).cached
    assert [p.name for p in tmp_path.glob("*.so")] == [built[0].library.name]


def test_a_translation_is_kept_beside_its_library_and_made_again_where_it_is_damaged(tmp_path, cache):
    library = small(tmp_path).library
    (kept,) = tmp_path.glob("units-*.json")
    assert {path.name for path in tmp_path.glob("*.so")} == {library.name}
    for damaged in (kept.read_bytes()[:-1], b"[]", b""):
        kept.write_bytes(damaged)
        found = small(tmp_path)
        assert found.cached and found.library == library


def test_bindings_are_compiled_once_for_kernels_that_change(tmp_path, cache):
    for cuda in ("int f() { return 1; }", "int f() { return 2; }"):
        for examine in (False, True):
            small(tmp_path, "int f();", cuda, examine=examine)
    (kept,) = tmp_path.glob("object-*.o")
    kept.write_bytes(kept.read_bytes()[:-1])
    small(tmp_path, "int f();", "int f() { return 3; }")
    assert is_whole(kept)


def test_a_module_that_binds_names_is_no_code():
    module = 'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("f", &f, "{"); }'
    assert only_declares(f"#include <torch/extension.h>\n{MAIN} // {{\n{module}")
    assert not only_declares(f'{MAIN}\nPYBIND11_MODULE(m, m) {{ m.def("f", []() {{ return 1; }}); }}')
    assert not only_declares("int f() { return 1; }")


def test_code_in_main_cpp_is_examined_as_well(tmp_path, cache):
    for examine in (False, True):
        small(tmp_path, examine=examine)
    assert len(list(tmp_path.glob("object-*.o"))) == 2


def test_a_cache_that_cannot_be_written_is_reported_with_what_to_do(tmp_path, cache):
    in_the_way = tmp_path / "file"
    in_the_way.write_text("not a folder")
    with pytest.raises(ToolchainMissing, match=r"the build cache .* cannot be written .*KERNELGATE_CACHE"):
        build(in_the_way / "cache")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_cache_still_serves_what_it_holds(tmp_path, cache):
    build(tmp_path)
    tmp_path.chmod(0o555)
    try:
        assert build(tmp_path).cached
        with pytest.raises(ToolchainMissing, match="cannot write to the build cache"):
            build(tmp_path, name="other")
    finally:
        tmp_path.chmod(0o755)


def test_a_missing_compiler_is_reported_with_what_to_do(tmp_path, cache, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(ToolchainMissing, match=r"no C\+\+ compiler found .*apt install g\+\+"):
        build(tmp_path)
    assert "apt install g++" in supported()


def test_a_compiler_that_is_too_old_is_named(tmp_path, cache, monkeypatch):
    old = tmp_path / "g++-old"
    old.write_text('#!/bin/sh\n[ "$1" = -dumpmachine ] && echo x86_64-linux-gnu || echo 9.4.0\n')
    old.chmod(0o755)
    monkeypatch.setenv("CXX", str(old))
    with pytest.raises(ToolchainMissing, match=r"needs g\+\+ 12 or newer .*9\.4\.0"):
        build(tmp_path)


def test_another_kind_of_machine_is_named(monkeypatch):
    monkeypatch.setattr(toolchain.platform, "machine", lambda: "riscv64")
    assert "on x86-64 and aarch64 only, this is riscv64" in supported()


def test_memory_in_larger_pages_is_named(monkeypatch):
    monkeypatch.setattr(toolchain.os, "sysconf", lambda _name: 65536)
    assert "needs memory in pages of 4096 bytes, this kernel has 65536" in supported()


def test_diagnostics_carry_unit_and_line_of_the_users_source(cache):
    with pytest.raises(CompileFailed) as caught:
        build(cache, cuda=COPY + "int broken = missing;\n", cpp=MAIN + "\nint also = absent;")
    assert str(caught.value).startswith("Error building extension 'program'")
    errors = [
        (d.unit, d.line, d.severity, d.message.split(" in this scope")[0]) for d in caught.value.diagnostics
    ]
    assert errors == [
        ("main.cpp", 2, "error", "'absent' was not declared"),
        ("cuda.cu", COPY.count("\n") + 1, "error", "'missing' was not declared"),
    ]


def test_a_line_after_rewritten_ones_keeps_its_number(cache):
    source = (
        "__global__ void k(float* y) {\n  __shared__ float a[2],\n    b[3];\n  y[0] = a[0] + b[0];\n}\n"
        "void g(float* y) {\n  k<<<1,\n     32>>>(\n      y);\n}\nint broken = missing;\n"
    )
    with pytest.raises(CompileFailed) as caught:
        build(cache, cuda=source)
    assert [d.line for d in caught.value.diagnostics] == [11]


def test_a_refusal_comes_before_compiling(tmp_path):
    with pytest.raises(Refused, match=r"cuRAND, line 2"):
        build(tmp_path, cuda="#include <curand_kernel.h>\n__device__ curandState state;\n" + COPY)
    assert list(tmp_path.iterdir()) == []


def test_a_function_declared_but_never_defined_fails_at_import(cache):
    def body(emulation):
        load_inline("undefined", "torch::Tensor g(torch::Tensor x);", COPY, functions=["g"])

    assert "undefined symbol" in in_worker(cache, body).error


def test_importing_the_package_imports_no_torch():
    code = "import sys, kernelgate.emulator; sys.exit('torch' in sys.modules)"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    assert subprocess.run([sys.executable, "-c", code], env=environment, check=False).returncode == 0
