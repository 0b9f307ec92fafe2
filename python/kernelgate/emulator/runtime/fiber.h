// A stack that can be left and taken up again. Fibers never move between OS threads while a thread of a kernel is on
// them; between launches they may.
#pragma once
#include <stddef.h>

namespace kernelgate {

class Worker;

struct Fiber {
  void* stack_pointer;
  char* mapping;  // a guard, then the stack, which grows down towards it
  Worker* worker;

#if defined(__aarch64__)
  static constexpr size_t guard_bytes = 65536;  // the largest page, and the step in which a stack is probed there
#else
  static constexpr size_t guard_bytes = 4096;
#endif
  // A thread of a GPU has at most 512 KiB of local memory. What is never touched takes none of the host's.
  static constexpr size_t stack_bytes = 640 * 1024;
  bool guards(const char* address) const { return address >= mapping && address < mapping + guard_bytes; }
};

Fiber* new_fiber(Worker* worker);
void delete_fiber(Fiber* fiber);

}  // namespace kernelgate

// Saves the caller's callee-saved registers on its stack, its stack pointer in *save, and goes on at `resume`.
extern "C" void kernelgate_switch(void** save, void* resume);
// What a new fiber runs first; never returns. Defined by the scheduler.
extern "C" void kernelgate_fiber_main(kernelgate::Fiber* self);
