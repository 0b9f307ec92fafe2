// The last words of a worker: a signal handler that writes what was running, where, and what it touched.
#include "report.h"
#include "memory.h"
#include "scheduler.h"
#include <dlfcn.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

namespace kernelgate {

namespace {

int report_descriptor = 2;

// Builds the line in place: a signal handler may neither allocate nor call stdio.
class Line {
 public:
  Line() { raw("{"); }
  void text(const char* name, const char* value) {
    begin(name);
    raw("\"");
    for (; *value && used_ < sizeof buffer_ - 64; value++) {
      const char c = *value;
      if (c == '"' || c == '\\') put('\\');
      put(static_cast<unsigned char>(c) < 32 ? ' ' : c);
    }
    raw("\"");
  }
  void number(const char* name, long value) { begin(name), digits(value); }
  void triple(const char* name, unsigned x, unsigned y, unsigned z) {
    begin(name);
    raw("[");
    digits(x), raw(","), digits(y), raw(","), digits(z);
    raw("]");
  }
  void end() { raw("}\n"); }
  const char* data() const { return buffer_; }
  size_t size() const { return used_; }

 private:
  void begin(const char* name) {
    if (used_ > 1) raw(",");
    raw("\""), raw(name), raw("\":");
  }
  void raw(const char* s) {
    while (*s) put(*s++);
  }
  void put(char c) {
    if (used_ < sizeof buffer_) buffer_[used_++] = c;
  }
  void digits(long value) {
    char reversed[24];
    int count = 0;
    unsigned long left = value < 0 ? 0ul - static_cast<unsigned long>(value) : static_cast<unsigned long>(value);
    do reversed[count++] = static_cast<char>('0' + left % 10);
    while (left /= 10);
    if (value < 0) put('-');
    while (count) put(reversed[--count]);
  }
  char buffer_[4096];
  size_t used_ = 0;
};

void describe_thread(Line& line, const Thread& thread) {
  const Worker& worker = *thread.owner().worker;
  const uint3 block = thread.block->index;
  line.text("kernel", worker.site.kernel);
  line.text("launch_unit", worker.site.unit);
  line.number("launch_line", worker.site.line);
  line.triple("block", block.x, block.y, block.z);
  line.triple("thread", thread.index.x, thread.index.y, thread.index.z);
}

// What an address that trapped belongs to; returns the kind of fault.
const char* describe_address(Line& line, const Thread* thread, const char* address) {
  if (thread) {
    const Worker& worker = *thread->owner().worker;
    if (thread->fiber && thread->fiber->guards(address)) return "stack_overflow";
    for (const SharedObject& object : worker.shared)
      if (object.region.holds(address)) {
        line.text("region", object.slot ? "__shared__ array" : "dynamic __shared__ array");
        line.number("region_bytes", static_cast<long>(object.region.bytes));
        line.number("offset_bytes", address - object.region.begin);
        return "out_of_bounds";
      }
  }
  if (const Region* tensor = find_tensor(address)) {
    line.text("region", "tensor");
    line.number("region_bytes", static_cast<long>(tensor->bytes));
    line.number("offset_bytes", address - tensor->begin);
    return "out_of_bounds";
  }
  return reinterpret_cast<uintptr_t>(address) < 65536 ? "null" : "out_of_bounds";
}

void on_fault(int signal, siginfo_t* info, void* context_pointer) {
  const ucontext_t* context = static_cast<const ucontext_t*>(context_pointer);
  const Thread* thread = static_cast<const Thread*>(kernelgate_current);
  Line line;
  if (signal == SIGFPE) {
    line.text("kind", "division_by_zero");
  } else if (signal == SIGILL || info->si_code == SI_KERNEL || signal == SIGBUS) {
    // The processor gives no address for an aligned access to an odd one; SIGILL is the compiler's own check.
    line.text("kind", "misaligned");
  } else {
    const bool write = (context->uc_mcontext.gregs[REG_ERR] & 2) != 0;
    line.text("access", write ? "write" : "read");
    line.text("kind", describe_address(line, thread, static_cast<const char*>(info->si_addr)));
  }
  if (thread) describe_thread(line, *thread);
  const char* at = reinterpret_cast<const char*>(context->uc_mcontext.gregs[REG_RIP]);
  Dl_info place;
  if (dladdr(at, &place) && place.dli_fname) {
    line.text("library", place.dli_fname);
    line.number("library_offset", at - static_cast<const char*>(place.dli_fbase));
  }
  line.end();
  const ssize_t written = write(report_descriptor, line.data(), line.size());
  _exit(written < 0 ? 138 : 139);
}

}  // namespace

std::string describe_damage(size_t region_bytes, long offset) {
  Line line;
  line.text("kind", "write_outside");
  line.text("access", "write");
  line.text("region", "tensor");
  line.number("region_bytes", static_cast<long>(region_bytes));
  line.number("offset_bytes", offset);
  line.end();
  return std::string(line.data(), line.size());
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
  struct sigaction action {};
  action.sa_sigaction = kernelgate::on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigaction(signal, &action, nullptr);
}
