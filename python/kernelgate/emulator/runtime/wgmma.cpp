// wgmma: what a warp has asked for and not waited for. Its product is computed when it is asked for; a memory check also
// watches the variables that hold the sums, and what the unit still reads of shared memory.
#include "examine.h"
#include "findings.h"
#include "hopper.h"
#include "order.h"
#include <deque>
#include <map>
#include <string.h>
#include <unordered_map>

namespace kernelgate {

namespace {

enum class State : uint8_t { settled, in_flight, changed };  // changed: by the program, since the last fence

struct Sum {
  State state = State::settled;
  uint64_t group = 0;  // that it is in flight in
};

struct Issued {
  std::unordered_map<const char*, Sum> sums;  // by the address of their variable
  uint64_t committed = 0;                     // groups
  bool has_fenced = false;
  const void* code = nullptr;
};
thread_local std::map<const Thread*, Issued> issued;

// Four warps that multiply together: what one has waited for, all have asked for, and the unit has done for all.
struct Warpgroup {
  uint32_t agent = 0, clock = 0;
  std::vector<unsigned> commits;    // of each group, the threads that have committed it
  std::vector<uint32_t> completed;  // and the clock when all had
  std::vector<Thread*> waiting;     // `value`: for so many groups
};
constexpr unsigned threads_of_warpgroup = 128;
thread_local std::map<const Thread*, Warpgroup> warpgroups;  // by their first thread

Warpgroup& warpgroup_of(const Thread& thread) {
  return warpgroups[&thread.owner().worker->threads[thread.linear / threads_of_warpgroup * threads_of_warpgroup]];
}

void report(const char* kind, const void* code) { report_here(kind, code, false); }

}  // namespace

void forget_wgmma() {
  issued.clear();
  warpgroups.clear();
}

void examine_sum(const Thread& thread, const char* address, size_t bytes, bool write, const void* code) {
  if (issued.empty()) return;
  const auto mine = issued.find(&thread);
  if (mine == issued.end()) return;
  for (size_t at = 0; at < bytes; at += 4) {
    const auto sum = mine->second.sums.find(address + at);
    if (sum == mine->second.sums.end()) continue;
    if (sum->second.state == State::in_flight) report("wgmma_in_flight", code);
    else if (write) sum->second.state = State::changed;
  }
}

}  // namespace kernelgate

using namespace kernelgate;

extern "C" void kernelgate_wgmma_fence() {
  Issued& mine = issued[&current_thread()];
  mine.has_fenced = true;
  for (auto& [address, sum] : mine.sums)
    if (sum.state == State::changed) sum.state = State::settled;
}

extern "C" void kernelgate_wgmma_begin(void* const* registers, uint32_t* values, int count, int adds, int) {
  Issued& mine = issued[&current_thread()];
  mine.code = __builtin_return_address(0);
  bool changed = !mine.has_fenced;
  for (int i = 0; i < count; i++) {
    if (adds) memcpy(&values[i], registers[i], 4);
    else values[i] = 0;
    if (!examining()) continue;
    Sum& sum = mine.sums[static_cast<const char*>(registers[i])];
    changed |= sum.state == State::changed;
    sum = {State::in_flight, mine.committed};
  }
  if (changed) report("wgmma_fence", mine.code);
}

extern "C" void kernelgate_wgmma_end(void* const* registers, const uint32_t* values, int count) {
  for (int i = 0; i < count; i++) memcpy(registers[i], &values[i], 4);
}

extern "C" void kernelgate_wgmma_commit(int) {
  Warpgroup& group = warpgroup_of(current_thread());
  const uint64_t number = issued[&current_thread()].committed++;
  if (number >= group.commits.size()) group.commits.resize(number + 1), group.completed.resize(number + 1);
  if (++group.commits[number] < threads_of_warpgroup) return;
  group.completed[number] = group.clock;
  std::vector<Thread*> waiting;
  waiting.swap(group.waiting);
  for (Thread* thread : waiting)
    if (thread->value <= number + 1) thread->owner().worker->wake(*thread);
    else group.waiting.push_back(thread);
}

extern "C" void kernelgate_wgmma_wait(unsigned kept, int line) {
  Thread& thread = current_thread();
  const uint64_t committed = issued[&thread].committed;
  if (committed <= kept) return;
  const uint64_t done = committed - kept;
  Warpgroup& group = warpgroup_of(thread);
  if (group.commits[done - 1] < threads_of_warpgroup) {
    thread.value = done;
    thread.line = line;
    group.waiting.push_back(&thread);
    thread.owner().worker->wait(thread, Status::at_wgmma);
  }
  examine_waited(thread, group.agent, group.completed[done - 1]);
  for (auto& [address, sum] : issued[&thread].sums)
    if (sum.state == State::in_flight && sum.group < done) sum.state = State::settled;
}

// Of an operand of the multiplying unit: 16 bytes.
extern "C" void kernelgate_read_operand(void* to, uint64_t from, int line) {
  const Thread& thread = current_thread();
  shared_at(from, 16, line);
  if (examining()) {
    Warpgroup& group = warpgroup_of(thread);
    if (!group.agent) group.agent = new_agent(Unit::wgmma);
    group.clock = examine_agent(group.agent, reinterpret_cast<const char*>(from), 16, false, issued[&thread].code);
  }
  memcpy(to, reinterpret_cast<const void*>(from), 16);
}

// Of the source of a copy to global memory, which was examined when the copy was asked for.
extern "C" void kernelgate_read_shared(void* to, uint64_t from, unsigned bytes, unsigned swizzle, int line) {
  shared_at(from, bytes, line);
  char* target = static_cast<char*>(to);
  for (uint64_t at = 0; at < bytes; at += 16) {
    const uint64_t address = from + at;
    memcpy(target + at, reinterpret_cast<const void*>(address ^ (address >> 7 & swizzle) << 4), 16);
  }
}
