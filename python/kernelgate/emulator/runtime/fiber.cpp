// Fibers: the registers that a function must keep, pushed and popped, and a return; no system call.
#include "fiber.h"
#include <new>
#include <sys/mman.h>

// It ends with a jump and not with a return: a processor foretells a return by the call that it thinks it belongs to, which
// here is another stack's, and would be wrong at each switch.
#if defined(__x86_64__)
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
  popq %rcx
  jmp *%rcx
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
#elif defined(__aarch64__)
asm(R"(
.text
.globl kernelgate_switch
.type kernelgate_switch,%function
kernelgate_switch:
  stp x29, x30, [sp, #-160]!
  stp x19, x20, [sp, #16]
  stp x21, x22, [sp, #32]
  stp x23, x24, [sp, #48]
  stp x25, x26, [sp, #64]
  stp x27, x28, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp d14, d15, [sp, #144]
  ldp d12, d13, [sp, #128]
  ldp d10, d11, [sp, #112]
  ldp d8, d9, [sp, #96]
  ldp x27, x28, [sp, #80]
  ldp x25, x26, [sp, #64]
  ldp x23, x24, [sp, #48]
  ldp x21, x22, [sp, #32]
  ldp x19, x20, [sp, #16]
  ldp x29, x30, [sp], #160
  ret
.size kernelgate_switch, .-kernelgate_switch

// The first switch into a fiber "returns" to here; new_fiber put the fiber's address where x19 is loaded from.
.globl kernelgate_fiber_entry
.type kernelgate_fiber_entry,%function
kernelgate_fiber_entry:
  mov x0, x19
  bl kernelgate_fiber_main
  brk #0
.size kernelgate_fiber_entry, .-kernelgate_fiber_entry
)");
#else
#error "fibers are written for x86-64 and aarch64"
#endif
extern "C" void kernelgate_fiber_entry();

namespace kernelgate {

Fiber* new_fiber(Worker* worker) {
  void* mapping = mmap(nullptr, Fiber::guard_bytes + Fiber::stack_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  mprotect(mapping, Fiber::guard_bytes, PROT_NONE);
  Fiber* fiber = new Fiber{nullptr, static_cast<char*>(mapping), worker};
  void** top = reinterpret_cast<void**>(fiber->mapping + Fiber::guard_bytes + Fiber::stack_bytes - 64);
#if defined(__x86_64__)
  // The entry is reached by a jump that has popped its address, so that the stack is 16-byte aligned there, and its own
  // call keeps the ABI.
  *--top = reinterpret_cast<void*>(&kernelgate_fiber_entry);
  *--top = nullptr;                              // rbp: ends a debugger's walk
  *--top = fiber;                                // rbx
  for (int i = 0; i < 4; i++) *--top = nullptr;  // r12 to r15
#else
  top -= 20;  // the frame that a switch takes up, zero as the mapping is: x29 ends a debugger's walk
  top[1] = reinterpret_cast<void*>(&kernelgate_fiber_entry);  // x30
  top[2] = fiber;                                             // x19
#endif
  fiber->stack_pointer = top;
  return fiber;
}

void delete_fiber(Fiber* fiber) {
  munmap(fiber->mapping, Fiber::guard_bytes + Fiber::stack_bytes);
  delete fiber;
}

}  // namespace kernelgate
