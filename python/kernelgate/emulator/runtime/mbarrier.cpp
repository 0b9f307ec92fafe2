// mbarriers in shared memory, and named barriers. The PTX ISA, "Parallel synchronization: mbarrier": a phase is complete
// once all its arrivals have come and all bytes that it expects; then the next one begins with as many arrivals.
#include "mbarrier.h"
#include "examine.h"
#include "hopper.h"
#include <algorithm>
#include <map>
#include <string.h>

namespace kernelgate {

namespace {

constexpr unsigned most_arrivals = (1u << 20) - 1;
constexpr int most_idle_rounds = 1000;  // in which threads only ask, and nothing else can go on

thread_local std::map<uint64_t, Mbarrier> mbarriers;
thread_local int idle_rounds = 0;

struct NamedBarrier {
  unsigned arrived = 0, threads = 0;
  std::vector<Thread*> waiting;
  History history;
};
thread_local std::map<std::pair<const Worker*, unsigned>, NamedBarrier> named;

bool is_complete(const Mbarrier& barrier, const Thread& thread) {
  return thread.parameter ? (barrier.phase & 1) != thread.value : barrier.phase > thread.value;
}

std::string counted(uint64_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

Mbarrier& mbarrier_at(uint64_t address, int line) {
  idle_rounds = 0;
  const auto found = mbarriers.find(address);
  if (found == mbarriers.end()) end_here("mbarrier_unknown", line, "");
  return found->second;
}

void forget_mbarriers() {
  mbarriers.clear();
  named.clear();
  idle_rounds = 0;
}

void advance_mbarrier(Mbarrier& barrier) {
  if (barrier.pending) return;
  make_copies(barrier);
  if (barrier.expected_bytes) return;
  barrier.phase++;
  barrier.pending = barrier.count;
  examine_phase(barrier);
  std::vector<Thread*> waiting;
  waiting.swap(barrier.waiting);
  for (Thread* thread : waiting) {
    if (!is_complete(barrier, *thread)) {
      barrier.waiting.push_back(thread);
      continue;
    }
    thread->result = 1;
    examine_acquire(*thread, barrier);
    thread->owner().worker->wake(*thread);
  }
}

bool answer_tests() {
  if (++idle_rounds > most_idle_rounds) return false;
  bool any = false;
  for (auto& [address, barrier] : mbarriers) {
    std::vector<Thread*> waiting;
    waiting.swap(barrier.waiting);
    for (Thread* thread : waiting) {
      if (!thread->width) {
        barrier.waiting.push_back(thread);
        continue;
      }
      any = true;
      thread->result = 0;
      thread->owner().worker->wake(*thread);
    }
  }
  return any;
}

void report_stuck_mbarrier(const Thread& waiting) {
  for (const auto& [address, barrier] : mbarriers) {
    if (std::find(barrier.waiting.begin(), barrier.waiting.end(), &waiting) == barrier.waiting.end()) continue;
    std::string why;
    int64_t bytes = barrier.expected_bytes;  // those of copies that were asked for would come
    for (const PendingCopy& copy : barrier.copies) bytes -= static_cast<int64_t>(copy.data.size());
    if (barrier.pending == barrier.count && !bytes)
      why = "nothing has arrived for the phase that it waits for, which has the parity " +
            std::to_string(barrier.phase & 1);
    else if (barrier.pending)
      why = counted(barrier.pending, "arrival") + " of " + std::to_string(barrier.count) + " never come";
    if (bytes > 0)
      why += (why.empty() ? "" : ", and ") + counted(static_cast<uint64_t>(bytes), "byte") +
             " that it expects never arrive";
    if (bytes < 0)
      why += (why.empty() ? "" : ", and ") + counted(static_cast<uint64_t>(-bytes), "byte") +
             " arrive that it was not told to expect";
    return fail_at(waiting, "mbarrier_stuck", waiting.line, why, barrier.line);
  }
  fail_at(waiting, "mbarrier_stuck", waiting.line, "");
}

std::string named_barrier_detail(const Thread& waiting) {
  for (const auto& [key, barrier] : named)
    if (std::find(barrier.waiting.begin(), barrier.waiting.end(), &waiting) != barrier.waiting.end())
      return std::to_string(barrier.arrived) + " of " + counted(barrier.threads, "thread") + " arrive at barrier " +
             std::to_string(key.second);
  return "";
}

}  // namespace kernelgate

using namespace kernelgate;

extern "C" void kernelgate_mbarrier_init(uint64_t address, unsigned count, int line) {
  if (count < 1 || count > most_arrivals) end_here("mbarrier_count", line, std::to_string(count));
  if (address % 8) end_here("mbarrier_address", line, "");
  shared_at(address, 8, line);
  const auto found = mbarriers.find(address);
  if (found != mbarriers.end() && (!found->second.waiting.empty() || !found->second.copies.empty()))
    end_here("mbarrier_in_use", line, "", found->second.line);
  Mbarrier& barrier = mbarriers[address] = {};
  barrier.address = address;
  barrier.count = barrier.pending = count;
  barrier.line = line;
  memset(reinterpret_cast<void*>(address), 0, 8);
  examine_mbarrier_init(barrier, __builtin_return_address(0));
}

extern "C" void kernelgate_mbarrier_invalidate(uint64_t address, int line) {
  mbarrier_at(address, line);
  mbarriers.erase(address);
}

extern "C" void kernelgate_mbarrier_expect(uint64_t address, unsigned bytes, int line) {
  mbarrier_at(address, line).expected_bytes += bytes;
}

extern "C" uint64_t kernelgate_mbarrier_arrive(uint64_t address, unsigned count, unsigned bytes, int line) {
  Mbarrier& barrier = mbarrier_at(address, line);
  examine_mbarrier_use(barrier, __builtin_return_address(0));
  if (barrier.pending < count) advance_mbarrier(barrier);
  if (barrier.pending < count) end_here("mbarrier_overrun", line, std::to_string(barrier.count), barrier.line);
  const uint64_t phase = barrier.phase;
  barrier.expected_bytes += bytes;
  examine_release(current_thread(), barrier);
  barrier.pending -= count;
  if (!barrier.waiting.empty() || !barrier.expected_bytes) advance_mbarrier(barrier);
  return phase;
}

extern "C" int kernelgate_mbarrier_wait(uint64_t address, uint64_t phase, int by_parity, int may_fail, int line) {
  const int rounds = idle_rounds;
  Mbarrier& barrier = mbarrier_at(address, line);
  if (may_fail) idle_rounds = rounds;  // asking is no progress
  examine_mbarrier_use(barrier, __builtin_return_address(0));
  Thread& thread = current_thread();
  thread.value = by_parity ? phase & 1 : phase;
  thread.parameter = by_parity;
  thread.width = may_fail;
  thread.line = line;
  if (!is_complete(barrier, thread)) advance_mbarrier(barrier);
  if (is_complete(barrier, thread)) {
    examine_acquire(thread, barrier);
    return 1;
  }
  barrier.waiting.push_back(&thread);
  thread.owner().worker->wait(thread, Status::at_mbarrier);
  return static_cast<int>(thread.result);
}

extern "C" void kernelgate_named_barrier(unsigned id, unsigned threads, int waits, int line) {
  Thread& thread = current_thread();
  Worker& worker = *thread.owner().worker;
  if (!threads) threads = (static_cast<unsigned>(worker.thread_count()) + 31) / 32 * 32;
  if (id > 15 || threads % 32)
    end_here("named_barrier", line, "barrier " + std::to_string(id) + " for " + counted(threads, "thread"));
  NamedBarrier& barrier = named[{&worker, id}];
  if (barrier.arrived && barrier.threads != threads)
    end_here("named_barrier", line,
             counted(threads, "thread") + ", where others have said " + std::to_string(barrier.threads));
  barrier.threads = threads;
  examine_release(thread, barrier.history);
  thread.line = line;
  if (++barrier.arrived < threads) {
    if (!waits) return;
    barrier.waiting.push_back(&thread);
    return worker.wait(thread, Status::at_named_barrier);
  }
  History met;
  std::swap(met, barrier.history);
  std::vector<Thread*> waiting;
  waiting.swap(barrier.waiting);
  barrier.arrived = 0;
  for (Thread* other : waiting) {
    examine_acquire(*other, met);
    worker.wake(*other);
  }
  if (waits) examine_acquire(thread, met);
}
