// Vector clocks: see order.h.
#include "order.h"
#include "memory_check.h"
#include "mbarrier.h"
#include <algorithm>

namespace kernelgate {

namespace memory_check {

namespace {

constexpr uint32_t most_agents = 512;

struct Agent {
  Unit unit;
  uint32_t clock;
  unsigned issuer;  // the thread that asked last
};

bool is_asynchronous = false;
uint32_t threads = 0;  // of the cluster
bool is_one_block = true;
std::vector<History> rows;  // by thread
std::vector<Agent> agents;
History cluster_gathering, cluster_complete;

void raise(std::vector<uint32_t>& to, const std::vector<uint32_t>& from) {
  if (to.size() < from.size()) to.resize(from.size());
  for (size_t i = 0; i < from.size(); i++) to[i] = std::max(to[i], from[i]);
}

void raise(History& to, const History& from) {
  raise(to.met, from.met);
  raise(to.fenced, from.fenced);
  to.fenced_epochs = std::max(to.fenced_epochs, from.fenced_epochs);
}

// From the first of these barriers on; what warps have met so far stays known.
void begin_asynchronous() {
  if (is_asynchronous) return;
  is_asynchronous = true;
  rows.assign(threads, {});
  for (uint32_t t = 0; t < threads; t++) {
    rows[t].met.assign(threads + most_agents, 0);
    rows[t].fenced.assign(threads + most_agents, 0);
    for (uint32_t l = 0; l < lanes_of_warp; l++)
      if (const uint32_t other = t / lanes_of_warp * lanes_of_warp + l; other < threads)
        rows[t].met[other] = known_of_warp(t, l);
  }
}

}  // namespace

bool has_agents() { return is_asynchronous; }

bool is_agent(unsigned number) { return number >= threads; }
Unit unit_of(unsigned number) { return agents[number - threads].unit; }
unsigned issuer_of(unsigned number) { return is_agent(number) ? agents[number - threads].issuer : number; }

bool happened_before(const Access& earlier, const Access& now) {
  const unsigned viewer = issuer_of(now.thread);
  if (earlier.thread == viewer) return true;
  if (!is_agent(earlier.thread) && earlier.epoch != now.epoch) return true;
  return rows[viewer].met[earlier.thread] >= earlier.clock;
}

bool is_fenced(const Access& earlier, const Access& now) {
  const History& row = rows[issuer_of(now.thread)];
  return earlier.epoch < row.fenced_epochs || row.fenced[earlier.thread] >= earlier.clock;
}

void start_order(uint32_t count, bool one_block) {
  is_asynchronous = false;
  threads = count;
  is_one_block = one_block;
  agents.clear();
  cluster_gathering = cluster_complete = {};
}

void meet(const unsigned* numbers, size_t count) {
  if (!is_asynchronous) return;
  History all;
  for (size_t i = 0; i < count; i++) {
    rows[numbers[i]].met[numbers[i]] = clocks[numbers[i]];
    raise(all, rows[numbers[i]]);
  }
  for (size_t i = 0; i < count; i++) {
    raise(rows[numbers[i]], all);
    clocks[numbers[i]]++;
  }
}

}  // namespace memory_check

using namespace memory_check;

void examine_release(const Thread& thread, History& into) {
  if (!on) return;
  begin_asynchronous();
  rows[thread.number].met[thread.number] = clocks[thread.number]++;
  raise(into, rows[thread.number]);
}

void examine_acquire(const Thread& thread, const History& from) {
  if (!on) return;
  begin_asynchronous();
  raise(rows[thread.number], from);
}

void examine_release(const Thread& thread, Mbarrier& barrier) { examine_release(thread, barrier.gathering); }
void examine_acquire(const Thread& thread, const Mbarrier& barrier) { examine_acquire(thread, barrier.complete); }

void examine_phase(Mbarrier& barrier) {
  if (!on) return;
  begin_asynchronous();
  raise(barrier.complete, barrier.gathering);
  barrier.gathering = {};
  if (!barrier.agent) return;
  barrier.complete.met.resize(threads + most_agents);
  uint32_t& met = barrier.complete.met[barrier.agent];
  met = std::max(met, barrier.arrived_clock);
}

void examine_mbarrier_init(Mbarrier& barrier, const void* code) {
  if (on) examine_uncounted(reinterpret_cast<const char*>(barrier.address), 8, true, code);
}

void examine_mbarrier_use(const Mbarrier& barrier, const void* code) {
  if (on) examine_uncounted(reinterpret_cast<const char*>(barrier.address), 8, false, code);
}

void examine_cluster_arrival(const Thread& thread) { examine_release(thread, cluster_gathering); }
void examine_cluster_barrier() {
  if (!on) return;
  cluster_complete = cluster_gathering;
  cluster_gathering = {};
}
void examine_cluster_wait(const Thread& thread) { examine_acquire(thread, cluster_complete); }

// Barriers of a block that is alone order everything by their number; in a cluster they order that block's threads.
void examine_barrier(const Worker& worker) {
  if (!on) return;
  if (is_one_block && !is_asynchronous) {
    epoch++;
    return;
  }
  begin_asynchronous();
  std::vector<unsigned> numbers(static_cast<size_t>(worker.thread_count()));
  for (size_t i = 0; i < numbers.size(); i++) numbers[i] = worker.threads[i].number;
  meet(numbers.data(), numbers.size());
  if (is_one_block) epoch++;
}

uint32_t new_agent(Unit unit) {
  if (!on) return 0;
  begin_asynchronous();
  if (agents.size() < most_agents) agents.push_back({unit, 0, 0});
  return threads + static_cast<uint32_t>(agents.size()) - 1;
}

uint32_t examine_agent(uint32_t agent, const char* address, size_t bytes, bool write, const void* code) {
  if (!on) return 0;
  settle();
  Agent& record = agents[agent - threads];
  Thread& thread = current_thread();
  record.issuer = thread.number;
  Memory* memory = memory_at(thread, address, bytes, write, code);
  if (!memory) return ++record.clock;
  const size_t offset = static_cast<size_t>(address - memory->region.begin);
  memory->refine(offset, bytes);
  if (!write) check_written(*memory, address, bytes, code);
  const Access now{current_run(), epoch, ++record.clock, static_cast<uint16_t>(agent), 0, code};
  check_races(*memory, offset, bytes, write, now);
  return record.clock;
}

void examine_waited(const Thread& thread, uint32_t agent, uint32_t clock) {
  if (!on || !agent) return;
  uint32_t& met = rows[thread.number].met[agent];
  met = std::max(met, clock);
}

}  // namespace kernelgate

extern "C" void kernelgate_proxy_fence() {
  using namespace kernelgate;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (!on || !kernelgate_current) return;
  begin_asynchronous();
  const Thread& thread = current_thread();
  History& row = rows[thread.number];
  row.met[thread.number] = clocks[thread.number]++;
  raise(row.fenced, row.met);
  row.fenced_epochs = std::max(row.fenced_epochs, epoch);
}
