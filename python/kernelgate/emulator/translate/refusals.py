"""What emulation does not cover, found and named before anything is compiled.

In: source text. Out: nothing, or `Refused` with the first line that asks for it. A refusal is no verdict.
Widening the emulator means taking a row out of the table.
"""

from __future__ import annotations

import re

from kernelgate.cuda_source.lexer import blank, line_of
from kernelgate.emulator.errors import Refused

# What include/cuda/std has.
_STD_HEADERS = "array|tuple|utility|limits|algorithm|optional|span|bit|cstdint|cstddef"
_STD_NAMES = (
    "array|byte|clamp|countl_zero|countr_zero|declval|forward|get|"
    "has_single_bit|ignore|index_sequence|index_sequence_for|int16_t|int32_t|int64_t|int8_t|"
    "make_index_sequence|make_pair|make_tuple|max|min|move|nullopt|numeric_limits|"
    "optional|pair|popcount|ptrdiff_t|rotl|rotr|size_t|span|"
    "swap|tie|tuple|uint16_t|uint32_t|uint64_t|uint8_t|uintptr_t"
)
# What it is, as the person reads it; what shows it.
TABLE: tuple[tuple[str, str], ...] = (
    ("Thrust", r"<thrust/|\bthrust::"),
    ("CUTLASS or CuTe", r"<cutlass/|<cute/|\bcutlass::|\bcute::"),
    ("cuBLAS", r"<cublas|\bcublas[A-Z]\w*\s*\(|\bgetCurrentCUDABlas\w*"),
    ("cuDNN", r"<cudnn|\bcudnn[A-Z]\w*\s*\("),
    ("cuSPARSE, cuSOLVER or cuFFT", r"<cu(?:sparse|solver|fft)|\bcu(?:sparse|solver|fft)[A-Z]\w*\s*\("),
    ("NCCL or NVSHMEM", r"<nccl|<nvshmem|\bnccl[A-Z]\w*\s*\("),
    (
        "groups of several devices",
        r"\bthis_multi_grid\s*\(|\bmulti_grid_group\b|\bcudaLaunchCooperativeKernelMultiDevice\b",
    ),
    (
        "CUB's device-wide algorithms",
        r"<cub/device/|\bcub::Device(?:Reduce|Scan|RadixSort|MergeSort|SegmentedReduce|SegmentedRadixSort|"
        r"SegmentedSort|Select|Histogram|Partition|RunLengthEncode|Transform|For)\b",
    ),
    (
        "CUB (other than BlockReduce, BlockScan, BlockRadixSort, WarpReduce and WarpScan)",
        r"<cub/(?!cub\.cuh|block/block_(?:reduce|scan|radix_sort)\.cuh|warp/warp_(?:reduce|scan)\.cuh|device/)"
        r"|\bcub::(?:Block(?!Reduce\b|Scan\b|RadixSort\b)\w+|Warp(?!Reduce\b|Scan\b)\w+)",
    ),
    ("cub::Sum, cub::Max and cub::Min, which CUDA 13 no longer has", r"\bcub::(?:Sum|Max|Min)\b"),
    (
        "libcu++ PTX, flags, and barriers beyond a block's",
        rf"<cuda/(?!(?:(?:std/)?(?:functional|atomic)|std/(?:type_traits|{_STD_HEADERS})|barrier|pipeline)[>\"])|"
        r"\bcuda::(?:ptx|ptr|atomic_flag\w*|device::(?!barrier_native_handle\b)\w+|std::(?:barrier|atomic_flag\w*)|"
        r"barrier\s*<\s*(?:cuda::)?thread_scope_(?:device|system)\b)|<cuda_awbarrier|\b__mbarrier_\w+",
    ),
    (
        "libcu++ beyond its atomics, operators and small types",
        r"\bcuda::std::(?!is_\w+|conditional\w*|enable_if\w*|remove_\w+|plus\b|minus\b|multiplies\b|less\b|greater\b|"
        rf"equal_to\b|bit_\w+|logical_\w+|atomic(?:_ref)?\b|memory_order\w*|(?:{_STD_NAMES})\b)\w+",
    ),
    (
        "tensor maps that are interleaved or im2col",
        r"\bCU_TENSOR_MAP_INTERLEAVE_(?:16|32)B\b|\bcuTensorMapEncodeIm2col\w*|\bcuTensorMapReplaceAddress\b",
    ),
    ("cuRAND", r"<curand|\bcurand\w*\s*\(|\bcurandState\w*"),
    ("FP8, FP6 or FP4", r"<cuda_fp[864]|\b__nv_fp[864]\w*|\bFloat8_\w+|\bkFloat8\w*"),
    (
        "a launch through the driver",
        r"\bcudaLaunchKernelExC\b|\bcu(?:Launch|Module|Ctx|Func|Library)[A-Z]\w*\s*\(|\bnvrtc[A-Z]\w*\s*\(",
    ),
    (
        "the CUDA graph API",
        r"\bcudaGraph\w+|\bcudaStream(?:Begin|End)Capture\b|\bcudaStreamIsCapturing\b|\bCUDAGraph\b",
    ),
    (
        "texture references, which CUDA 12 no longer has",
        r"\btexture\s*<\s*[\w ]+[,>]|\bcuda(?:Bind|Unbind)Texture\w*",
    ),
    ("gradients of textures", r"\btex(?:[123]D|Cubemap)\w*Grad\b"),
    (
        "managed variables and registered host memory",
        r"\bcudaHost(?:Register|Unregister)\b|\b__managed__\b",
    ),
    ("access to other GPUs", r"\bcudaMemcpyPeer\w*|\bcudaDeviceEnablePeerAccess\b|\bcudaIpc\w+"),
    (
        "reading a clock (emulation has no time)",
        r"\bcudaEventElapsedTime\b|\bglobaltimer\b",
    ),
)
# Here, and so before the first fork: each process of a run would need a program's time for it.
_COMPILED = tuple((what, re.compile(pattern)) for what, pattern in TABLE)
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[^\n]*", re.MULTILINE)


def refuse_uncovered(source: str, unit: str) -> None:
    """Raises Refused when `source` asks for something that emulation does not cover."""
    blanked = blank(source)
    # A quoted include is blanked as any string; its name matters here.
    visible = _INCLUDE.sub(lambda m: source[m.start() : m.end()].replace('"', "<", 1), blanked)
    found = [(m.start(), what) for what, pattern in _COMPILED if (m := pattern.search(visible))]
    if found:
        position, what = min(found)
        raise Refused(what, unit, line_of(source, position))


def refuse_libraries(extra_ldflags: list[str]) -> None:
    """Raises Refused for libraries that do not exist for the CPU."""
    libraries = [flag for flag in extra_ldflags if flag.startswith("-l")]
    if libraries:
        raise Refused(f"linking {' '.join(libraries)}")
