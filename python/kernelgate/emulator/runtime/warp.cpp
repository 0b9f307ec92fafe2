// Warp collectives: each lane leaves what it brings; the last to arrive computes the results of all.
#include "examine.h"
#include "findings.h"
#include "scheduler.h"

namespace kernelgate {

// Lanes of the thread's collective when every live lane of its mask is there with the same call, else 0.
unsigned Worker::complete_group(const Thread& thread) const {
  const unsigned warp = thread.linear / lanes_of_warp;
  const unsigned needed = thread.mask & live_[warp];
  if ((waiting_[warp] & needed) != needed) return 0;
  const Thread* lanes = &threads[warp * lanes_of_warp];
  for (int l = 0; l < lanes_of_warp; l++)
    if (needed >> l & 1)
      if (lanes[l].mask != thread.mask || lanes[l].op != thread.op) return 0;
  return needed;
}

static int source_lane(WarpOp op, int lane, int parameter, int width) {
  const int first = lane & ~(width - 1), last = first + width - 1;
  switch (op) {
    case WarpOp::shuffle: return first + (parameter & (width - 1));
    case WarpOp::shuffle_up: return lane - parameter < first ? lane : lane - parameter;
    case WarpOp::shuffle_down: return lane + parameter > last ? lane : lane + parameter;
    default: return (lane ^ parameter) > last ? lane : lane ^ parameter;
  }
}

static uint32_t combine(WarpOp op, uint32_t a, uint32_t b) {
  switch (op) {
    case WarpOp::add: return a + b;
    case WarpOp::min_signed: return static_cast<int32_t>(a) < static_cast<int32_t>(b) ? a : b;
    case WarpOp::max_signed: return static_cast<int32_t>(a) > static_cast<int32_t>(b) ? a : b;
    case WarpOp::min_unsigned: return a < b ? a : b;
    case WarpOp::max_unsigned: return a > b ? a : b;
    case WarpOp::bit_and: return a & b;
    case WarpOp::bit_or: return a | b;
    default: return a ^ b;
  }
}

void Worker::finish_collective(unsigned warp, unsigned lanes) {
  Thread* lane = &threads[warp * lanes_of_warp];
  const int lowest = __builtin_ctz(lanes);
  const WarpOp op = static_cast<WarpOp>(lane[lowest].op);
  if (op != WarpOp::converged) examine_collective(lane[0].number, lanes);
  if (op == WarpOp::together) {
    Together* records[lanes_of_warp] = {};
    for (int l = 0; l < lanes_of_warp; l++)
      if (lanes >> l & 1) records[l] = reinterpret_cast<Together*>(lane[l].value);
    records[lowest]->run(records, lanes);
  }
  uint64_t brought[lanes_of_warp];
  unsigned votes = 0, equal_to_lowest = 0;
  uint32_t combined = static_cast<uint32_t>(lane[lowest].value);
  for (int l = 0; l < lanes_of_warp; l++) {
    const bool here = lanes >> l & 1;
    // A lane outside the group: its value is undefined on a GPU, poison here.
    brought[l] = here ? lane[l].value : undefined_pattern();
    if (!here) continue;
    votes |= (lane[l].value != 0 ? 1u : 0u) << l;
    equal_to_lowest |= (lane[l].value == lane[lowest].value ? 1u : 0u) << l;
    if (l != lowest) combined = combine(op, combined, static_cast<uint32_t>(lane[l].value));
  }
  for (int l = 0; l < lanes_of_warp; l++) {
    if (!(lanes >> l & 1)) continue;
    switch (op) {
      case WarpOp::shuffle:
      case WarpOp::shuffle_up:
      case WarpOp::shuffle_down:
      case WarpOp::shuffle_xor: {
        const int source = source_lane(op, l, lane[l].parameter, lane[l].width) & (lanes_of_warp - 1);
        lane[l].result = brought[source];
        if (!(lanes >> source & 1)) examine_absent_lane(lane[l]);
        break;
      }
      case WarpOp::ballot: lane[l].result = votes; break;
      case WarpOp::any: lane[l].result = votes != 0; break;
      case WarpOp::all: lane[l].result = votes == lanes; break;
      case WarpOp::sync:
      case WarpOp::together: lane[l].result = 0; break;
      case WarpOp::converged: lane[l].result = lanes; break;
      case WarpOp::match_all: lane[l].result = equal_to_lowest == lanes ? lanes : 0; break;
      case WarpOp::match_any:
        lane[l].result = 0;
        for (int k = 0; k < lanes_of_warp; k++)
          if (lanes >> k & 1 && lane[k].value == lane[l].value) lane[l].result |= 1u << k;
        break;
      default: lane[l].result = combined;
    }
  }
  if (op == WarpOp::together) examine_collective(lane[0].number, lanes);
  waiting_[warp] &= ~lanes;
  for (int l = 0; l < lanes_of_warp; l++)
    if (lanes >> l & 1 && lane[l].status == Status::at_collective) wake(lane[l]);
}

uint64_t Worker::collective(Thread& thread) {
  const unsigned warp = thread.linear / lanes_of_warp;
  const unsigned self = 1u << thread.linear % lanes_of_warp;
  if (!(thread.mask & self)) {
    Line line;
    line.text("kind", "mask");
    describe_thread(line, thread);
    line.number("line", thread.line);
    fail(place(thread) + ": the calling lane is not in its own mask, line " + std::to_string(thread.line), &line);
    wait(thread, Status::at_collective);
  }
  waiting_[warp] |= self;
  if (const unsigned group = complete_group(thread)) {
    finish_collective(warp, group);  // this lane is running, hence not woken
  } else {
    wait(thread, Status::at_collective);
  }
  return thread.result;
}

static bool is_converging(const Thread& thread) { return static_cast<WarpOp>(thread.op) == WarpOp::converged; }

void Worker::converge(Thread& thread) {
  waiting_[thread.linear / lanes_of_warp] |= 1u << thread.linear % lanes_of_warp;
  wait(thread, Status::at_collective);
}

bool Worker::release_collectives() {
  bool released = false;
  for (int i = 0; i < count_; i++) {
    if (threads[i].status != Status::at_collective || is_converging(threads[i])) continue;
    if (const unsigned group = complete_group(threads[i])) {
      finish_collective(static_cast<unsigned>(i / lanes_of_warp), group);
      released = true;
    }
  }
  return released;
}

// Which lanes run together at a place is known only once nothing else can go on: a lane may still be on its way.
bool Worker::release_converged() {
  for (int i = 0; i < count_; i++) {
    if (threads[i].status != Status::at_collective || !is_converging(threads[i])) continue;
    const unsigned warp = static_cast<unsigned>(i / lanes_of_warp);
    const Thread* lanes = &threads[warp * lanes_of_warp];
    unsigned group = 0;
    for (int l = 0; l < lanes_of_warp; l++)
      if (waiting_[warp] >> l & 1 && is_converging(lanes[l]) && lanes[l].line == threads[i].line) group |= 1u << l;
    finish_collective(warp, group);
    return true;
  }
  return false;
}

}  // namespace kernelgate

extern "C" uint64_t kernelgate_warp(int op, unsigned mask, uint64_t value, int parameter, int width, int line) {
  kernelgate::Thread& thread = *static_cast<kernelgate::Thread*>(kernelgate_current);
  thread.op = op;
  thread.mask = mask;
  thread.value = value;
  thread.parameter = parameter;
  thread.width = width;
  thread.line = line;
  return thread.owner().worker->collective(thread);
}

extern "C" void kernelgate_absent_lane(int line) {
  kernelgate::Thread& thread = *static_cast<kernelgate::Thread*>(kernelgate_current);
  thread.line = line;
  kernelgate::examine_absent_lane(thread);
}

extern "C" unsigned kernelgate_converged_lanes(int line) {
  using namespace kernelgate;
  Thread& thread = *static_cast<Thread*>(kernelgate_current);
  thread.op = static_cast<int>(WarpOp::converged);
  thread.mask = 0;
  thread.value = 0;
  thread.line = line;
  thread.owner().worker->converge(thread);
  return static_cast<unsigned>(thread.result);
}
