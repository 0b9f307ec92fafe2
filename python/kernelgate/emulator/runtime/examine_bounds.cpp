// Rule: a kernel accesses memory that it was given, inside its bounds, and the host no memory of the device.
#include "examination.h"
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <utility>

namespace kernelgate {

namespace examination {

namespace {

const void* overflows[most_threads];  // where an integer of a thread has overflowed
Memory* recent[2] = {};

struct {
  const void* begin;
  size_t bytes;
} own;  // memory of the runtime that a kernel was given to read

void describe_overflow(Line& line, const Thread& thread) {
  if (overflows[thread.linear]) describe_code(line, "other_", call_site(overflows[thread.linear]));
}

bool on_launching_stack(const char* address) {
  static thread_local const char *begin = nullptr, *end = nullptr;
  if (!begin) {
    pthread_attr_t attributes;
    void* stack = nullptr;
    size_t bytes = 0;
    if (pthread_getattr_np(pthread_self(), &attributes)) return true;
    pthread_attr_getstack(&attributes, &stack, &bytes);
    pthread_attr_destroy(&attributes);
    begin = static_cast<const char*>(stack);
    end = begin + bytes;
  }
  return address >= begin && address < end;
}

bool is_mapped(const char* address) {
  void* page = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(address) & ~uintptr_t{page_bytes - 1});
  return msync(page, 1, MS_ASYNC) == 0;
}

// A __device__ variable: a symbol with a size in the library of the program.
Memory* find_variable(const char* address, bool& in_library) {
  Dl_info place;
  void* symbol = nullptr;
  in_library = dladdr1(address, &place, &symbol, RTLD_DL_SYMENT) != 0;
  if (!in_library || !symbol || !place.dli_saddr) return nullptr;
  if (strstr(place.dli_sname, "10kernelgate")) return nullptr;  // the shim's own
  const size_t bytes = static_cast<const ElfW(Sym)*>(symbol)->st_size;
  char* begin = static_cast<char*>(place.dli_saddr);
  if (address >= begin + bytes) return nullptr;
  Memory variable{};
  variable.kind = MemoryKind::variable;
  variable.region.begin = begin;
  variable.region.bytes = bytes;
  variable.name = place.dli_sname;
  return add_memory(variable);
}

bool lies_in(const char* address, const void* begin, size_t bytes) {
  return static_cast<size_t>(address - static_cast<const char*>(begin)) < bytes;
}

bool is_index(const char* address) {
  return lies_in(address, &kernelgate_thread_index, sizeof(uint3)) ||
         lies_in(address, &kernelgate_block_index, sizeof(uint3)) ||
         lies_in(address, &kernelgate_block_dim, sizeof(dim3)) || lies_in(address, &kernelgate_grid_dim, sizeof(dim3));
}

// Nothing of the program's lies there: the host's memory, or none at all. An index that has overflowed leads anywhere,
// and what it meets is no pointer of the host's that the program has passed.
void report_stray(Thread& thread, const char* address, size_t bytes, bool write, const void* code,
                  const Region* of_host = nullptr) {
  const bool mapped = of_host || is_mapped(address);
  const LaunchArguments& arguments = thread.owner().worker->arguments;
  const Region* far = of_host ? nullptr : find_far_tensor(address, arguments.pointers, arguments.count);
  const bool of_the_host = of_host || (mapped && !far && !overflows[thread.linear]);
  if (is_new(Kind::stray, code)) {
    Line line;
    const bool null = reinterpret_cast<uintptr_t>(address) < 65536;
    line.text("kind", null ? "null" : of_the_host ? "host_memory" : "out_of_bounds");
    line.text("access", write ? "write" : "read");
    describe_thread(line, thread);
    if (const Region* tensor = of_host ? of_host : null ? nullptr : far) {
      describe_tensor(line, thread.owner().worker, *tensor);
      line.number("offset_bytes", address - tensor->begin);
      line.number("access_bytes", static_cast<long>(bytes));
    }
    describe_code(line, "", call_site(code));
    describe_overflow(line, thread);
    add_finding(line);
  }
  if (!mapped) end_launch(thread);
}

Memory* memory_of(Thread& thread, const char* address, size_t bytes, bool write, const void* code) {
  Worker& worker = *thread.owner().worker;
  Memory* memory = find_memory(address);
  if (!memory) {
    for (const SharedObject& object : worker.shared)
      if (object.region.holds(address)) {
        Memory shared{};
        shared.kind = MemoryKind::shared;
        shared.region = object.region;
        shared.slot = object.slot;
        memory = add_memory(shared);
      }
  }
  if (!memory)
    if (const Region* region = find_tensor(address)) {
      if (region->place == Place::host && worker.arguments.bytes) {
        report_stray(thread, address, bytes, write, code, region);
        return nullptr;
      }
      Memory tensor{};
      tensor.kind = MemoryKind::tensor;
      tensor.region = *region;
      memory = add_memory(tensor);
    }
  if (!memory) {
    bool in_library = false;
    if (worker.owns_stack(address) || on_launching_stack(address)) return nullptr;
    memory = find_variable(address, in_library);
    if (!memory && !in_library) report_stray(thread, address, bytes, write, code);
    if (!memory) return nullptr;
  }
  if (!memory->covers(address, bytes)) {
    if (memory->kind == MemoryKind::variable) return nullptr;
    if (is_new(Kind::bounds, code)) {
      Line line;
      line.text("kind", "out_of_bounds");
      describe_access(line, *memory, address, bytes, write, code);
      describe_overflow(line, thread);
      add_finding(line);
    }
    const char* usable = memory->region.mapping + page_bytes;
    if (address < usable || address + bytes > memory->region.mapping + memory->region.mapped_bytes - page_bytes)
      end_launch(thread);
    return nullptr;
  }
  recent[1] = recent[0];
  recent[0] = memory;
  return memory;
}

}  // namespace

bool is_private(const Thread& thread, const char* address) {
  return lies_in(address, own.begin, own.bytes) ||
         lies_in(address, thread.fiber->mapping, Fiber::guard_bytes + Fiber::stack_bytes) ||
         lies_in(address, thread.owner().worker, sizeof(Worker)) ||
         static_cast<const void*>(address) == static_cast<const void*>(&kernelgate_current) || is_index(address);
}

Memory* memory_at(Thread& thread, const char* address, size_t bytes, bool write, const void* code) {
  if (recent[0] && recent[0]->covers(address, bytes)) return recent[0];
  std::swap(recent[0], recent[1]);
  if (recent[0] && recent[0]->covers(address, bytes)) return recent[0];
  return memory_of(thread, address, bytes, write, code);
}

void host_access(const char* address, bool write, const void* code) {
  const Region* tensor = find_tensor(address);
  if (!tensor || tensor->place != Place::device || !is_new(Kind::host_access, code)) return;
  Line line;
  line.text("kind", "host_access");
  line.text("access", write ? "write" : "read");
  describe_tensor(line, nullptr, *tensor);
  line.number("offset_bytes", address - tensor->begin);
  describe_code(line, "", call_site(code));
  add_finding(line);
}

void forget_overflows(int threads) {
  for (int t = 0; t < threads; t++) overflows[t] = nullptr;
}

}  // namespace examination

using namespace examination;

void forget_recent() { examination::recent[0] = examination::recent[1] = nullptr; }

void examine_own(const void* memory, size_t bytes) { examination::own = {memory, bytes}; }

void note_overflow(const void* code) {
  if (on && kernelgate_current) examination::overflows[kernelgate_current->linear] = code;
}

}  // namespace kernelgate
