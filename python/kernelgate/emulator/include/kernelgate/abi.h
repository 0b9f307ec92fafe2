// The line between a compiled program and the runtime library: everything either side knows of the other.
// A change here changes the key of every cached build, because the shim's text is part of it.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <vector_types.h>

namespace kernelgate {

struct BlockState {
  uint3 index;
  dim3 block_dim;
  dim3 grid_dim;
};

// What a kernel reads of its own thread. The scheduler's record derives from it.
struct ThreadState {
  uint3 index;
  unsigned linear;  // x fastest, as warps are formed
  BlockState* block;
};

struct LaunchSite {
  const char* kernel;
  const char* unit;  // "cuda.cu" or "main.cpp"
  int line;
  const char* parameters = "";  // the kernel's own names for its arguments, commas between them
};

struct LaunchShape {
  dim3 grid;
  dim3 block;
  size_t shared_bytes;
  dim3 cluster = {};         // blocks of a cluster; a kernel may ask for more by its own attribute
  bool cooperative = false;  // all blocks run side by side: here as one cluster
  void* stream = nullptr;
};

// The arguments of a launch: what the threads are run with, its size, and which of them are pointers (others are null).
struct LaunchArguments {
  void* call;
  size_t bytes;
  const void* const* pointers;
  int count;
  bool knows_devices;  // whether the program's C++ knows on which device a tensor is
  void* (*copy)(const void* call);
};

// One __shared__ declaration; its address names the object.
struct SharedSlot {
  const char* declared;  // "tile[16][17]"
};

enum class WarpOp : int {
  // clang-format off
  shuffle, shuffle_up, shuffle_down, shuffle_xor,
  ballot, any, all, sync, match_any, match_all,
  add, min_signed, max_signed, min_unsigned, max_unsigned, bit_and, bit_or, bit_xor,
  together, converged,
  // clang-format on
};

// What a lane brings to WarpOp::together, by address: the last to arrive runs the function for all of them.
// `lanes` has 32 places, those outside `mask` null.
struct Together {
  void (*run)(Together* const* lanes, unsigned mask);
};

// A copy of cp.async that has been asked for and not waited for. Its source was read when it was asked for.
struct AsyncCopy {
  void* target;
  unsigned bytes;
  alignas(16) char data[16];
};

enum class BarrierOp : int { plain, count, all, any };

// A copy that an mbarrier waits for: `bytes` of `data` to shared memory, in pieces of 16 whose places are swizzled.
// With a mask the blocks that it names get it, each at the same place, and an mbarrier of each counts its bytes.
struct BulkCopy {
  uint64_t target, barrier;
  const char* data;
  unsigned bytes, swizzle;  // as places are exclusive-or'ed: 0, 1, 3 or 7 in units of 16 bytes
  unsigned mask;            // 0: the address says which block's
};

// A copy of shared memory to global memory that has been asked for: bytes in a row, or a tile of a tensor.
struct BulkStore {
  uint64_t target, source;
  unsigned bytes;
  bool is_tile;  // and `target` is the address of its map
  int32_t at[5];
  int line;
};

// A product as cuBLAS has it, by columns: C = alpha A B + beta C; where `beta` is null, C counts once.
enum class Number : int { f32, f64, f16, bf16 };
struct Matrix {
  const void* begin;  // where there are `many`, of pointers to them
  Number type;
  int leading;       // elements from one column to the next
  long long stride;  // and from one matrix of the batch to the next
  bool transposed;
};
struct Product {
  enum Arithmetic : int { plain, factors_in_tf32, factors_in_half, factors_in_bfloat16, sums_in_half };
  int m, n, k, batch;
  bool many;
  Matrix a, b, c;
  const void *alpha, *beta;
  Number scale;  // the type of these two
  bool scale_on_device;
  Arithmetic arithmetic;
  bool knows_devices;
  void* stream;
};

}  // namespace kernelgate

extern "C" {
// The thread that runs now on this OS thread; null while host code runs. Initial-exec: one load an access.
extern __thread kernelgate::ThreadState* kernelgate_current __attribute__((tls_model("initial-exec")));

void kernelgate_launch(const kernelgate::LaunchSite* site, const kernelgate::LaunchShape* shape,
                       void (*run_thread)(void*), const kernelgate::LaunchArguments* arguments);
// Memory of one __shared__ object of the running block; the slot's address names the object.
void* kernelgate_shared(const void* slot, size_t bytes);
void* kernelgate_dynamic_shared();
uint64_t kernelgate_warp(int op, unsigned mask, uint64_t value, int parameter, int width, int line);
void kernelgate_absent_lane(int line);  // this lane has taken the value of one that is not there
int kernelgate_barrier(int op, int predicate, int line);
// Lanes of the warp that stand at the same line once nothing else of the block can go on.
unsigned kernelgate_converged_lanes(int line);
[[noreturn]] void kernelgate_trap();  // __trap(): the kernel ends itself
void kernelgate_async_copy(const kernelgate::AsyncCopy* copy);
void kernelgate_async_commit();
// The next copy of a committed group other than the `kept` newest, in the order asked for; null when there is none.
const kernelgate::AsyncCopy* kernelgate_async_next(unsigned kept);
// Hopper's own (runtime/mbarrier.cpp, bulk.cpp, cluster.cpp, wgmma.cpp). An address in shared memory is a pointer below
// 4 GiB, also that of another block of the cluster. `line` is where the program stands.
void kernelgate_mbarrier_init(uint64_t barrier, unsigned count, int line = __builtin_LINE());
void kernelgate_mbarrier_invalidate(uint64_t barrier, int line = __builtin_LINE());
void kernelgate_mbarrier_expect(uint64_t barrier, unsigned bytes, int line = __builtin_LINE());
// Expects `bytes` more, then arrives `count` times; returns the phase that this was for.
uint64_t kernelgate_mbarrier_arrive(uint64_t barrier, unsigned count, unsigned bytes, int line = __builtin_LINE());
// Whether the phase, or the one of that parity, is complete; waits for it, if it may fail only while others can go on.
int kernelgate_mbarrier_wait(uint64_t barrier, uint64_t phase, int by_parity, int may_fail,
                             int line = __builtin_LINE());
void kernelgate_named_barrier(unsigned id, unsigned threads, int waits, int line = __builtin_LINE());
void kernelgate_bulk_fetch(const kernelgate::BulkCopy* copy, int line = __builtin_LINE());
void kernelgate_bulk_store(const kernelgate::BulkStore* store);
void kernelgate_bulk_commit();
// The next store of a committed group other than the `kept` newest; 0 when there is none.
int kernelgate_bulk_next(unsigned kept, kernelgate::BulkStore* store);
// What the multiplying and the copying unit read of shared memory; no access of the program's own code.
void kernelgate_read_operand(void* to, uint64_t from, int line);
void kernelgate_read_shared(void* to, uint64_t from, unsigned bytes, unsigned swizzle, int line);
// Zeros for what the program's code moves: memory of the runtime, aligned to 16, until the next call.
char* kernelgate_scratch(unsigned bytes);
void kernelgate_proxy_fence();
void kernelgate_wgmma_fence();
// The sums that a wgmma adds to, taken out of the program's variables; and put back.
void kernelgate_wgmma_begin(void* const* registers, uint32_t* values, int count, int adds, int line);
void kernelgate_wgmma_end(void* const* registers, const uint32_t* values, int count);
void kernelgate_wgmma_commit(int line = __builtin_LINE());
void kernelgate_wgmma_wait(unsigned kept, int line = __builtin_LINE());
// The pointer behind the address in a matrix descriptor, which has its lower 18 bits only.
uint64_t kernelgate_described(unsigned address, int line);
// The kernel that runs is one of clusters of this size.
void kernelgate_cluster_dims(unsigned x, unsigned y, unsigned z);
void kernelgate_cluster_barrier(int arrives, int waits, int line = __builtin_LINE());
void kernelgate_grid_barrier(int line = __builtin_LINE());
bool kernelgate_is_cooperative();
uint64_t kernelgate_map_shared(uint64_t address, unsigned rank, int line = __builtin_LINE());
unsigned kernelgate_rank_of(uint64_t address);
// 0: the block in its cluster; 1: a cluster's size; 2: the cluster in the grid; 3: how many; 4: rank; 5: blocks a cluster.
unsigned kernelgate_cluster_place(int what, int dimension);
// The driver's cuTensorMapEncodeTiled.
int kernelgate_encode_tiled(void* map, int type, unsigned rank, void* address, const uint64_t* size,
                            const uint64_t* stride, const uint32_t* box, const uint32_t* step, int interleave,
                            int swizzle, int promotion, int fill);
// The kernel in the text of the arguments of cudaLaunchKernelEx.
const char* kernelgate_launched(const char* arguments);
// Memory that behaves as a tensor's does: guarded, and poisoned at birth.
void* kernelgate_allocate(size_t bytes);
void kernelgate_release(void* pointer);
// On which device a tensor is, by an address in it: -1 unknown, 0 the GPU, 1 the CPU, 2 the CPU and pinned.
int kernelgate_place(const void* pointer);
void kernelgate_put(const void* pointer, int place);

// The heap of the device, for malloc and new in kernels.
void kernelgate_limit_heap(size_t bytes);
size_t kernelgate_heap_limit();
// Copies and fills of the CUDA runtime: no accesses of the program's own.
void kernelgate_copy(void* target, const void* source, size_t bytes, void* stream = nullptr);
void kernelgate_fill(void* target, int value, size_t bytes, void* stream = nullptr);
// Streams and events (runtime/streams.cpp), and graphs (runtime/graphs.cpp). Numbers are those of cudaError.
void* kernelgate_stream_create(int waits_for_legacy);
void* kernelgate_stream_of_pool();
void* kernelgate_current_stream();
void kernelgate_use_stream(const void* stream);
int kernelgate_stream_synchronize(const void* stream);
int kernelgate_device_synchronize();
void* kernelgate_event_create();
void kernelgate_event_destroy(void* event);
int kernelgate_event_record(void* event, const void* stream);
int kernelgate_event_synchronize(const void* event);
int kernelgate_stream_wait(const void* stream, const void* event);
int kernelgate_begin_capture(const void* stream);
int kernelgate_end_capture(const void* stream, void** graph);
int kernelgate_capture_status(const void* stream);
int kernelgate_refuse_in_capture();  // an error, where something is recorded
void kernelgate_launch_graph(const void* graph, void* stream);
void kernelgate_release_graph(void* graph);
size_t kernelgate_graph_works(const void* graph);
int kernelgate_multiply(const kernelgate::LaunchSite* site, const kernelgate::Product* product);  // a cublasStatus_t
// The program has asked for a device variable's address, to pass it to kernels.
void kernelgate_give_address(const void* variable);

int kernelgate_last_error(int clear);
const char* kernelgate_last_error_detail();
void kernelgate_set_error(int error);
int kernelgate_fail(int error, const char* call, const char* words);
void kernelgate_allow_shared_bytes(const void* kernel, int bytes);
}
