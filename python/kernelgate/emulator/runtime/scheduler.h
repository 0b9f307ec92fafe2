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
constexpr size_t shared_bytes_without_opt_in = 48 * 1024;
constexpr int most_blocks_of_cluster = 16;
constexpr int most_cluster_threads = most_threads * most_blocks_of_cluster;
constexpr int lanes_of_warp = 32;

enum class Status : uint8_t {
  // clang-format off
  fresh, ready, at_barrier, at_collective, at_named_barrier, at_cluster_barrier, at_mbarrier, at_wgmma,
  done,
  // clang-format on
};

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
  unsigned number;         // in its cluster
  uint64_t cluster_phase;  // of the cluster's barrier, when it arrived there

  const Block& owner() const { return *static_cast<const Block*>(block); }
};

struct SharedObject {
  const void* slot;  // null: the dynamic one
  Region region;
  bool in_use;  // by the running block; poisoned when a block first asks for it
};

class Worker;

// The blocks that run side by side on one OS thread; one block where a kernel has no clusters.
struct Cluster {
  std::vector<Worker*> members;  // by rank
  dim3 shape;
  bool is_grid = false;  // of a cooperative launch
  uint64_t phase = 0;    // of the barrier of the cluster
  unsigned arrived = 0;  // at it

  void run(uint3 first);  // the block with the lowest index
};

// What runs the blocks of one rank of a cluster. Fibers and shared memory stay for the next launch.
class Worker {
 public:
  Cluster* cluster = nullptr;
  unsigned rank = 0;
  Block block;
  Thread threads[most_threads];
  LaunchSite site;
  LaunchArguments arguments;
  std::vector<SharedObject> shared;
  Fiber* running = nullptr;

  void prepare(const LaunchSite& site, const LaunchShape& shape, void (*run)(void*), const LaunchArguments& arguments,
               const std::vector<int>& order);
  void begin_block(uint3 index);
  bool advance();  // runs its threads until none can go on by itself; whether any ran
  bool has_ended() const { return alive_ == 0; }
  int threads_alive() const { return alive_; }
  int thread_count() const { return count_; }
  // Numbers in a cluster that its threads have: whole warps.
  unsigned numbers() const { return static_cast<unsigned>(count_ + lanes_of_warp - 1) / lanes_of_warp * lanes_of_warp; }
  SharedObject* object_at(uint64_t address);  // of its shared memory
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
  void report_deadlock();

 private:
  Fiber* idle_fiber();
  bool map_shared(Region& region, size_t bytes);
  void check_declared_bytes();
  bool release_barrier();
  bool release_collectives();
  bool release_converged();
  unsigned complete_group(const Thread& thread) const;
  void finish_collective(unsigned warp, unsigned lanes);

  void (*run_)(void*) = nullptr;
  const int* order_ = nullptr;
  int count_ = 0, next_ = 0, alive_ = 0;
  size_t dynamic_bytes_ = 0;
  void* scheduler_stack_ = nullptr;
  std::vector<Fiber*> idle_, all_;
  std::vector<int> ready_;
  size_t taken_ = 0;  // of ready_
  unsigned waiting_[most_threads / lanes_of_warp], live_[most_threads / lanes_of_warp];
};

// Whether the kernel may have so much dynamic shared memory, beyond what all may.
bool has_opted_in(const LaunchSite& site, size_t bytes);

class Line;

// The first failure of a launch stops it; the launch then throws this sentence, and `finding` is kept.
void fail(const std::string& sentence, Line* finding = nullptr);
bool stopping();
std::string take_failure();  // and be ready for the next launch

void set_current(Thread* thread);

// A rule of the runtime that a thread has broken, as a finding; the launch ends.
void fail_at(const Thread& thread, const char* kind, int line, const std::string& detail, int other_line = 0);
// The same, and it is the caller's own thread, which does not go on.
[[noreturn]] void end_here(const char* kind, int line, const std::string& detail, int other_line = 0);
inline Thread& current_thread() { return *static_cast<Thread*>(kernelgate_current); }

// Copies that the threads of the last block never waited for.
void forget_async_copies();

}  // namespace kernelgate
