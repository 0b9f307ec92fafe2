// What the parts of Hopper's asynchrony share: mbarriers, bulk copies, wgmma, and barriers of a cluster.
// An emulated copy is as late as it may be: it is made when a thread waits for it, so that a read before that finds what
// was there before.
#pragma once
#include "scheduler.h"
#include <string>

namespace kernelgate {

// At the start of a cluster: nothing is under way.
void forget_mbarriers();
void forget_bulk_copies();
void forget_wgmma();
// At its end: what nobody has waited for is a fault.
void check_bulk_copies_done();

// Gives threads that only ask whether an mbarrier's phase is complete the answer no; false where none asks.
bool answer_tests();
void report_stuck_mbarrier(const Thread& waiting);
std::string named_barrier_detail(const Thread& waiting);

// The shared memory that an address is in, of any block of the thread's cluster; ends the launch where there is none.
SharedObject& shared_at(uint64_t address, unsigned bytes, int line, Worker** owner = nullptr);
// The same place in another block's shared memory.
uint64_t place_in(Worker& worker, uint64_t address, int line);

}  // namespace kernelgate
