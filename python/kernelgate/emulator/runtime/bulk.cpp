// Bulk copies and copies of tensors' tiles: see hopper.h. Those to shared memory arrive when the phase of their mbarrier is
// waited for; those to global memory are made by the thread that waits for its groups.
#include "examine.h"
#include "hopper.h"
#include "mbarrier.h"
#include <deque>
#include <map>
#include <string.h>

namespace kernelgate {

namespace {

struct Asked {
  BulkStore store;
  uint32_t clock;
};

struct Stores {
  std::vector<Asked> open;                   // since the last commit
  std::deque<std::vector<Asked>> committed;  // oldest first
  size_t taken = 0;                          // of the oldest
  uint32_t agent = 0;
};
thread_local std::map<const Thread*, Stores> stores;
thread_local std::vector<uint64_t> scratch;

constexpr unsigned piece_bytes = 16;

// Pieces of 16 bytes change places as the bits of their address say.
uint64_t place_of(uint64_t address, unsigned swizzle) { return address ^ (address >> 7 & swizzle) << 4; }

void fetch_to(const BulkCopy& copy, uint64_t target, uint64_t barrier_at, int line, const void* code) {
  Worker* owner = nullptr;
  shared_at(target, copy.bytes, line, &owner);
  Mbarrier& barrier = mbarrier_at(barrier_at, line);
  if (owner->has_ended()) end_here("cluster_exit", line, "");
  examine_mbarrier_use(barrier, code);
  if (!barrier.agent) barrier.agent = new_agent(Unit::copy);
  const uint32_t clock = examine_agent(barrier.agent, reinterpret_cast<const char*>(target), copy.bytes, true, code);
  barrier.copies.push_back({target, copy.swizzle, std::string(copy.data, copy.bytes), clock});
  if (!barrier.waiting.empty()) advance_mbarrier(barrier);
}

}  // namespace

void make_copies(Mbarrier& barrier) {
  for (const PendingCopy& copy : barrier.copies) {
    for (uint64_t at = 0; at < copy.data.size(); at += piece_bytes)
      memcpy(reinterpret_cast<void*>(place_of(copy.target + at, copy.swizzle)), copy.data.data() + at, piece_bytes);
    barrier.expected_bytes -= static_cast<int64_t>(copy.data.size());
    barrier.arrived_clock = copy.clock;
  }
  barrier.copies.clear();
}

void forget_bulk_copies() { stores.clear(); }

// A block may end only when its shared memory has been read: what is left of its stores has no thread that waits.
void check_bulk_copies_done() {
  for (const auto& [thread, left] : stores) {
    const Asked* first = !left.open.empty() ? &left.open.front() : nullptr;
    if (!left.committed.empty()) first = &left.committed.front()[left.taken];
    if (first) return fail_at(*thread, "store_unfinished", first->store.line, "");
  }
}

}  // namespace kernelgate

using namespace kernelgate;

extern "C" char* kernelgate_scratch(unsigned bytes) {
  scratch.assign(bytes / 8 + 4, 0);
  char* first = reinterpret_cast<char*>(scratch.data());
  first += (16 - reinterpret_cast<uintptr_t>(first) % 16) % 16;
  examine_own(scratch.data(), scratch.size() * 8);
  return first;
}

extern "C" void kernelgate_bulk_fetch(const BulkCopy* copy, int line) {
  const void* code = __builtin_return_address(0);
  Cluster& cluster = *current_thread().owner().worker->cluster;
  if (!copy->mask) return fetch_to(*copy, copy->target, copy->barrier, line, code);
  for (unsigned rank = 0; rank < 16; rank++) {
    if (!(copy->mask >> rank & 1)) continue;
    if (rank >= cluster.members.size())
      end_here("cluster_rank", line,
               "block " + std::to_string(rank) + " of a cluster of " + std::to_string(cluster.members.size()));
    Worker& member = *cluster.members[rank];
    fetch_to(*copy, place_in(member, copy->target, line), place_in(member, copy->barrier, line), line, code);
  }
}

extern "C" void kernelgate_bulk_store(const BulkStore* store) {
  const void* code = __builtin_return_address(0);
  Stores& mine = stores[&current_thread()];
  if (!mine.agent) mine.agent = new_agent(Unit::copy);
  shared_at(store->source, store->bytes, store->line);
  const uint32_t clock =
      examine_agent(mine.agent, reinterpret_cast<const char*>(store->source), store->bytes, false, code);
  mine.open.push_back({*store, clock});
}

extern "C" void kernelgate_bulk_commit() {
  Stores& mine = stores[&current_thread()];
  if (mine.open.empty()) return;
  mine.committed.push_back(std::move(mine.open));
  mine.open.clear();
}

extern "C" int kernelgate_bulk_next(unsigned kept, BulkStore* store) {
  Stores& mine = stores[&current_thread()];
  while (mine.committed.size() > kept) {
    if (mine.taken < mine.committed.front().size()) {
      const Asked& asked = mine.committed.front()[mine.taken++];
      examine_waited(current_thread(), mine.agent, asked.clock);
      *store = asked.store;
      return 1;
    }
    mine.committed.pop_front();
    mine.taken = 0;
  }
  return 0;
}
