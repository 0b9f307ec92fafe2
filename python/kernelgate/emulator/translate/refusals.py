"""What emulation does not cover, found and named before anything is compiled.

In: source text. Out: nothing, or `Refused` with the first line that uses it. A refusal is no verdict.
Widening the emulator means taking a row out of the table.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from pathlib import Path

from kernelgate.cuda_source.lexer import Edit, apply, blank, line_of
from kernelgate.emulator.errors import Refused

HERE = Path(__file__).parent.parent

# What include/cuda/std has.
_STD_NAMES = (
    "array|byte|clamp|countl_zero|countr_zero|declval|forward|get|"
    "has_single_bit|ignore|index_sequence|index_sequence_for|int16_t|int32_t|int64_t|int8_t|"
    "make_index_sequence|make_pair|make_tuple|max|min|move|nullopt|numeric_limits|"
    "optional|pair|popcount|ptrdiff_t|rotl|rotr|size_t|span|"
    "swap|tie|tuple|uint16_t|uint32_t|uint64_t|uint8_t|uintptr_t"
)
# What it is, as the person reads it; the headers that bring it, which are taken as empty if nothing of it is named;
# and what names it.
TABLE: tuple[tuple[str, str, str], ...] = (
    ("Thrust", r"thrust/", r"\bthrust::|\bnamespace\s+thrust\b"),
    ("CUTLASS or CuTe", r"cutlass/|cute/", r"\bcutlass::|\bcute::|\bnamespace\s+(?:cute|cutlass)\b"),
    (
        "cuBLAS, beyond its products of real numbers",
        r"cublas(?:Lt|Xt)\.h",
        r"\bcublas[A-Z]\w*|\bCUBLAS_\w+|\bCUDA_[RC]_\w+",
    ),
    ("cuDNN", r"cudnn\w*\.h", r"\bcudnn[A-Z]\w*|\bCUDNN_\w+"),
    (
        "cuSPARSE, cuSOLVER or cuFFT",
        r"cu(?:sparse|solver|fft)\w*\.h",
        r"\bcu(?:sparse|solver|fft)[A-Z]\w*|\bCU(?:SPARSE|SOLVER|FFT)_\w+",
    ),
    ("NCCL or NVSHMEM", r"nccl\w*\.h|nvshmem\w*\.h", r"\bnccl[A-Z]\w*|\bnvshmem\w+"),
    (
        "groups of several devices",
        "",
        r"\bthis_multi_grid\s*\(|\bmulti_grid_group\b|\bcudaLaunchCooperativeKernelMultiDevice\b",
    ),
    (
        "CUB's device-wide algorithms",
        r"cub/device/",
        r"\bcub::Device(?:Reduce|Scan|RadixSort|MergeSort|SegmentedReduce|SegmentedRadixSort|"
        r"SegmentedSort|Select|Histogram|Partition|RunLengthEncode|Transform|For)\b",
    ),
    (
        "CUB (other than BlockReduce, BlockScan, BlockRadixSort, WarpReduce and WarpScan)",
        r"cub/(?!device/)",
        r"\bcub::(?:Block(?!Reduce\b|Scan\b|RadixSort\b)\w+|Warp(?!Reduce\b|Scan\b)\w+)",
    ),
    ("cub::Sum, cub::Max and cub::Min, which CUDA 13 no longer has", "", r"\bcub::(?:Sum|Max|Min)\b"),
    (
        "libcu++ PTX, flags, and barriers beyond a block's",
        r"cuda/|cuda_awbarrier",
        r"\bcuda::(?:ptx|ptr|atomic_flag\w*|device::(?!barrier_native_handle\b)\w+|std::(?:barrier|atomic_flag\w*)|"
        r"\w*semaphore\b|latch\b|barrier\s*<\s*(?:cuda::)?thread_scope_(?:device|system)\b)|\b__mbarrier_\w+",
    ),
    (
        "libcu++ beyond its atomics, operators and small types",
        "",
        r"\bcuda::std::(?!is_\w+|conditional\w*|enable_if\w*|remove_\w+|plus\b|minus\b|multiplies\b|less\b|greater\b|"
        rf"equal_to\b|bit_\w+|logical_\w+|atomic(?:_ref)?\b|memory_order\w*|(?:{_STD_NAMES})\b)\w+",
    ),
    (
        "tensor maps that are interleaved or im2col",
        "",
        r"\bCU_TENSOR_MAP_INTERLEAVE_(?:16|32)B\b|\bcuTensorMapEncodeIm2col\w*|\bcuTensorMapReplaceAddress\b",
    ),
    ("cuRAND", r"curand\w*\.h", r"\bcurand\w*|\bCURAND_\w+"),
    ("FP8 beyond its conversions, FP6 or FP4", r"cuda_fp[64]\.h\w*", r"\b__nv_\w*fp[864]\w*|\bFloat8_\w+|\bkFloat8\w*"),
    (
        "a launch through the driver",
        r"nvrtc\.h",
        r"\bcudaLaunchKernelExC\b|\bcu(?:Launch|Module|Ctx|Func|Library)[A-Z]\w*\s*\(|\bnvrtc[A-Z]\w*",
    ),
    (
        "the CUDA graph API, beyond recording a stream",
        "",
        r"\bcudaGraph(?:Add|Exec(?!_t\b|Destroy\b)|Clone|Create|Node|KernelNode|MemcpyNode|MemsetNode|Conditional|Debug)\w*|"
        r"\bcudaStreamUpdateCaptureDependencies\w*|\bcudaStreamGetCaptureInfo\w*|\bCUDAGraph\b",
    ),
    (
        "texture references, which CUDA 12 no longer has",
        "",
        r"\btexture\s*<\s*[\w ]+[,>]|\bcuda(?:Bind|Unbind)Texture\w*",
    ),
    ("gradients of textures", "", r"\btex(?:[123]D|Cubemap)\w*Grad\b"),
    (
        "managed variables and registered host memory",
        "",
        r"\bcudaHost(?:Register|Unregister)\b|\b__managed__\b",
    ),
    ("access to other GPUs", "", r"\bcudaMemcpyPeer\w*|\bcudaDeviceEnablePeerAccess\b|\bcudaIpc\w+"),
    (
        "reading a clock (emulation has no time)",
        "",
        r"\bcudaEventElapsedTime\b|\bglobaltimer\b",
    ),
)
# What a link needs of these, and of PyTorch: if nothing of a library is named, it is not needed.
_LIBRARIES = re.compile(
    r"-l(?:cu(?:blas|blasLt|dnn\w*|sparse\w*|solver\w*|fft\w*|rand|da|dart|dart_static|pti)|nvrtc\w*|nvToolsExt|nccl|c10\w*|torch\w*)"
)
# Here, and so before the first fork: each process of a run would need a program's time for it.
_COMPILED = tuple((what, re.compile(names)) for what, _, names in TABLE)
_HEADERS = tuple((what, re.compile(headers)) for what, headers, _ in TABLE if headers)
_INCLUDE = re.compile(r"^([ \t]*#[ \t]*include[ \t]*)[<\"]([^>\"\n]+)[>\"][^\n]*", re.MULTILINE)
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:[^\n]|(?<=\\)\n)*", re.MULTILINE)
# A handle or a status of a library, which a program may have and never use.
_OPAQUE = re.compile(r"\b(?:cu(?:blas|dnn|sparse|solver|fft|rand)|nccl|nvrtc)[A-Z]\w*_t\b")


@functools.cache
def _own_names() -> frozenset[str]:
    """Every word in our own headers of libraries that are covered in part."""
    headers = ("cublas_v2.h", "library_types.h", "cuda_fp8.h")
    texts = [(HERE / "include" / name).read_text(encoding="utf-8") for name in headers]
    return frozenset(re.findall(r"\w+", " ".join(texts)))


def unused_macros(blanked: str) -> list[range]:
    """Where the macros stand that nothing expands."""
    return [range(*m.span()) for m in _MACRO.finditer(blanked) if len(re.findall(rf"\b{m[1]}\b", blanked)) == 1]


def refuse_uncovered(source: str, unit: str) -> None:
    """Raises Refused when `source` uses something that emulation does not cover. A header alone uses nothing, nor does
    a macro that is never expanded, nor a handle that nothing is done with."""
    blanked = blank(source)
    unused = unused_macros(blanked)

    def is_used(found: re.Match[str]) -> bool:
        if found[0] in _own_names() or _OPAQUE.fullmatch(found[0]):
            return False
        return not any(found.start() in macro for macro in unused)

    visible = _INCLUDE.sub(lambda m: " " * len(m[0]), blanked)
    firsts = [(next(filter(is_used, names.finditer(visible)), None), what) for what, names in _COMPILED]
    used = [(first.start(), what) for first, what in firsts if first is not None]
    if used:
        position, what = min(used)
        raise Refused(what, unit, line_of(source, position))


def left_out(source: str) -> Iterator[tuple[re.Match[str], str]]:
    """The includes of headers that emulation has not and takes as empty, and what each would bring."""
    blanked = blank(source)
    for include in _INCLUDE.finditer(source):
        if blanked[include.start(1) : include.end(1)] != include[1] or (HERE / "include" / include[2]).is_file():
            continue
        for what, headers in _HEADERS:
            if headers.match(include[2]):
                yield include, what
                break


def without_libraries(source: str) -> str:
    """`source` with what its libraries' headers declare of the handles that it names, in place of these headers."""
    edits: list[Edit] = []
    declared = dict.fromkeys(_OPAQUE.findall(blank(source)))
    types = "".join(f" typedef void* {name};" for name in declared if name not in _own_names())
    for include, _ in left_out(source):
        edits.append(Edit(include.start(), include.end(), "" if edits else types))
    return apply(source, edits)


def refuse_libraries(extra_ldflags: list[str]) -> None:
    """Raises Refused for libraries that are none of CUDA's or PyTorch's: a program may need them on the CPU as well."""
    libraries = [flag for flag in extra_ldflags if flag.startswith("-l") and not _LIBRARIES.fullmatch(flag)]
    if libraries:
        raise Refused(f"linking {' '.join(libraries)}")
