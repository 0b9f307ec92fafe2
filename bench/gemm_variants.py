"""Other ways of the product that are tried: `gemm.py` times them in its section variants, and looks at their values.

What is faster goes into the program, and what is not stays here, so that nobody tries it again. All that were run give
right values; gemm-variants-f9b39b5.json, -ef263a0.json and -b42fc23.json in bench/results/h200 have their times.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

PROGRAM = Path(__file__).parents[1] / "python/kernelgate/catalogue/gemm_scale_leakyrelu/model_new.py"


class Variant(NamedTuple):
    """What is replaced in the program's sources; `rows`: of x, for which it matters; `path`: as in the program."""

    name: str
    rows: tuple[int, ...]
    replaced: tuple[tuple[str, str], ...] = ()
    path: str = ""


TWO_BLOCKS = ("kMmaBlocks = 1;", "kMmaBlocks = 2;")


def in_clusters(blocks: int, when: str) -> tuple[tuple[str, str], ...]:
    """For up to 128 rows, and `when` that holds, as many blocks of `multiply_wgmma` form a cluster; `place`: in it."""
    return (
        (
            "template <int kCluster>\n__global__ void __cluster_dims__(kCluster, 1, 1)",
            "template <int kCluster, int kBeside = 1>\n__global__ void __cluster_dims__(kCluster * kBeside, 1, 1)",
        ),
        (
            "  const int units = tiling.tiles()",
            "  const int place = kBeside > 1 ? blockIdx.x % kBeside : 0;\n  const int units = tiling.tiles()",
        ),
        # As many tiles as clusters take alike.
        ("ceil_div(wide.tiles(), clusters) ?", "ceil_div(wide.tiles(), clusters) || cluster == 1 ?"),
        ("template <int kCluster>\ncudaError_t", "template <int kCluster, int kBeside = 1>\ncudaError_t"),
        ("(multiply_wgmma<kCluster>, cudaFunc", "(multiply_wgmma<kCluster, kBeside>, cudaFunc"),
        (
            "launch_next(multiply_wgmma<kCluster>, clusters * kCluster,",
            "launch_next(multiply_wgmma<kCluster, kBeside>, clusters * kCluster,",
        ),
        (": launch_wgmma<1>(s, on);", f": {when} ? launch_wgmma<1, {blocks}>(s, on) : launch_wgmma<1>(s, on);"),
    )


# Four blocks, one a part: each reads a quarter of the others' sums from their shared memory, and adds them in the order
# of the parts. `add_parts` is left out. A thread's sums are 32 float4s, one for each pair of `store_pairs`.
PARTS_TOGETHER = (
    *in_clusters(4, "plan.parts == 4"),
    (
        "  const int first_unit = blockIdx.x / kCluster, unit_step = gridDim.x / kCluster;\n",
        """
  const int first_unit = kBeside > 1 ? place * tiling.tiles() + blockIdx.x / kBeside : blockIdx.x / kCluster;
  const int unit_step = kBeside > 1 ? units : gridDim.x / kCluster;
""",
    ),
    # Nothing that is fetched is shared: a block signals its own barriers.
    ("unsigned empty, int slices, int warpgroup)", "unsigned empty, int slices, int warpgroup, int place = 0)"),
    ("(empty + 8 * stages[c], threadIdx.x % 128)", "(empty + 8 * stages[c], place + threadIdx.x % 128)"),
    ("shared, full, empty, slices, warpgroup)", "shared, full, empty, slices, warpgroup, place)"),
    (
        "    }\n  } else {\n    asm volatile(\"setmaxnreg.inc",
        """    }
    if constexpr (kBeside > 1) {
      __syncwarp();
      cluster_sync();
    }
  } else {
    asm volatile("setmaxnreg.inc""",
    ),
    (
        "      store_pairs<32>(s, part, row, column, end,",
        """
      if constexpr (kBeside > 1) {
        constexpr int kShare = 32 / kBeside;
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
        for (int from = 0; from < kBeside; ++from) {
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
      store_pairs<32>(s, part, row, column, end,""",
    ),
    (
        "if (plan.parts > 1) {\n    const dim3",
        "if (plan.parts > 1 && (plan.parts != 4 || cluster_for(p.m) == 2)) {\n    const dim3",
    ),
)


def sharing_x(blocks: int) -> tuple[tuple[str, str], ...]:
    """As many blocks beside each other share the lines of x, as those above each other share the lines of w."""
    tiles = "ceil_div(p.n, kWgmmaColumns)"
    return (
        *in_clusters(blocks, f"plan.parts * {tiles} <= 128 && {tiles} % {blocks} == 0"),
        ("barrier_init(empty + 8 * i, 2 * kCluster)", "barrier_init(empty + 8 * i, 2 * kCluster * kBeside)"),
        (
            "fetch_box<false>(stage, &x_map, barrier, slice * kLine, row, 0);",
            """fetch_box<(kBeside > 1)>(stage + place * (kXBytes / kBeside), &x_map, barrier, slice * kLine,
                                   row + place * (kWgmmaRows / kBeside), (1 << kBeside) - 1);""",
        ),
        ("multiply_tile<kCluster, kNarrow", "multiply_tile<kCluster * kBeside, kNarrow"),
        ("multiply_tile<kCluster, 128>", "multiply_tile<kCluster * kBeside, 128>"),
        ("s.p.m, s.slices, kWgmmaRows)", "s.p.m, s.slices, kWgmmaRows / kBeside)"),
    )


# All rows of products of multiply_mma end their sums in the same step, as none is left open after the last one.
ROWS_TOGETHER = (
    ("i == anew, i == ended", "anew == 0, ended == 0"),
    ("for (int j = 0; j < 4 && i > 0 && !kShort; ++j)", "for (int j = 0; j < 0; ++j)"),
)
# A thread's eight copies of a slice one after the other.
COPIES_AT_ONCE = (
    ("for (int n = 4 * part + i, copy = n * kCopies / 16; copy < (n + 1) * kCopies / 16; ++copy)",
     "for (int copy = 0; copy < (part + i ? 0 : kCopies); ++copy)"),
)  # fmt: skip

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
    Variant("parts are added in a cluster", (128,), PARTS_TOGETHER),
    Variant("2 blocks share x", (128,), sharing_x(2)),
    Variant("4 blocks share x", (128,), sharing_x(4)),
    Variant("mma", (128, 1024), path="mma"),
    Variant("mma, rows end together", (128, 1024), ROWS_TOGETHER, "mma"),
    Variant("mma, sums of 16 terms", (128, 1024), (("kShort = false>", "kShort = true>"),), "mma"),
    Variant("mma, copies at once", (128, 1024), COPIES_AT_ONCE, "mma"),
    Variant("mma, 2 blocks of 64x128", (128, 1024), (TWO_BLOCKS, ("kMmaRows = 128;", "kMmaRows = 64;")), "mma"),
    Variant("mma, 2 blocks of 128x64", (128, 1024), (TWO_BLOCKS, ("kMmaColumns = 128;", "kMmaColumns = 64;")), "mma"),
)
