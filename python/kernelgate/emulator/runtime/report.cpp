// The last words of a worker: a signal handler that writes what was running, where, and what it touched.
#include "report.h"
#include "examine.h"
#include "findings.h"
#include "line.h"
#include "memory.h"
#include "operand.h"
#include "scheduler.h"
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#if defined(__aarch64__)
#include <asm/sigcontext.h>
#endif

namespace kernelgate {

namespace {

int report_descriptor = 2;

// Writes what was found before, then the last line, and ends the process.
[[noreturn]] void end_with(Line& line) {
  static char before[64 * 1024];
  line.end();
  const size_t bytes = copy_findings(before, sizeof before);
  bool written = write(report_descriptor, before, bytes) >= 0;
  written = write(report_descriptor, line.data(), line.size()) >= 0 && written;
  _exit(written ? 139 : 138);
}

// What an address that trapped belongs to; returns the kind of fault.
const char* describe_address(Line& line, const Thread* thread, const char* address) {
  if (thread) {
    const Worker& worker = *thread->owner().worker;
    if (thread->fiber && thread->fiber->guards(address)) return "stack_overflow";
    for (const Worker* member : worker.cluster->members)
      for (const SharedObject& object : member->shared)
        if (object.region.holds(address)) {
          describe_shared(line, object);
          line.number("offset_bytes", address - object.region.begin);
          return "out_of_bounds";
        }
  }
  if (const Region* tensor = find_tensor(address)) {
    describe_tensor(line, thread ? thread->owner().worker : nullptr, *tensor);
    line.number("offset_bytes", address - tensor->begin);
    return thread && tensor->place == Place::host ? "host_memory" : "out_of_bounds";
  }
  if (const Region* tensor = find_freed(address)) {
    describe_tensor(line, thread ? thread->owner().worker : nullptr, *tensor);
    line.number("offset_bytes", address - tensor->begin);
    return "freed";
  }
  if (reinterpret_cast<uintptr_t>(address) < 65536) return "null";
  if (!thread) return "out_of_bounds";
  const Worker* worker = thread->owner().worker;
  if (const Region* far = find_far_tensor(address, worker->arguments.pointers, worker->arguments.count)) {
    describe_tensor(line, worker, *far);
    line.number("offset_bytes", address - far->begin);
  }
  return "out_of_bounds";
}

const void* code_of(const ucontext_t& context) {
#if defined(__x86_64__)
  return reinterpret_cast<const void*>(context.uc_mcontext.gregs[REG_RIP]);
#else
  return reinterpret_cast<const void*>(context.uc_mcontext.pc);
#endif
}

// Host code that recurses without end traps beside its stack pointer, where there is no more stack.
bool is_beside_stack(const ucontext_t& context, const char* address) {
#if defined(__x86_64__)
  const auto top = static_cast<intptr_t>(context.uc_mcontext.gregs[REG_RSP]);
#else
  const auto top = static_cast<intptr_t>(context.uc_mcontext.sp);
#endif
  constexpr intptr_t near = 64 * 1024;
  const intptr_t away = reinterpret_cast<intptr_t>(address) - top;
  return away > -near && away < near;
}

bool was_write(const ucontext_t& context) {
#if defined(__x86_64__)
  return (context.uc_mcontext.gregs[REG_ERR] & 2) != 0;
#else
  // The kernel's records of a signal, one after another, until one of size zero: that of the syndrome has the bit.
  const char* record = reinterpret_cast<const char*>(context.uc_mcontext.__reserved);
  for (;;) {
    _aarch64_ctx head;
    memcpy(&head, record, sizeof head);
    if (head.magic == 0 || head.size == 0) return false;
    if (head.magic == ESR_MAGIC) {
      esr_context syndrome;
      memcpy(&syndrome, record, sizeof syndrome);
      return (syndrome.esr >> 6 & 1) != 0;
    }
    record += head.size;
  }
#endif
}

void on_fault(int signal, siginfo_t* info, void* context_pointer) {
  const ucontext_t* context = static_cast<const ucontext_t*>(context_pointer);
  const Thread* thread = static_cast<const Thread*>(kernelgate_current);
  const void* at = code_of(*context);
  // The processor gives no address where there can be no memory, nor for an aligned access to an odd one.
  const bool without_address = info->si_code == SI_KERNEL;
  Operand operand{nullptr, false};
  if (without_address && !find_operand(*context, operand)) operand.address = nullptr;
  Line line;
  if (signal == SIGFPE) {
    line.text("kind", "division_by_zero");
  } else if (signal == SIGILL || (without_address && is_possible(operand.address)) || signal == SIGBUS) {
    // SIGILL is the compiler's own check.
    line.text("kind", "misaligned");
  } else {
    line.text("access", (without_address ? operand.write : was_write(*context)) ? "write" : "read");
    const char* address = without_address ? operand.address : static_cast<const char*>(info->si_addr);
    const bool beside = !thread && !find_tensor(address) && is_beside_stack(*context, address);
    line.text("kind", beside ? "stack_overflow" : describe_address(line, thread, address));
    // The memory check runs on the thread's stack, and may be what no longer fits there.
    if (examining() && thread && thread->fiber && thread->fiber->guards(address)) at = last_code();
  }
  if (thread) describe_thread(line, *thread);
  describe_code(line, "", at);
  if (thread && signal == SIGSEGV) examine_overflow(line, *thread);
  end_with(line);
}

// A thread that never ends cannot be asked: a timer interrupts it where it is.
void on_time_over(int, siginfo_t*, void* context_pointer) {
  const ucontext_t* context = static_cast<const ucontext_t*>(context_pointer);
  const Thread* thread = static_cast<const Thread*>(kernelgate_current);
  Line line;
  line.text("kind", "endless");
  if (thread) describe_thread(line, *thread);
  const void* at = code_of(*context);
  describe_code(line, "", examining() ? last_code() : at);  // else it may be in the memory check itself
  end_with(line);
}

}  // namespace

void end_before(const LaunchSite& site, const char* detail) {
  Line line;
  line.text("kind", "grid");
  line.text("kernel", site.kernel);
  line.text("launch_unit", site.unit);
  line.number("launch_line", site.line);
  line.number("line", site.line);
  line.text("detail", detail);
  end_with(line);
}

void end_at(const char* kind, const void* code, const char* detail) {
  const Thread* thread = static_cast<const Thread*>(kernelgate_current);
  Line line;
  line.text("kind", kind);
  if (thread) describe_thread(line, *thread);
  describe_code(line, "", static_cast<const char*>(code) - 1);
  if (detail) line.text("detail", detail);
  end_with(line);
}

void end_outside(const Region& tensor, bool write, const char* address, const void* code, const char* kind) {
  Line line;
  line.text("kind", kind);
  line.text("access", write ? "write" : "read");
  describe_tensor(line, nullptr, tensor);
  line.number("offset_bytes", address - tensor.begin);
  describe_code(line, "", static_cast<const char*>(code) - 1);
  end_with(line);
}

std::string describe_damage(size_t region_bytes, long offset) {
  Line line;
  line.text("kind", "write_outside");
  line.text("access", "write");
  line.text("region", "tensor");
  line.number("region_bytes", static_cast<long>(region_bytes));
  line.number("offset_bytes", offset);
  line.end();
  return line.string();
}

void use_signal_stack() {
  static thread_local bool in_use = false;
  if (in_use) return;
  constexpr size_t bytes = 64 * 1024;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  stack_t stack{};
  stack.ss_sp = memory;
  stack.ss_size = bytes;
  in_use = sigaltstack(&stack, nullptr) == 0;
}

}  // namespace kernelgate

extern "C" void kernelgate_install_fault_handler(int descriptor) {
  kernelgate::report_descriptor = descriptor;
  kernelgate::use_signal_stack();
  struct sigaction action{};
  action.sa_sigaction = kernelgate::on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigaction(signal, &action, nullptr);
  action.sa_sigaction = kernelgate::on_time_over;
  sigaction(kernelgate::time_over_signal, &action, nullptr);
}
