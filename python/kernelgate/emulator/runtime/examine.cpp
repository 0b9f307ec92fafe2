// The rules of an examination: see examine.h.
//
// Two accesses of the same bytes, one of them a write, race unless something orders them:
//   in one block: a barrier between them; in one warp also a collective that both lanes took part in;
//   between blocks of one launch: nothing, except that both are atomic or volatile, or that the earlier block fenced
//   afterwards and the later one has met an atomic or volatile word since (the "last block" pattern).
// Two plain writes of the same value are let pass: every outcome is the same.
#include "examine.h"
#include "findings.h"
#include <algorithm>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <map>
#include <pthread.h>
#include <set>
#include <string.h>
#include <sys/mman.h>
#include <tuple>

namespace kernelgate {

namespace {

bool on = false;
const void* latest = nullptr;  // the last access made

constexpr size_t most_findings = 24;
// So often in a row a thread looks at a word that never changes: it waits for a thread that cannot run.
constexpr uint32_t looks_of_a_waiting_thread = 1u << 21;
constexpr uint16_t most_fences = 0xffff >> mark_bits;

struct Run {  // one block's
  uint3 block;
  uint16_t fences;
  bool acquired;  // it has met an atomic or volatile word
};

uint32_t first_run = 1;  // of the launch
std::vector<Run> runs;   // of the launch
uint32_t epoch = 0;
uint32_t known[most_threads][lanes_of_warp];  // [t][l]: up to which clock t has met lane l of its warp
uint32_t clocks[most_threads];
const void* overflows[most_threads];
Memory* recent[2] = {};
std::set<std::tuple<int, const void*, const void*>> told;

struct {
  bool any;
  Line line;
  char before[64];
  const char* address;
  size_t bytes;
} same_value;

struct {
  const char* address;
  uint64_t value;
  uint32_t count;
} spin;

// A plain read of a word that others update by atomics is right where the thread goes on with an atomic on it: such is
// the loop around atomicCAS that begins with a plain read.
struct Deferred {
  const char* address;
  Line line;
};
std::map<unsigned, Deferred> deferred;  // by thread of the block

struct {
  const void* begin;
  size_t bytes;
} own;  // memory of the runtime that a kernel was given to read

uint32_t current_run() { return first_run + static_cast<uint32_t>(runs.size()) - 1; }

bool is_new(int kind, const void* code, const void* other) {
  return told.size() < most_findings && told.insert({kind, code, other}).second;
}

const void* call_site(const void* code) { return static_cast<const char*>(code) - 1; }

void end_launch(Thread& thread) {
  Worker& worker = *thread.owner().worker;
  fail(worker.place(thread) + ": the examination ended this launch, because going on would trap");
  worker.wait(thread, Status::done);
}

void describe_memory(Line& line, const Worker& worker, const Memory& memory) {
  switch (memory.kind) {
    case MemoryKind::tensor: return describe_tensor(line, &worker, memory.region);
    case MemoryKind::shared: return describe_shared(line, {memory.slot, memory.region, true});
    case MemoryKind::variable:
      line.text("region", "variable");
      line.number("region_bytes", static_cast<long>(memory.region.bytes));
      line.text("name", memory.name);
  }
}

void describe_access(Line& line, const Memory& memory, const char* address, size_t bytes, bool write,
                     const void* code) {
  const Thread& thread = *static_cast<const Thread*>(kernelgate_current);
  line.text("access", write ? "write" : "read");
  describe_thread(line, thread);
  describe_memory(line, *thread.owner().worker, memory);
  line.number("offset_bytes", address - memory.region.begin);
  line.number("access_bytes", static_cast<long>(bytes));
  describe_code(line, "", call_site(code));
}

void describe_overflow(Line& line, const Thread& thread) {
  if (overflows[thread.linear]) describe_code(line, "other_", call_site(overflows[thread.linear]));
}

// --- which memory ---------------------------------------------------------------------------------------------------

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

// The thread's own stack, and what threadIdx and the like read.
bool is_private(const Thread& thread, const char* address) {
  return lies_in(address, own.begin, own.bytes) ||
         lies_in(address, thread.fiber->mapping, Fiber::guard_bytes + Fiber::stack_bytes) ||
         lies_in(address, thread.owner().worker, sizeof(Worker)) ||
         static_cast<const void*>(address) == static_cast<const void*>(&kernelgate_current) || is_index(address);
}

// Nothing of the program's lies there: the host's memory, or none at all. An index that has overflowed leads anywhere,
// and what it meets is no pointer of the host's that the program has passed.
void report_stray(Thread& thread, const char* address, size_t bytes, bool write, const void* code,
                  const Region* of_host = nullptr) {
  const bool mapped = of_host || is_mapped(address);
  const LaunchArguments& arguments = thread.owner().worker->arguments;
  const Region* far = of_host ? nullptr : find_far_tensor(address, arguments.pointers, arguments.count);
  const bool of_the_host = of_host || (mapped && !far && !overflows[thread.linear]);
  if (is_new(0, code, nullptr)) {
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

// The memory of an access of a kernel; null where it is none of the kernel's, which is told here if it is a fault.
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
    if (is_new(1, code, nullptr)) {
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

// --- what is read ---------------------------------------------------------------------------------------------------

// Whether some byte of an access still has the poison that its memory was filled with and that no kernel wrote.
// What torch wrote has no record, so that an access of few bytes asks its neighbours too: those bytes alone may well be
// a right value.
bool is_unwritten(const Memory& memory, size_t offset, size_t bytes) {
  const size_t widest = bytes >= 4 ? 4 : 8;
  const uint64_t pattern = memory.kind == MemoryKind::shared ? poison_pattern : memory.region.pattern;
  for (size_t first = offset & ~(widest - 1); first < offset + bytes; first += widest) {
    const size_t end = std::min(first + widest, memory.region.bytes);
    size_t poisoned = 0, open = 0;
    bool asked = false;
    for (size_t at = first; at < end; at++) {
      const Access& write = memory.cells[at >> memory.shift].write;
      if (memory.kind == MemoryKind::shared ? write.run == current_run() : write.run != 0) continue;
      const char* address = memory.region.begin + at;
      open++;
      poisoned += *address == static_cast<char>(pattern >> 8 * (reinterpret_cast<uintptr_t>(address) & 7));
      asked |= at >= offset && at < offset + bytes;
    }
    const size_t enough = memory.kind == MemoryKind::shared ? 1 : std::min<size_t>(4, end - first);
    if (asked && open >= enough && poisoned == open) return true;
  }
  return false;
}

// --- what races -----------------------------------------------------------------------------------------------------

bool races(const Access& earlier, const Access& now, const Memory& memory) {
  if (!earlier.run || (earlier.marks & now.marks & atomic_mark)) return false;
  if (earlier.run == now.run) {
    if (earlier.thread == now.thread || earlier.epoch != now.epoch) return false;
    if (earlier.thread / lanes_of_warp != now.thread / lanes_of_warp) return true;
    return known[now.thread][earlier.thread % lanes_of_warp] < earlier.clock;
  }
  if (memory.kind == MemoryKind::shared || earlier.run < first_run) return false;
  constexpr unsigned either = atomic_mark | volatile_mark;
  if ((earlier.marks & either) && (now.marks & either)) return false;
  return !(runs[earlier.run - first_run].fences > earlier.marks >> mark_bits && runs.back().acquired);
}

void report_race(const Memory& memory, const Access& earlier, bool earlier_wrote, const Access& now, bool write,
                 size_t cell, size_t bytes) {
  if (!is_new(2, std::min(now.code, earlier.code), std::max(now.code, earlier.code))) return;
  const Worker& worker = *static_cast<const Thread*>(kernelgate_current)->owner().worker;
  const char* address = memory.region.begin + (cell << memory.shift);
  Line line;
  line.text("kind", "race");
  describe_access(line, memory, address, bytes, write, now.code);
  line.text("other_access", earlier_wrote ? "write" : "read");
  const uint3 block = runs[earlier.run - first_run].block, thread = worker.threads[earlier.thread].index;
  line.triple("other_block", block.x, block.y, block.z);
  line.triple("other_thread", thread.x, thread.y, thread.z);
  describe_code(line, "other_", call_site(earlier.code));
  const bool plain = !((earlier.marks | now.marks) & atomic_mark);
  if (!write && !now.marks && earlier.marks & atomic_mark) {
    deferred[now.thread] = {address, line};
    return;
  }
  if (!(write && earlier_wrote && plain && bytes <= sizeof same_value.before)) return add_finding(line);
  same_value.any = true;
  same_value.line = line;
  same_value.address = address;
  same_value.bytes = bytes;
  memcpy(same_value.before, address, bytes);
}

void resolve_deferred(const Thread& thread, const char* address, unsigned marks) {
  const auto found = deferred.find(thread.linear);
  if (found == deferred.end()) return;
  if (!(marks & atomic_mark && address == found->second.address)) add_finding(found->second.line);
  deferred.erase(found);
}

bool same_thread(const Access& a, const Access& b) { return a.run == b.run && a.thread == b.thread; }

void record(Memory& memory, size_t offset, size_t bytes, bool write, const Access& now) {
  for (size_t i = offset >> memory.shift; i <= (offset + bytes - 1) >> memory.shift; i++) {
    Cell& cell = memory.cells[i];
    if (races(cell.write, now, memory)) report_race(memory, cell.write, true, now, write, i, bytes);
    if (write) {
      for (Access* read : {&cell.read, &cell.other_read, &cell.foreign_read}) {
        // An atomic that follows another on the same word has seen it, and so has what follows this one.
        if (now.marks & read->marks & atomic_mark) *read = {};
        if (races(*read, now, memory)) report_race(memory, *read, false, now, true, i, bytes);
      }
      cell.write = now;
    } else {
      if (cell.read.run && !same_thread(cell.read, now))
        (cell.read.run == now.run ? cell.other_read : cell.foreign_read) = cell.read;
      cell.read = now;
    }
  }
}

// --- threads that wait ----------------------------------------------------------------------------------------------

void watch_for_waiting(Thread& thread, const char* address, size_t bytes, const void* code) {
  uint64_t value = 0;
  memcpy(&value, address, std::min(bytes, sizeof value));
  if (address != spin.address || value != spin.value) {
    spin = {address, value, 0};
    return;
  }
  if (++spin.count < looks_of_a_waiting_thread) return;
  report_here("waits", code, false);
  end_launch(thread);
}

void host_access(const char* address, bool write, const void* code) {
  const Region* tensor = find_tensor(address);
  if (!tensor || tensor->place != Place::device || !is_new(3, code, nullptr)) return;
  Line line;
  line.text("kind", "host_access");
  line.text("access", write ? "write" : "read");
  describe_tensor(line, nullptr, *tensor);
  line.number("offset_bytes", address - tensor->begin);
  describe_code(line, "", call_site(code));
  add_finding(line);
}

}  // namespace

bool examining() { return on; }
const void* last_code() { return latest; }

void settle_all() {
  settle();
  for (auto& [thread, race] : deferred) add_finding(race.line);
  deferred.clear();
}

void settle() {
  if (!same_value.any) return;
  same_value.any = false;
  if (memcmp(same_value.before, same_value.address, same_value.bytes) != 0) add_finding(same_value.line);
}

void forget_recent() { recent[0] = recent[1] = nullptr; }

void examine_launch() {
  if (!on) return;
  first_run += static_cast<uint32_t>(runs.size());
  runs.clear();
}

void examine_block(const Worker& worker, int threads) {
  if (!on) return;
  settle_all();
  runs.push_back({worker.block.index, 0, false});
  epoch = 0;
  for (int t = 0; t < threads; t++) clocks[t] = 1, overflows[t] = nullptr;
  memset(known, 0, static_cast<size_t>(threads) * sizeof known[0]);
}

void examine_barrier() { epoch++; }

void examine_collective(unsigned warp, unsigned lanes) {
  if (!on) return;
  const unsigned first = warp * lanes_of_warp;
  uint32_t met[lanes_of_warp] = {};
  for (unsigned l = 0; l < lanes_of_warp; l++) {
    if (!(lanes >> l & 1)) continue;
    for (unsigned k = 0; k < lanes_of_warp; k++) met[k] = std::max(met[k], known[first + l][k]);
    met[l] = std::max(met[l], clocks[first + l]);
  }
  for (unsigned l = 0; l < lanes_of_warp; l++) {
    if (!(lanes >> l & 1)) continue;
    memcpy(known[first + l], met, sizeof met);
    clocks[first + l]++;
  }
}

void examine_fence() {
  if (on && kernelgate_current && !runs.empty() && runs.back().fences < most_fences) runs.back().fences++;
}

void examine_absent_lane(const Thread& reader) {
  if (!on || !is_new(6, reinterpret_cast<const void*>(intptr_t{reader.line}), nullptr)) return;
  Line line;
  line.text("kind", "absent_lane");
  describe_thread(line, reader);
  line.number("line", reader.line);
  add_finding(line);
}

void examine_left_barrier(const Thread& ended) {
  if (!on || !is_new(7, reinterpret_cast<const void*>(intptr_t{ended.passed}), nullptr)) return;
  Line line;
  line.text("kind", "left_barrier");
  describe_thread(line, ended);
  line.number("line", ended.passed);
  add_finding(line);
}

void examine_own(const void* memory, size_t bytes) { own = {memory, bytes}; }

void note_overflow(const void* code) {
  if (on && kernelgate_current) overflows[kernelgate_current->linear] = code;
}

void report_here(const char* kind, const void* code, bool ends, const char* detail) {
  if (!on || !kernelgate_current) return;
  Thread& thread = *static_cast<Thread*>(kernelgate_current);
  if (is_new(4, code, nullptr)) {
    Line line;
    line.text("kind", kind);
    describe_thread(line, thread);
    describe_code(line, "", call_site(code));
    if (detail) line.text("detail", detail);
    add_finding(line);
  }
  if (ends) end_launch(thread);
}

void examine_access(const void* pointer, size_t bytes, bool write, unsigned marks, const void* code) {
  settle();
  if (!on) return;
  latest = code;
  const char* address = static_cast<const char*>(pointer);
  if (!kernelgate_current) return host_access(address, write, code);
  Thread& thread = *static_cast<Thread*>(kernelgate_current);
  if (is_private(thread, address)) return;
  if (!deferred.empty()) resolve_deferred(thread, address, marks);
  Memory* memory = recent[0];
  if (!memory || !memory->covers(address, bytes)) {
    std::swap(recent[0], recent[1]);
    memory = recent[0];
    if (!memory || !memory->covers(address, bytes)) memory = memory_of(thread, address, bytes, write, code);
  }
  if (!memory) return;
  const size_t offset = static_cast<size_t>(address - memory->region.begin);
  memory->refine(offset, bytes);
  Run& run = runs.back();
  if (marks) run.acquired = true;
  const bool waits = marks && !write;
  if (waits) watch_for_waiting(thread, address, bytes, code);
  else if (!marks) spin.count = 0;
  if (!write && memory->kind != MemoryKind::variable && is_unwritten(*memory, offset, bytes) &&
      is_new(5, code, nullptr)) {
    Line line;
    line.text("kind", "uninitialised");
    describe_access(line, *memory, address, bytes, false, code);
    add_finding(line);
  }
  const Access now{current_run(),
                   epoch,
                   clocks[thread.linear],
                   static_cast<uint16_t>(thread.linear),
                   static_cast<uint16_t>(marks | static_cast<unsigned>(run.fences) << mark_bits),
                   code};
  record(*memory, offset, bytes, write, now);
}

}  // namespace kernelgate

// From now on, accesses of kernels that were compiled for it are examined.
extern "C" void kernelgate_examine() { kernelgate::on = true; }
// The same mistake may be told again.
extern "C" void kernelgate_examine_anew() { kernelgate::told.clear(); }
