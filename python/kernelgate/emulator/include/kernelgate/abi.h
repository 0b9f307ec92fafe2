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
};

// The arguments of a launch: what the threads are run with, its size, and which of them are pointers (others are null).
struct LaunchArguments {
  void* call;
  size_t bytes;
  const void* const* pointers;
  int count;
  bool knows_devices;  // whether the program's C++ knows on which device a tensor is
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
int kernelgate_barrier(int op, int predicate, int line);
// Lanes of the warp that stand at the same line once nothing else of the block can go on.
unsigned kernelgate_converged_lanes(int line);
void kernelgate_async_copy(const kernelgate::AsyncCopy* copy);
void kernelgate_async_commit();
// The next copy of a committed group other than the `kept` newest, in the order asked for; null when there is none.
const kernelgate::AsyncCopy* kernelgate_async_next(unsigned kept);
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
void kernelgate_copy(void* target, const void* source, size_t bytes);
void kernelgate_fill(void* target, int value, size_t bytes);
// The program has asked for a device variable's address, to pass it to kernels.
void kernelgate_give_address(const void* variable);

int kernelgate_last_error(int clear);
const char* kernelgate_last_error_detail();
void kernelgate_set_error(int error);
void kernelgate_allow_shared_bytes(int bytes);
}
