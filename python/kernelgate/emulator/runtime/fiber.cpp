// Fibers for x86-64 Linux: six pushes, six pops and a return, no system call.
#include "fiber.h"
#include <new>
#include <sys/mman.h>

asm(R"(
.text
.globl kernelgate_switch
.type kernelgate_switch,@function
kernelgate_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size kernelgate_switch, .-kernelgate_switch

# The first switch into a fiber "returns" to here; new_fiber put the fiber's address where rbx is popped from.
.globl kernelgate_fiber_entry
.type kernelgate_fiber_entry,@function
kernelgate_fiber_entry:
  movq %rbx, %rdi
  call kernelgate_fiber_main@PLT
  ud2
.size kernelgate_fiber_entry, .-kernelgate_fiber_entry
)");
extern "C" void kernelgate_fiber_entry();

namespace kernelgate {

Fiber* new_fiber(Worker* worker) {
  void* mapping = mmap(nullptr, Fiber::guard_bytes + Fiber::stack_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  mprotect(mapping, Fiber::guard_bytes, PROT_NONE);
  Fiber* fiber = new Fiber{nullptr, static_cast<char*>(mapping), worker};
  // The entry is reached by `ret`, so that the stack is 16-byte aligned there, and its own call keeps the ABI.
  void** top = reinterpret_cast<void**>(fiber->mapping + Fiber::guard_bytes + Fiber::stack_bytes - 64);
  *--top = reinterpret_cast<void*>(&kernelgate_fiber_entry);
  *--top = nullptr;  // rbp: ends a debugger's walk
  *--top = fiber;    // rbx
  for (int i = 0; i < 4; i++) *--top = nullptr;  // r12 to r15
  fiber->stack_pointer = top;
  return fiber;
}

void delete_fiber(Fiber* fiber) {
  munmap(fiber->mapping, Fiber::guard_bytes + Fiber::stack_bytes);
  delete fiber;
}

}  // namespace kernelgate
