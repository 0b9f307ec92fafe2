// A memory check watches every access of a kernel: is it inside its memory, was what it reads ever written, and did
// another thread touch the same bytes with no order between the two?
// In: accesses, from the call-backs of code that was compiled to call them, and what orders them, from the scheduler.
// Out: findings. A kernel that was compiled plainly is not examined.
#pragma once
#include "order.h"
#include "scheduler.h"
#include "shadow.h"

namespace kernelgate {

bool examining();
const void* last_code();  // where the last access was made

// `frame`: of the runtime, which host code has called.
void examine_launch(const void* frame, const LaunchSite& site, const void* stream);
void examine_barrier(const Worker& worker);  // all threads of the block have met
// These lanes have met; `first` is the first lane's number in its cluster.
void examine_collective(unsigned first, unsigned lanes);

void examine_access(const void* address, size_t bytes, bool write, unsigned marks, const void* code);
// The same, and it is no access that a GPU's memory would be asked for.
void examine_uncounted(const char* address, size_t bytes, bool write, const void* code);
// A copy that may be made from now on, and is not made yet.
void examine_requested(const char* address, size_t bytes, const void* code);
// Of the thread's own stack, where a sum of wgmma may be.
void examine_sum(const Thread& thread, const char* address, size_t bytes, bool write, const void* code);
void examine_fence();
// Work of a stream that no kernel does: it begins, and what it reads and writes. `what` it is, in words.
void begin_host_work(const void* stream);
void examine_host_work(const void* begin, size_t bytes, bool write, const void* code, const char* what);
void examine_left_barrier(const Thread& ended);  // others wait once more at the barrier that it passed last
void examine_absent_lane(const Thread& reader);  // a shuffle takes the value of a lane that is not there
// A computation of the current thread left 32 bits; reported if an access goes astray afterwards.
void note_overflow(const void* code);
class Line;
void examine_overflow(Line& line, const Thread& thread);  // where it was, of an access that has trapped
// A finding of the current thread that no access shows; `ends` where going on would trap.
void report_here(const char* kind, const void* code, bool ends, const char* detail = nullptr);

// A write conflicts with another access only if it changes something, which shows once it has been made: looks now.
void settle();
void settle_all();  // and decides on what depends on how a thread goes on: none does
// A kernel may read this: the runtime has given it.
void examine_own(const void* memory, size_t bytes);
// The next write is made where the thread waits for a copy, and belongs to the line that has asked for it.
void examine_next_write_as(const void* code);
void forget_recent();  // the memory looked at last may be gone

}  // namespace kernelgate
