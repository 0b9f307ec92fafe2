"""Hopper's own: mbarriers, bulk copies, the asynchronous proxy, wgmma, clusters. Each needs sm_90a."""

from __future__ import annotations

from .case import Case

# Macros, so that an instruction stands in the line that asks for it.
HELPERS = r"""#include <cstdint>
#define AT(p) static_cast<uint32_t>(__cvta_generic_to_shared(p))
#define INIT(bar, count) asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(AT(bar)), "r"(count))
#define EXPECT(bar, bytes) \
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(AT(bar)), "r"(bytes) : "memory")
#define WAIT(bar, parity) \
  asm volatile("{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n" \
               "@p bra done;\nbra again;\ndone:\n}" ::"r"(AT(bar)), "r"(parity) : "memory")
#define LOAD(to, from, bytes, bar) \
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" \
               ::"r"(AT(to)), "l"(from), "r"(bytes), "r"(AT(bar)) : "memory")
#define STORE(to, from, bytes) \
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" \
               ::"l"(to), "r"(AT(from)), "r"(bytes) : "memory")
#define COMMIT() asm volatile("cp.async.bulk.commit_group;" ::: "memory")
#define WAIT_STORES() asm volatile("cp.async.bulk.wait_group 0;" ::: "memory")
#define FENCE() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")
#define WGMMA_FENCE() asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define WGMMA(d, a, b, add) \
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %6, 0;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " \
               "{%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0;\n}" \
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b), "r"(add))
#define WGMMA_WAIT() asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory")
#define CLUSTER_SYNC() asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory")
__device__ inline uint64_t described(const void* p) {
  return (AT(p) & 0x3ffff) >> 4 | uint64_t(128 >> 4) << 16 | uint64_t(256 >> 4) << 32;
}
__device__ inline int place_of(int r, int k) { return r / 8 * 128 + k / 8 * 64 + r % 8 * 8 + k % 8; }
"""

_TILE = """  __shared__ alignas(128) float tile[256];
  __shared__ alignas(8) uint64_t bar;
"""
_LAUNCH = "k<<<4, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);"


def _loads(name: str, kind: str, body: str, *twin: tuple[str, str], **more: object) -> Case:
    """A kernel whose blocks fetch 256 elements of x each; `body` begins after the barrier has its place."""
    return Case(name, kind, _TILE + body, twin, launch=_LAUNCH, n=1024, helpers=HELPERS, **more)  # type: ignore[arg-type]


_INIT = "  if (t == 0) INIT(&bar, 1);\n  __syncthreads();\n"
_FETCH = "  if (t == 0) EXPECT(&bar, 1024);\n  if (t == 0) LOAD(tile, x + i, 1024, &bar);\n"
_FETCH_MARKED = _FETCH.replace("&bar);\n  if", "&bar);\n  if").rstrip("\n") + "  //!other\n"
_USE = "  y[i] = tile[t];\n}"
_STORES = "  tile[t] = x[i];\n"

_WGMMA = """__global__ void k(const float* x, float* y, int n) {
  __shared__ alignas(128) __half a[1024];
  __shared__ alignas(128) __half b[128];
  int t = threadIdx.x;
  for (int j = t; j < 1024; j += 128) a[place_of(j / 16, j % 16)] = __float2half(x[j]);
  b[place_of(t / 16, t % 16)] = __float2half(x[t]);
  FENCE();
  __syncthreads();
  float d[4] = {0, 0, 0, 0};
"""
_WGMMA_END = (
    "  for (int j = 0; j < 4; j++) y[t * 4 + j] = d[j];\n"
    "  for (int j = 512 + t; j < n; j += 128) y[j] = x[j];\n}"
)


def _multiplies(name: str, kind: str, body: str, *twin: tuple[str, str], **more: object) -> Case:
    launch = _LAUNCH.replace("4, 256", "1, 128")
    return Case(name, kind, _WGMMA + body, twin, launch=launch, n=1024, helpers=HELPERS, **more)  # type: ignore[arg-type]


CASES = [
    _loads(
        "read_before_arrival",
        "early_access",
        _INIT + _FETCH_MARKED + "  y[i] = tile[t];  //!\n}",
        ("  y[i]", "  WAIT(&bar, 0);\n  y[i]"),
        element="tile",
    ),
    _loads(
        "wrong_phase",
        "early_access",
        _INIT + _FETCH_MARKED + "  WAIT(&bar, 1);\n  y[i] = tile[t];  //!\n}",
        ("WAIT(&bar, 1)", "WAIT(&bar, 0)"),
        element="tile",
    ),
    _loads(
        "phase_not_flipped",
        "early_access",
        _INIT
        + "  for (int stage = 0; stage < 2; stage++) {\n    if (t == 0) EXPECT(&bar, 1024);\n"
        "    if (t == 0) LOAD(tile, x + (i + stage * 256) % n, 1024, &bar);  //!other\n"
        "    WAIT(&bar, 0);\n    y[i] = tile[t];  //!\n    __syncthreads();\n  }\n}",
        ("WAIT(&bar, 0)", "WAIT(&bar, stage)"),
        element="tile",
    ),
    _loads(
        "too_few_arrivals",
        "mbarrier_stuck",
        "  if (t == 0) INIT(&bar, 2);  //!other\n  __syncthreads();\n"
        + _FETCH
        + "  WAIT(&bar, 0);  //!\n"
        + _USE,
        ("INIT(&bar, 2)", "INIT(&bar, 1)"),
    ),
    _loads(
        "too_many_bytes_expected",
        "mbarrier_stuck",
        "  if (t == 0) INIT(&bar, 1);  //!other\n  __syncthreads();\n"
        + _FETCH.replace("EXPECT(&bar, 1024)", "EXPECT(&bar, 2048)")
        + "  WAIT(&bar, 0);  //!\n"
        + _USE,
        ("2048", "1024"),
    ),
    _loads(
        "arrives_twice",
        "mbarrier_overrun",
        "  if (t == 0) INIT(&bar, 1);  //!other\n  __syncthreads();\n"
        "  if (t % 32 == 0) EXPECT(&bar, 1024);  //!\n"
        "  __syncthreads();\n  if (t == 0) LOAD(tile, x + i, 1024, &bar);\n  WAIT(&bar, 0);\n" + _USE,
        ("t % 32 == 0", "t == 0"),
    ),
    _loads(
        "no_init",
        "mbarrier_unknown",
        _FETCH.replace("1024);\n", "1024);  //!\n", 1) + "  WAIT(&bar, 0);\n" + _USE,
        ("  if (t == 0) EXPECT", "  if (t == 0) INIT(&bar, 1);\n  __syncthreads();\n  if (t == 0) EXPECT"),
    ),
    _loads(
        "init_not_seen",
        "race",
        "  if (t == 0) INIT(&bar, 1);  //!other\n" + _FETCH + "  WAIT(&bar, 0);  //!\n" + _USE,
        ("  if (t == 0) EXPECT", "  __syncthreads();\n  if (t == 0) EXPECT"),
    ),
    _loads(
        "stage_taken_too_early",
        "early_access",
        "  __shared__ alignas(8) uint64_t next;\n  if (t == 0) INIT(&next, 1);\n"
        + _INIT
        + _FETCH
        + "  WAIT(&bar, 0);\n  y[i] = tile[t];  //!other\n"
        + _FETCH.replace("bar", "next").rstrip("\n")
        + "  //!\n  WAIT(&next, 0);\n  y[i] += tile[t];\n}",
        ("  if (t == 0) EXPECT(&next", "  __syncthreads();\n  if (t == 0) EXPECT(&next"),
        check=False,
    ),
    _loads(
        "no_proxy_fence",
        "proxy_fence",
        "  tile[t] = x[i];  //!other\n  __syncthreads();\n  if (t == 0) {\n    STORE(y + i, tile, 1024);  //!\n"
        "    COMMIT();\n    WAIT_STORES();\n  }\n}",
        ("  __syncthreads();\n  if", "  FENCE();\n  __syncthreads();\n  if"),
        check=False,
    ),
    _loads(
        "store_not_waited_for",
        "store_unfinished",
        _STORES
        + "  FENCE();\n  __syncthreads();\n  if (t == 0) {\n    STORE(y + i, tile, 1024);  //!\n    COMMIT();\n  }\n}",
        ("    COMMIT();\n", "    COMMIT();\n    WAIT_STORES();\n"),
    ),
    _loads(
        "overwritten_while_stored",
        "overwritten",
        _STORES
        + "  FENCE();\n  __syncthreads();\n  if (t == 0) {\n    STORE(y + i, tile, 1024);  //!other\n    COMMIT();\n"
        "    tile[0] = 7;  //!\n    WAIT_STORES();\n  }\n}",
        ("    tile[0] = 7;  //!\n    WAIT_STORES();\n", "    WAIT_STORES();\n    tile[0] = 7;\n"),
        element="tile[0]",
    ),
    _multiplies(
        "no_wgmma_fence",
        "wgmma_fence",
        "  WGMMA(d, described(a), described(b), 1);  //!\n  WGMMA_WAIT();\n" + _WGMMA_END,
        ("  WGMMA(d", "  WGMMA_FENCE();\n  WGMMA(d"),
        uncertain=True,
        check=False,
    ),
    _multiplies(
        "sum_read_in_flight",
        "wgmma_in_flight",
        "  WGMMA_FENCE();\n  WGMMA(d, described(a), described(b), 1);\n  float early = d[1];  //!\n  WGMMA_WAIT();\n"
        + _WGMMA_END.replace("y[t * 4 + j] = d[j]", "y[t * 4 + j] = d[j] + early"),
        ("  float early = d[1];  //!\n  WGMMA_WAIT();\n", "  WGMMA_WAIT();\n  float early = d[1];\n"),
        uncertain=True,
        check=False,
    ),
    _multiplies(
        "operand_overwritten",
        "overwritten",
        "  WGMMA_FENCE();\n  WGMMA(d, described(a), described(b), 1);  //!other\n  __syncthreads();\n"
        "  b[t] = __float2half(0);  //!\n  WGMMA_WAIT();\n" + _WGMMA_END,
        (
            "  __syncthreads();\n  b[t] = __float2half(0);  //!\n  WGMMA_WAIT();\n",
            "  WGMMA_WAIT();\n  __syncthreads();\n  b[t] = __float2half(0);\n",
        ),
        element="b",
        check=False,
    ),
    Case(
        "no_cluster_sync",
        "race",
        "__global__ void __cluster_dims__(2, 1, 1) k(const float* x, float* y, int n) {\n"
        "  __shared__ float s[256];\n  int i = blockIdx.x * 256 + threadIdx.x, t = threadIdx.x;\n"
        "  s[t] = x[i];  //!other\n  __syncthreads();\n  uint32_t p;\n  float v;\n"
        '  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(p) : "r"(AT(s + t)), "r"((blockIdx.x & 1) ^ 1));\n'
        '  asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(v) : "r"(p));  //!\n'
        "  y[i] = v;\n  CLUSTER_SYNC();\n}",
        (("  uint32_t p", "  CLUSTER_SYNC();\n  uint32_t p"),),
        launch=_LAUNCH,
        n=1024,
        helpers=HELPERS,
        element="s",
    ),
    Case(
        "block_gone",
        "cluster_exit",
        "__global__ void __cluster_dims__(2, 1, 1) k(const float* x, float* y, int n) {\n"
        "  __shared__ float s[256];\n  int i = blockIdx.x * 256 + threadIdx.x, t = threadIdx.x;\n"
        "  s[t] = x[i];\n  CLUSTER_SYNC();\n  y[i] = 1;\n  if (blockIdx.x % 2 == 0) return;\n"
        "  uint32_t p;\n  float v;\n"
        '  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(p) : "r"(AT(s + t)), "r"(0));\n'
        '  asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(v) : "r"(p));  //!\n'
        "  y[i] = v;\n}",
        (("  if (blockIdx.x % 2 == 0) return;\n", ""), ("  y[i] = v;\n", "  y[i] = v;\n  CLUSTER_SYNC();\n")),
        launch=_LAUNCH,
        n=1024,
        helpers=HELPERS,
    ),
    _loads(
        "named_barrier_count",
        "named_barrier",
        _STORES + '  asm volatile("bar.sync 1, 512;" ::: "memory");  //!\n  y[i] = tile[t ^ 32];\n}',
        ("512", "256"),
    ),
]
