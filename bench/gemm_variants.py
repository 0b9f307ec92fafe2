"""Other ways of the product that are tried: `gemm.py` times them in its section variants, and looks at their values.

What is faster goes into the program, and what is not stays here, so that nobody tries it again.
"""

from __future__ import annotations

from typing import NamedTuple


class Variant(NamedTuple):
    """What is replaced in the program's sources; `rows`: of x, for which it matters; `path`: as in the program."""

    name: str
    rows: tuple[int, ...]
    replaced: tuple[tuple[str, str], ...] = ()
    path: str = ""


TWO_BLOCKS = ("kMmaBlocks = 1;", "kMmaBlocks = 2;")
# Four blocks, one a part, form a cluster; each reads a quarter of the others' sums from their shared memory, and adds
# them in the order of the parts. `add_parts` is left out. All of a thread's sums are 32 float4s, one for each pair of
# `store_pairs`.
TOGETHER = (
    (
        "template <int kCluster>\n__global__ void __cluster_dims__(kCluster, 1, 1)",
        "template <int kCluster, int kTogether = 1>\n__global__ void __cluster_dims__(kCluster * kTogether, 1, 1)",
    ),
    (
        "  const int first_unit = blockIdx.x / kCluster, unit_step = gridDim.x / kCluster;\n",
        """
  const int place = kTogether > 1 ? blockIdx.x % kTogether : 0;
  const int first_unit = kTogether > 1 ? place * tiling.tiles() + blockIdx.x / kTogether : blockIdx.x / kCluster;
  const int unit_step = kTogether > 1 ? units : gridDim.x / kCluster;
""",
    ),
    # A block whose cluster adds parts signals its own barriers, and shares no lines.
    ("unsigned empty, int slices, int warpgroup)", "unsigned empty, int slices, int warpgroup, int place = 0)"),
    ("(empty + 8 * stages[c], threadIdx.x % 128)", "(empty + 8 * stages[c], place + threadIdx.x % 128)"),
    ("shared, full, empty, slices, warpgroup)", "shared, full, empty, slices, warpgroup, place)"),
    (
        "    }\n  } else {\n    asm volatile(\"setmaxnreg.inc",
        """    }
    if constexpr (kTogether > 1) {
      __syncwarp();
      cluster_sync();
    }
  } else {
    asm volatile("setmaxnreg.inc""",
    ),
    (
        "      store_pairs<32>(s, part, row, column, end,\n",
        """
      if constexpr (kTogether > 1) {
        constexpr int kShare = 32 / kTogether;
        const unsigned sums = shared + (threadIdx.x - 128) * 16;
        asm volatile("bar.sync 1, 256;" ::: "memory");  // the other warpgroup may still multiply from here
#pragma unroll
        for (int q = 0; q < 32; ++q) {
          const float* four = &whole[q / 16][q % 16 * 4];
          asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(sums + q * 4096), "f"(four[0]), "f"(four[1]),
                       "f"(four[2]), "f"(four[3])
                       : "memory");
        }
        cluster_sync();
        float total[4 * kShare] = {};
#pragma unroll
        for (int from = 0; from < kTogether; ++from) {
          unsigned there;
          asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(sums + place * kShare * 4096), "r"(from));
#pragma unroll
          for (int q = 0; q < kShare; ++q) {
            float four[4];
            asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
                         : "=f"(four[0]), "=f"(four[1]), "=f"(four[2]), "=f"(four[3])
                         : "r"(there + q * 4096));
#pragma unroll
            for (int e = 0; e < 4; ++e) {
              total[4 * q + e] += four[e];
            }
          }
        }
        SplitProduct alone = s;
        alone.parts = 1;
        store_pairs<kShare>(alone, 0, row, column + 8 * kShare * place, end,
                            [&](int j, int h) { return &total[4 * j + 2 * h]; });
        continue;
      }
      store_pairs<32>(s, part, row, column, end,
""",
    ),
    # As many tiles as there are clusters, not as blocks.
    ("ceil_div(wide.tiles(), clusters) ?", "ceil_div(wide.tiles(), clusters) || cluster == 1 ?"),
    ("template <int kCluster>\ncudaError_t", "template <int kCluster, int kTogether = 1>\ncudaError_t"),
    ("(multiply_wgmma<kCluster>, cudaFunc", "(multiply_wgmma<kCluster, kTogether>, cudaFunc"),
    (
        "launch_next(multiply_wgmma<kCluster>, clusters * kCluster,",
        "launch_next(multiply_wgmma<kCluster, kTogether>, clusters * kCluster,",
    ),
    (
        ": launch_wgmma<1>(s, on);",
        ": plan.parts == 4 ? launch_wgmma<1, 4>(s, on) : launch_wgmma<1>(s, on);",
    ),
    (
        "if (plan.parts > 1) {\n    const dim3",
        "if (plan.parts > 1 && (plan.parts != 4 || cluster_for(p.m) == 2)) {\n    const dim3",
    ),
)


def across(blocks: int) -> tuple[tuple[str, str], ...]:
    """For up to 128 rows, as many blocks beside each other form a cluster and share the lines of x, as those above each
    other share the lines of w."""
    return (
        (
            "template <int kCluster>\n__global__ void __cluster_dims__(kCluster, 1, 1)",
            "template <int kCluster, int kAcross = 1>\n__global__ void __cluster_dims__(kCluster * kAcross, 1, 1)",
        ),
        (
            "  const int units = tiling.tiles()",
            "  const int place = kAcross > 1 ? blockIdx.x % kAcross : 0;\n  const int units = tiling.tiles()",
        ),
        ("barrier_init(empty + 8 * i, 2 * kCluster)", "barrier_init(empty + 8 * i, 2 * kCluster * kAcross)"),
        (
            "fetch_box<false>(stage, &x_map, barrier, slice * kLine, row, 0);",
            """fetch_box<(kAcross > 1)>(stage + place * (kXBytes / kAcross), &x_map, barrier, slice * kLine,
                                   row + place * (kWgmmaRows / kAcross), (1 << kAcross) - 1);""",
        ),
        ("multiply_tile<kCluster, kNarrow", "multiply_tile<kCluster * kAcross, kNarrow"),
        ("multiply_tile<kCluster, 128>", "multiply_tile<kCluster * kAcross, 128>"),
        # As many tiles as can be shared alike.
        ("ceil_div(wide.tiles(), clusters) ?", "ceil_div(wide.tiles(), clusters) || cluster == 1 ?"),
        ("template <int kCluster>\ncudaError_t", "template <int kCluster, int kAcross = 1>\ncudaError_t"),
        ("s.p.m, s.slices, kWgmmaRows)", "s.p.m, s.slices, kWgmmaRows / kAcross)"),
        ("(multiply_wgmma<kCluster>, cudaFunc", "(multiply_wgmma<kCluster, kAcross>, cudaFunc"),
        (
            "launch_next(multiply_wgmma<kCluster>, clusters * kCluster,",
            "launch_next(multiply_wgmma<kCluster, kAcross>, clusters * kCluster,",
        ),
        (
            ": launch_wgmma<1>(s, on);",
            f": plan.parts * ceil_div(p.n, kWgmmaColumns) <= 128 && ceil_div(p.n, kWgmmaColumns) % {blocks} == 0\n"
            f"                ? launch_wgmma<1, {blocks}>(s, on)\n                : launch_wgmma<1>(s, on);",
        ),
    )


VARIANTS = (
    Variant("as it is", (1, 16, 128, 1024)),
    Variant("1 row: 1 output, 8 terms", (1,), (("kOutputs = 2;", "kOutputs = 1;"),)),
    Variant(
        "1 row: 1 output, 16 terms", (1,), (("kOutputs = 2;", "kOutputs = 1;"), ("kTerms = 8;", "kTerms = 16;"))
    ),
    Variant("1 row: 2 outputs, 4 terms", (1,), (("kTerms = 8;", "kTerms = 4;"),)),
    Variant(
        "1 row: 4 outputs, 4 terms", (1,), (("kOutputs = 2;", "kOutputs = 4;"), ("kTerms = 8;", "kTerms = 4;"))
    ),
    Variant("1 row: blocks of 128", (1,), (("kFewThreads = 256;", "kFewThreads = 128;"),)),
    Variant("16 rows: 16 terms at once", (16,), (("kColumns = 32, kStep = 32;", "kColumns = 32, kStep = 16;"),)),
    Variant("kernels start after another", (128, 1024), (("config.numAttrs = major >= 9;", "config.numAttrs = 0;"),)),
    Variant("scaled into [2^13, 2^14)", (1024,), (("kScaledExponent = 14;", "kScaledExponent = 13;"),)),
    Variant("rows split by 256 threads, 3 blocks", (128, 1024), (("(kRowThreads, 4)", "(kRowThreads)"),)),
    Variant(
        "rows split by 512 threads, 3 blocks",
        (128, 1024),
        (("kRowThreads = 256;", "kRowThreads = 512;"), ("(kRowThreads, 4)", "(kRowThreads, 3)")),
    ),
    Variant("half of the parts", (128,), (("min(blocks / tiles,", "min(blocks / tiles / 2,"),)),
    Variant("twice the parts", (128,), (("min(blocks / tiles,", "min(2 * blocks / tiles,"),)),
    Variant("parts are added in a cluster", (128,), TOGETHER),
    Variant("2 blocks share x", (128,), across(2)),
    Variant("4 blocks share x", (128,), across(4)),
    Variant("mma", (128, 1024), path="mma"),
    Variant("mma, 2 blocks of 64x128", (128, 1024), (TWO_BLOCKS, ("kMmaRows = 128;", "kMmaRows = 64;")), "mma"),
    Variant("mma, 2 blocks of 128x64", (128, 1024), (TWO_BLOCKS, ("kMmaColumns = 128;", "kMmaColumns = 64;")), "mma"),
)
