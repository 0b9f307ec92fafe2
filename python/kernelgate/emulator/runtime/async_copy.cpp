// cp.async: copies that a thread has asked for, in groups, until it waits for them.
// They are made by the waiting thread and not before, so that a read without a wait finds what was there.
#include "examine.h"
#include "scheduler.h"
#include <deque>

namespace kernelgate {

namespace {

struct Requested {
  AsyncCopy copy;
  const void* code;  // that asked for it
};

struct Pending {
  std::vector<Requested> open;                   // since the last commit
  std::deque<std::vector<Requested>> committed;  // oldest first
  size_t taken = 0;                              // of the oldest
};

// An OS thread runs one block at a time, and no fiber moves while a thread is on it.
thread_local std::vector<Pending> pending;

Pending& mine() {
  if (pending.empty()) pending.resize(most_cluster_threads);
  return pending[current_thread().number];
}

}  // namespace

void forget_async_copies() { pending.clear(); }

}  // namespace kernelgate

// From here on the copy may overwrite what other threads still read.
extern "C" void kernelgate_async_copy(const kernelgate::AsyncCopy* copy) {
  kernelgate::examine_requested(static_cast<const char*>(copy->target), copy->bytes, __builtin_return_address(0));
  kernelgate::mine().open.push_back({*copy, __builtin_return_address(0)});
}

extern "C" void kernelgate_async_commit() {
  kernelgate::Pending& pending = kernelgate::mine();
  pending.committed.push_back(std::move(pending.open));
  pending.open.clear();
}

extern "C" const kernelgate::AsyncCopy* kernelgate_async_next(unsigned kept) {
  kernelgate::Pending& pending = kernelgate::mine();
  while (pending.committed.size() > kept) {
    if (pending.taken < pending.committed.front().size()) {
      const kernelgate::Requested& asked = pending.committed.front()[pending.taken++];
      kernelgate::examine_own(&asked.copy, sizeof asked.copy);
      kernelgate::examine_next_write_as(asked.code);
      return &asked.copy;
    }
    pending.committed.pop_front();
    pending.taken = 0;
  }
  return nullptr;
}
