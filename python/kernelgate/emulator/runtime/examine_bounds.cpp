// Rule: a kernel accesses memory that it was given, inside its bounds.
#include "memory_check.h"
#include "heap.h"
#include <sys/mman.h>
#include <utility>

namespace kernelgate {

namespace memory_check {

namespace {

const void* overflows[most_cluster_threads];  // where an integer of a thread has overflowed
Memory* recent[2] = {};

struct {
  const void* begin;
  size_t bytes;
} own;  // memory of the runtime that a kernel was given to read

void describe_overflow(Line& line, const Thread& thread) {
  if (overflows[thread.number]) describe_code(line, "other_", call_site(overflows[thread.number]));
}

bool is_mapped(const char* address) {
  void* page = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(address) & ~uintptr_t{page_bytes - 1});
  return msync(page, 1, MS_ASYNC) == 0;
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
// and what it meets is no pointer of the host's that the program has passed. `of_host` is a tensor, `variable` a variable.
void report_stray(Thread& thread, const char* address, size_t bytes, bool write, const void* code,
                  const Region* of_host = nullptr, const Variable* variable = nullptr) {
  const Region* freed = of_host || variable ? nullptr : find_freed(address);
  const bool known = of_host || variable || freed;
  const bool mapped = !freed && (known || is_mapped(address));
  const LaunchArguments& arguments = thread.owner().worker->arguments;
  const Region* far = known ? nullptr : find_far_tensor(address, arguments.pointers, arguments.count);
  const bool of_the_host = known || (mapped && !far && !overflows[thread.number]);
  if (is_new(Kind::stray, code)) {
    Line line;
    const bool null = reinterpret_cast<uintptr_t>(address) < 65536;
    line.text("kind", null ? "null" : freed ? "freed" : of_the_host ? "host_memory" : "out_of_bounds");
    line.text("access", write ? "write" : "read");
    describe_thread(line, thread);
    if (const Region* tensor = of_host ? of_host : freed ? freed : null ? nullptr : far) {
      describe_tensor(line, thread.owner().worker, *tensor);
      line.number("offset_bytes", address - tensor->begin);
      line.number("access_bytes", static_cast<long>(bytes));
    }
    if (variable) {
      line.text("region", "variable");
      line.number("region_bytes", static_cast<long>(variable->bytes));
      line.text("name", variable->name);
    }
    describe_code(line, "", call_site(code));
    describe_overflow(line, thread);
    add_finding(line);
  }
  if (!mapped) end_launch(thread);
}

void report_freed(const Thread& thread, bool write, const void* code) {
  if (!is_new(Kind::bounds, code)) return;
  Line line;
  line.text("kind", "freed");
  line.text("access", write ? "write" : "read");
  describe_thread(line, thread);
  describe_code(line, "", call_site(code));
  add_finding(line);
}

Memory* add_memory_of(MemoryKind kind, const Region& region) {
  Memory found{};
  found.kind = kind;
  found.region = region;
  return add_memory(found);
}

// Memory that no kernel has touched so far; null where it is none of the kernel's.
Memory* new_memory(Thread& thread, const char* address, size_t bytes, bool write, const void* code) {
  Worker& worker = *thread.owner().worker;
  for (const Worker* member : worker.cluster->members)
    for (const SharedObject& object : member->shared)
      if (object.region.holds(address)) {
        Memory* shared = add_memory_of(MemoryKind::shared, object.region);
        shared->slot = object.slot;
        return shared;
      }
  if (const Region* region = find_tensor(address)) {
    if (region->place != Place::host || !worker.arguments.knows_devices)
      return add_memory_of(MemoryKind::tensor, *region);
    report_stray(thread, address, bytes, write, code, region);
    return nullptr;
  }
  Region block;
  if (find_block(address, block)) {
    if (block.bytes) return add_memory_of(MemoryKind::heap, block);
    report_freed(thread, write, code);
    return nullptr;
  }
  if (worker.owns_stack(address) || lies_in(address, worker.arguments.call, worker.arguments.bytes)) return nullptr;
  const Stack stack = stack_at(address);
  if (stack == Stack::of_runtime) return nullptr;
  bool in_library = false;
  const Variable* variable = stack == Stack::none ? find_variable(address, in_library) : nullptr;
  if (variable && !variable->of_program) return nullptr;
  if (variable ? is_of_host(worker.arguments, *variable) : !in_library) {
    report_stray(thread, address, bytes, write, code, nullptr, variable);
    return nullptr;
  }
  if (!variable) variable = find_variable_before(address);
  if (!variable) return nullptr;
  kernel_names(*variable);
  Region region{};
  region.begin = variable->begin;
  region.bytes = variable->bytes;
  Memory* memory = add_memory_of(MemoryKind::variable, region);
  memory->name = variable->name;
  return memory;
}

Memory* memory_of(Thread& thread, const char* address, size_t bytes, bool write, const void* code) {
  Memory* memory = find_memory(address);
  if (!memory) memory = new_memory(thread, address, bytes, write, code);
  if (!memory) return nullptr;
  if (!memory->covers(address, bytes)) {
    if (is_new(Kind::bounds, code)) {
      Line line;
      line.text("kind", "out_of_bounds");
      describe_access(line, *memory, address, bytes, write, code);
      describe_overflow(line, thread);
      add_finding(line);
    }
    const bool traps = memory->kind != MemoryKind::heap && memory->kind != MemoryKind::variable;
    if (!traps) return nullptr;
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

void forget_overflows(int threads) {
  for (int t = 0; t < threads; t++) overflows[t] = nullptr;
}

}  // namespace memory_check

using namespace memory_check;

void forget_recent() { memory_check::recent[0] = memory_check::recent[1] = nullptr; }

void examine_own(const void* memory, size_t bytes) { memory_check::own = {memory, bytes}; }

void examine_overflow(Line& line, const Thread& thread) {
  if (on) memory_check::describe_overflow(line, thread);
}

void note_overflow(const void* code) {
  if (on && kernelgate_current) memory_check::overflows[current_thread().number] = code;
}

}  // namespace kernelgate
