// A memory check: see examine.h. The rules are in examine_bounds.cpp, examine_unwritten.cpp, examine_races.cpp and
// examine_barriers.cpp; each access passes them in that order.
#include "costs.h"
#include "memory_check.h"
#include <set>
#include <tuple>
#include <utility>

namespace kernelgate {
namespace memory_check {

bool on = false;
uint32_t first_run = 1;
std::vector<Run> runs;
uint32_t epoch = 0;
uint32_t clocks[most_cluster_threads];

namespace {

constexpr size_t most_findings = 24;
const void* latest = nullptr;    // the last access made
const void* asked_at = nullptr;  // where the copy was asked for that the next write makes
std::set<std::tuple<Kind, const void*, const void*>> reported;

void describe_memory(Line& line, const Worker& worker, const Memory& memory) {
  switch (memory.kind) {
    case MemoryKind::tensor: return describe_tensor(line, &worker, memory.region);
    case MemoryKind::shared: return describe_shared(line, {memory.slot, memory.region, true});
    case MemoryKind::heap:
      line.text("region", "heap block");
      line.number("region_bytes", static_cast<long>(memory.region.bytes));
      return;
    case MemoryKind::variable:
      line.text("region", "variable");
      line.number("region_bytes", static_cast<long>(memory.region.bytes));
      line.text("name", memory.name);
  }
}

}  // namespace

bool is_new(Kind kind, const void* code, const void* other) {
  return reported.size() < most_findings && reported.insert({kind, code, other}).second;
}

void forget(Kind kind, const void* code, const void* other) { reported.erase({kind, code, other}); }

void end_launch(Thread& thread) {
  Worker& worker = *thread.owner().worker;
  fail(worker.place(thread) + ": the memory check ended this launch, because going on would trap");
  worker.wait(thread, Status::done);
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

}  // namespace memory_check

using namespace memory_check;

bool examining() { return on; }
const void* last_code() { return latest; }

void examine_launch(const void* frame, const LaunchSite& site, const void* stream) {
  const Work work = begin_work(stream);
  if (!on) return;
  enter_launch(frame);
  first_run += static_cast<uint32_t>(runs.size());
  runs.clear();
  note_work(work, site.kernel);
}

void examine_cluster(const Cluster& cluster) {
  if (!on) return;
  settle();
  count_block();
  const Worker& first = *cluster.members[0];
  const int threads = static_cast<int>(first.numbers() * cluster.members.size());
  runs.push_back({first.block.index, 0, 0, false});
  forget_overflows(threads);
  start_block(threads);
  start_order(static_cast<uint32_t>(threads), cluster.members.size() == 1);
}

void report_here(const char* kind, const void* code, bool ends, const char* detail) {
  if (!on || !kernelgate_current) return;
  Thread& thread = *static_cast<Thread*>(kernelgate_current);
  if (is_new(Kind::elsewhere, code)) {
    Line line;
    line.text("kind", kind);
    describe_thread(line, thread);
    describe_code(line, "", call_site(code));
    if (detail) line.text("detail", detail);
    add_finding(line);
  }
  if (ends) end_launch(thread);
}

namespace {

// A block's shared memory is gone when the block has ended.
void check_owner(const Thread& thread, const char* address, const void* code) {
  const Worker& own = *thread.owner().worker;
  if (own.cluster->members.size() == 1) return;
  for (Worker* worker : own.cluster->members)
    if (worker != &own && worker->has_ended() && worker->object_at(reinterpret_cast<uint64_t>(address)))
      report_here("cluster_exit", code, false);
}

Access access_of(const Thread& thread, unsigned marks, const void* code) {
  return {current_run(),
          epoch,
          clocks[thread.number],
          static_cast<uint16_t>(thread.number),
          static_cast<uint16_t>(marks | static_cast<unsigned>(runs.back().fences) << mark_bits),
          code};
}

void examine_memory(Thread& thread, const char* address, size_t bytes, bool write, unsigned marks, const void* code,
                    bool counts) {
  Memory* memory = memory_at(thread, address, bytes, write, code);
  if (!memory) return;
  const size_t offset = static_cast<size_t>(address - memory->region.begin);
  if (counts && counting() && (write || !(marks & atomic_mark))) {  // an update reads and writes, and is one request
    const Space space = memory->kind == MemoryKind::shared ? Space::shared : Space::global;
    count_access(thread, space, address, bytes, write, marks & atomic_mark, code);
  }
  if (memory->kind == MemoryKind::shared) check_owner(thread, address, code);
  memory->refine(offset, bytes);
  Run& run = runs.back();
  const bool meets_others = marks && memory->kind != MemoryKind::shared;
  if (meets_others) run.acquired = true;
  if (meets_others && write) run.published = run.fences;
  if (marks && !write) watch_for_waiting(thread, address, bytes, code);
  if (!marks) does_not_wait();
  if (!write) check_written(*memory, address, bytes, code);
  if (write && memory->region.given && is_new(Kind::given, code)) {
    Line line;
    line.text("kind", "input_written");
    describe_access(line, *memory, address, bytes, write, code);
    add_finding(line);
  }
  check_races(*memory, offset, bytes, write, access_of(thread, marks, code));
}

}  // namespace

void examine_access(const void* pointer, size_t bytes, bool write, unsigned marks, const void* code) {
  settle();
  if (!on) return;
  if (write && asked_at) code = std::exchange(asked_at, nullptr);
  latest = code;
  const char* address = static_cast<const char*>(pointer);
  if (!kernelgate_current) return host_access(address, write, code);
  Thread& thread = current_thread();
  if (is_private(thread, address)) return examine_sum(thread, address, bytes, write, code);
  examine_memory(thread, address, bytes, write, marks, code, true);
}

void examine_next_write_as(const void* code) { asked_at = code; }

void examine_requested(const char* address, size_t bytes, const void* code) {
  settle();
  Memory* memory = on && kernelgate_current ? find_memory(address) : nullptr;
  if (!memory || !memory->covers(address, bytes)) return;  // which is reported when the copy is made
  const size_t offset = static_cast<size_t>(address - memory->region.begin);
  memory->refine(offset, bytes);
  check_reads(*memory, offset, bytes, access_of(current_thread(), 0, code));
}

void examine_uncounted(const char* address, size_t bytes, bool write, const void* code) {
  settle();
  examine_memory(current_thread(), address, bytes, write, 0, code, false);
}

}  // namespace kernelgate

// From now on, accesses of kernels that were compiled for it are examined.
extern "C" void kernelgate_examine() { kernelgate::memory_check::on = true; }
// The same fault may be reported again.
extern "C" void kernelgate_examine_anew() { kernelgate::memory_check::reported.clear(); }
