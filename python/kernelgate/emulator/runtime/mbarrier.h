// One mbarrier: how far its phase is, who waits for it, and the copies whose bytes it waits for.
#pragma once
#include "order.h"
#include "scheduler.h"
#include <string>

namespace kernelgate {

struct PendingCopy {
  uint64_t target;
  unsigned swizzle;
  std::string data;
  uint32_t clock;  // of the mbarrier's copies, as a memory check counts them
};

struct Mbarrier {
  uint64_t address;
  unsigned count, pending;     // arrivals of a phase, and those that have not come
  int64_t expected_bytes = 0;  // less those that have arrived
  uint64_t phase = 0;          // complete ones
  int line = 0;                // of its init
  std::vector<PendingCopy> copies;
  std::vector<Thread*> waiting;
  History gathering, complete;  // what the threads that arrive have done
  uint32_t agent = 0;           // its copies, as one that accesses memory
  uint32_t arrived_clock = 0;   // of the last copy that was made
};

Mbarrier& mbarrier_at(uint64_t address, int line);  // ends the launch where none was made
// Makes the copies that have been asked for: their bytes arrive.
void make_copies(Mbarrier& barrier);
// Begins the next phase if the present one is complete, and wakes who waits for it.
void advance_mbarrier(Mbarrier& barrier);

}  // namespace kernelgate
