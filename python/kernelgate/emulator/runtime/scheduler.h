// How a grid runs: blocks are handed to OS threads; within a block one fiber runs thread after thread in a plain
// loop, and only a thread that waits keeps its fiber while another fiber takes the loop over.
// Kernels without barriers therefore pay nothing, and no analysis of the source is needed.
#pragma once
#include "fiber.h"
#include "memory.h"
#include <kernelgate/abi.h>
#include <string>
#include <vector>

// What a kernel calls threadIdx, blockIdx, blockDim and gridDim (kernelgate/device.h): copies of the current thread's.
extern "C" {
extern __thread uint3 kernelgate_thread_index, kernelgate_block_index;
extern __thread dim3 kernelgate_block_dim, kernelgate_grid_dim;
}

namespace kernelgate {

constexpr int most_threads = 1024;
constexpr int lanes_of_warp = 32;

enum class Status : uint8_t { fresh, ready, at_barrier, at_collective, done };

struct Block : BlockState {
  Worker* worker;
};

struct Thread : ThreadState {
  Fiber* fiber;
  Status status;
  // What it waits for, set by the call that waits; `result` is set by whoever releases it.
  int op;
  unsigned mask;
  int parameter, width, line;
  int passed;  // the line of the last barrier that it has passed in this block
  uint64_t value, result;

  const Block& owner() const { return *static_cast<const Block*>(block); }
};

struct SharedObject {
  const void* slot;  // null: the dynamic one
  Region region;
  bool in_use;  // by the running block; poisoned when a block first asks for it
};

// One OS thread's share of a launch. Fibers and shared memory stay for the next launch.
class Worker {
 public:
  Block block;
  Thread threads[most_threads];
  LaunchSite site;
  LaunchArguments arguments;
  std::vector<SharedObject> shared;
  Fiber* running = nullptr;

  void prepare(const LaunchSite& site, const LaunchShape& shape, void (*run)(void*), const LaunchArguments& arguments,
               const std::vector<int>& order);
  void run_block(uint3 index);
  void* shared_memory(const void* slot, size_t bytes);
  void* dynamic_shared_memory() { return shared_memory(nullptr, dynamic_bytes_); }
  bool owns_stack(const char* address) const;  // of any of its fibers
  void abandon();                              // after a failure: fibers with threads half-way are thrown away

  // Called on a fiber.
  void thread_loop(Fiber* self);
  void wait(Thread& thread, Status status);
  void wake(Thread& thread);
  uint64_t collective(Thread& thread);
  void converge(Thread& thread);
  std::string place(const Thread& thread) const;

 private:
  Fiber* idle_fiber();
  bool release_barrier();
  bool release_collectives();
  bool release_converged();
  void report_deadlock();
  unsigned complete_group(const Thread& thread) const;
  void finish_collective(unsigned warp, unsigned lanes);

  void (*run_)(void*) = nullptr;
  const int* order_ = nullptr;
  int count_ = 0, next_ = 0, alive_ = 0;
  size_t dynamic_bytes_ = 0;
  void* scheduler_stack_ = nullptr;
  std::vector<Fiber*> idle_, all_;
  std::vector<int> ready_;
  unsigned waiting_[most_threads / lanes_of_warp], live_[most_threads / lanes_of_warp];
};

class Line;

// The first failure of a launch stops it; the launch then throws this sentence, and `finding` is kept.
void fail(const std::string& sentence, Line* finding = nullptr);
bool stopping();
std::string take_failure();  // and be ready for the next launch

void set_current(Thread* thread);

// Copies that the threads of the last block never waited for.
void forget_async_copies();

}  // namespace kernelgate
