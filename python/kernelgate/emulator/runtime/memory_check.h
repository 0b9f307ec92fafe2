// What the rules of a memory check share: see examine.h. A rule is a file: bounds, unwritten reads, races, barriers.
#pragma once
#include "examine.h"
#include "findings.h"
#include "streams.h"
#include "variables.h"
#include <vector>

namespace kernelgate {
// Hidden, so that calls between the files of this library can be inlined.
namespace memory_check __attribute__((visibility("hidden"))) {

  struct Run {  // one block's
    uint3 block;
    uint16_t fences;
    uint16_t published;  // fences before its last atomic or volatile write, by which others may know of them
    bool acquired;       // it has met an atomic or volatile word
  };

  extern bool on;
  extern uint32_t first_run;     // of the launch
  extern std::vector<Run> runs;  // of the launch
  extern uint32_t epoch;         // barriers of the block so far
  extern uint32_t clocks[most_cluster_threads];

  inline uint32_t current_run() { return first_run + static_cast<uint32_t>(runs.size()) - 1; }

  enum class Kind {
    // clang-format off
    stray, bounds, race, host_access, elsewhere, unwritten, absent_lane, left_barrier, unfenced, ended, given,
    // clang-format on
  };
  // Whether this has not been reported yet, and there is room for more.
  bool is_new(Kind kind, const void* code, const void* other = nullptr);
  void forget(Kind kind, const void* code, const void* other);  // it was harmless this time, and may not be the next
  inline const void* call_site(const void* code) { return static_cast<const char*>(code) - 1; }
  void end_launch(Thread & thread);
  void describe_access(Line & line, const Memory& memory, const char* address, size_t bytes, bool write,
                       const void* code);

  // --- bounds ---
  // The thread's own stack, and what threadIdx and the like read.
  bool is_private(const Thread& thread, const char* address);
  // The memory of an access of a kernel; null where it is none of the kernel's, which is reported if it is a fault.
  Memory* memory_at(Thread & thread, const char* address, size_t bytes, bool write, const void* code);
  void forget_overflows(int threads);

  // --- host and device ---
  enum class Stack { none, of_host, of_runtime };
  void enter_launch(const void* frame);
  // Whose part of the launching thread's stack an address is in.
  Stack stack_at(const char* address);
  // Whether a launch was given the address of a variable, which is then the host's own.
  bool is_of_host(const LaunchArguments& arguments, const Variable& variable);
  // A kernel uses a variable that it was given no address of: the device's.
  void kernel_names(const Variable& variable);
  void host_access(const char* address, bool write, const void* code);

  // --- unwritten reads ---
  void check_written(const Memory& memory, const char* address, size_t bytes, const void* code);

  // --- races ---
  void start_block(int threads);
  void check_races(Memory & memory, size_t offset, size_t bytes, bool write, const Access& now);

  // Whether a write from now on races with what was read before.
  void check_reads(Memory & memory, size_t offset, size_t bytes, const Access& now);

  // --- streams (streams.h) ---
  void note_work(Work work, const char* kernel);  // of a launch; null for other work
  bool is_unordered(const Access& earlier);       // of an earlier launch, with what runs now

  // --- what orders single threads (order.h) ---
  void start_order(uint32_t threads, bool one_block);
  bool has_agents();
  bool is_agent(unsigned number);
  Unit unit_of(unsigned agent);
  unsigned issuer_of(unsigned number);  // the thread itself, or the one for which an agent works
  bool happened_before(const Access& earlier, const Access& now);
  bool is_fenced(const Access& earlier, const Access& now);
  void meet(const unsigned* numbers, size_t count);
  uint32_t known_of_warp(unsigned thread, unsigned lane);

  // --- barriers ---
  void watch_for_waiting(Thread & thread, const char* address, size_t bytes, const void* code);
  void does_not_wait();

}  // namespace memory_check
}  // namespace kernelgate
