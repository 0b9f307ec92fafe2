"""Headers of the person's own are part of a program: a library is never used after one of them has changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import torch
from support import in_worker, load_inline, one_to_one

from kernelgate.emulator import Built, Refused, build_extension
from kernelgate.emulator.build.own_headers import Searched, dependencies, missed, own_headers, searched

pytestmark = pytest.mark.drawn

MAIN = "torch::Tensor f(torch::Tensor x);"
KERNEL = one_to_one(
    "__global__ void k(const float* x, float* y, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = SCALE * x[i]; }"
)


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    folder = tmp_path / "mine and yours"
    folder.mkdir()
    return folder


def build(cache: Path, includes: str, *folders: Path) -> Built:
    paths = [str(folder) for folder in folders]
    return build_extension("program", MAIN, includes + KERNEL, ["f"], cache=cache, include_paths=paths)


def test_a_changed_header_changes_what_the_program_computes(cache, mine):
    """Whether its folder is given by name or by a flag."""

    def computed(**folder: list[str]) -> float:
        def body(emulation):
            with emulation.active():
                source = '#include "scale.cuh"\n' + KERNEL
                program = load_inline("scaled", MAIN, source, functions=["f"], **folder)
                return program.f(torch.ones(3, device="cuda"))[0].item()

        return in_worker(cache, body).result()

    (mine / "scale.cuh").write_text("#define SCALE 2\n")
    assert computed(extra_include_paths=[str(mine)]) == 2.0
    (mine / "scale.cuh").write_text("#define SCALE 3\n")
    assert computed(extra_cuda_cflags=["-I", str(mine)]) == 3.0


@pytest.mark.parametrize("by", ["a flag", "a variable"])
def test_a_header_that_a_flag_includes_is_refused_and_not_left_out(cache, mine, by):
    (mine / "scale.cuh").write_text("#define SCALE 2\n")
    flags = ["-include", str(mine / "scale.cuh")]

    def body(emulation):
        if by == "a variable":
            os.environ["NVCC_APPEND_FLAGS"] = " ".join(flags).replace(" and yours", "")
        given = flags if by == "a flag" else []
        with emulation.active(), pytest.raises(Refused, match="write #include in the source"):
            load_inline("first", MAIN, KERNEL, functions=["f"], extra_cuda_cflags=given)

    in_worker(cache, body).result()


@pytest.mark.parametrize("read", ['asm(".incbin \\"a\\"");', 'asm(".inc" "lude \\"a\\"");'])
def test_a_source_whose_assembler_reads_a_file_is_built_each_time(read):
    assert not own_headers([read], Searched(())).complete


def test_a_header_as_it_was_leads_to_the_library_as_it_was(cache, mine):
    header = mine / "scale.cuh"
    libraries = []
    for scale in (2, 3, 2):
        header.write_text(f"#define SCALE {scale}\n")
        libraries.append(build(cache, '#include "scale.cuh"\n', mine))
    assert [built.cached for built in libraries] == [False, False, True]
    assert libraries[0].library == libraries[2].library != libraries[1].library


def test_a_header_by_its_whole_path_is_part_of_the_program(cache, mine):
    header = mine / "whole.h"
    header.write_text("#define SCALE 2\n")
    includes = f'#include "{header}"\n'
    assert [build(cache, includes).cached for _ in range(2)] == [False, True]
    header.write_text("#define SCALE 3\n")
    assert not build(cache, includes).cached


def test_a_header_beside_a_header_is_part_of_the_program(cache, mine):
    (mine / "inner").mkdir()
    (mine / "outer.h").write_text('#include "inner/scale.h"\n')
    (mine / "inner" / "scale.h").write_text('#include "value.h"\n')
    (mine / "inner" / "value.h").write_text("#define SCALE 2\n")
    assert [build(cache, "#include <outer.h>\n", mine).cached for _ in range(2)] == [False, True]
    (mine / "inner" / "value.h").write_text("#define SCALE 3\n")
    assert not build(cache, "#include <outer.h>\n", mine).cached


def test_a_header_that_comes_to_lie_before_another_is_taken(cache, mine, tmp_path):
    before = tmp_path / "before"
    before.mkdir()
    (mine / "scale.h").write_text("#define SCALE 2\n")
    assert [build(cache, "#include <scale.h>\n", before, mine).cached for _ in range(2)] == [False, True]
    (before / "scale.h").write_text("#define SCALE 3\n")
    assert not build(cache, "#include <scale.h>\n", before, mine).cached


def test_a_header_that_is_asked_for_and_appears_later_is_taken(cache, mine):
    asks = '#if __has_include("scale.h")\n#include "scale.h"\n#else\n#define SCALE 1\n#endif\n'
    assert [build(cache, asks, mine).cached for _ in range(2)] == [False, True]
    (mine / "scale.h").write_text("#define SCALE 3\n")
    assert not build(cache, asks, mine).cached


def test_a_program_whose_text_does_not_name_its_header_is_built_each_time(cache, mine):
    (mine / "scale.h").write_text("#define SCALE 2\n")
    by_macro = '#define WHICH "scale.h"\n#include WHICH\n'
    libraries = [build(cache, by_macro, mine) for _ in range(2)]
    assert not any(built.cached for built in libraries)
    assert libraries[0].library != libraries[1].library


def test_a_folder_that_the_environment_names_counts(cache, mine, monkeypatch):
    monkeypatch.setenv("CPATH", str(mine))
    (mine / "scale.h").write_text("#define SCALE 2\n")
    assert [build(cache, "#include <scale.h>\n").cached for _ in range(2)] == [False, True]
    (mine / "scale.h").write_text("#define SCALE 3\n")
    assert not build(cache, "#include <scale.h>\n").cached


def test_a_header_with_a_name_of_cudas_does_not_come_before_it(cache, mine):
    (mine / "cuda_runtime.h").write_text("#error not this one\n")
    build(cache, "#include <cuda_runtime.h>\n#define SCALE 2\n", mine)


def test_a_header_that_emulation_cannot_take_is_named_and_is_no_failure(cache, mine):
    (mine / "kernels.cuh").write_text(
        "#define SCALE 2\n__global__ void other(float* y) {\n  __shared__ float s[32];\n  y[0] = s[0]; }\n"
    )
    with pytest.raises(Refused, match=r"line 3 of kernels\.cuh"):
        build(cache, '#include "kernels.cuh"\n', mine)


def test_what_a_compiler_read_and_no_digest_stands_for_is_found(mine):
    (mine / "a.h").write_text('#include "b.h"')
    (mine / "b.h").write_text("")
    (mine / "c.h").write_text("")
    own = own_headers(["#include <a.h>"], Searched((str(mine),)))
    rule = f"x.o: x.cpp {str(mine).replace(' ', chr(92) + ' ')}/a.h \\\n /usr/include/stdio.h\n"
    assert own.complete and dependencies(rule) == ["x.cpp", f"{mine}/a.h", "/usr/include/stdio.h"]
    assert missed(dependencies(rule), own) == []
    assert missed([f"{mine}/c.h"], own) == [f"{mine}/c.h"]
    assert missed(["/opt/compiler/include/c.h"], own) == []


def test_headers_without_an_end_are_not_taken_for_all(mine):
    for n in range(1200):
        (mine / f"h{n}.h").write_text(f'#include "h{n + 1}.h"')
    assert not own_headers(['#include "h0.h"'], Searched((str(mine),))).complete


def test_a_header_that_includes_itself_is_read_once(mine):
    (mine / "a.h").write_text('#pragma once\n#include "a.h"')
    assert own_headers(['#include "a.h"'], Searched((str(mine),))).complete


def test_flags_say_where_a_compiler_looks():
    flags = ["-O3", "-I/a", "-isystem", "/b", "-Xcompiler=-I/c,-O2", "-include", "first.h", "--include-path=/d"]
    assert searched(flags) == Searched(("/a", "/b", "/c", "/d"), ("first.h",))
    assert searched(["-Xcompiler", "-I/c"]).folders == ("/c",)
    for elsewhere in ("@flags", "-optf=flags", "-specs=mine"):
        assert not searched([elsewhere]).complete
