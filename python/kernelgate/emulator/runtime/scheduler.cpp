// Blocks and their threads: see scheduler.h for the idea.
#include "scheduler.h"
#include "examine.h"
#include "findings.h"
#include <algorithm>
#include <atomic>
#include <mutex>
#include <stdio.h>
#include <sys/mman.h>

__thread kernelgate::ThreadState* kernelgate_current __attribute__((tls_model("initial-exec"))) = nullptr;
extern "C" {
__thread uint3 kernelgate_thread_index __attribute__((tls_model("initial-exec"))) = {};
__thread uint3 kernelgate_block_index __attribute__((tls_model("initial-exec"))) = {};
__thread dim3 kernelgate_block_dim __attribute__((tls_model("initial-exec")));
__thread dim3 kernelgate_grid_dim __attribute__((tls_model("initial-exec")));
}

namespace kernelgate {

namespace {

std::atomic<bool> stop{false};
std::mutex failure_lock;
std::string failure;

}  // namespace

// Not inlined: the address of a thread-local must be found anew after a switch.
__attribute__((noinline)) void set_current(Thread* thread) {
  kernelgate_current = thread;
  if (thread) kernelgate_thread_index = thread->index;
}

void fail(const std::string& sentence, Line* finding) {
  std::lock_guard<std::mutex> hold(failure_lock);
  if (stop.exchange(true)) return;
  failure = sentence;
  if (finding) add_finding(*finding);
}
bool stopping() { return stop.load(std::memory_order_relaxed); }
std::string take_failure() {
  stop = false;
  return failure;
}

std::string Worker::place(const Thread& thread) const {
  char text[160];
  const uint3 b = block.index, t = thread.index;
  snprintf(text, sizeof text, ", block (%u,%u,%u), thread (%u,%u,%u)", b.x, b.y, b.z, t.x, t.y, t.z);
  return std::string("kernel ") + site.kernel + text;
}

void Worker::prepare(const LaunchSite& launch_site, const LaunchShape& shape, void (*run)(void*),
                     const LaunchArguments& launch_arguments, const std::vector<int>& order_of_threads) {
  site = launch_site;
  block.block_dim = shape.block;
  block.grid_dim = shape.grid;
  block.worker = this;
  run_ = run;
  arguments = launch_arguments;
  order_ = order_of_threads.data();
  count_ = static_cast<int>(order_of_threads.size());
  dynamic_bytes_ = shape.shared_bytes;
  for (unsigned i = 0; i < static_cast<unsigned>(count_); i++) {
    Thread& thread = threads[i];
    thread.linear = i;
    thread.index = {i % shape.block.x, i / shape.block.x % shape.block.y, i / shape.block.x / shape.block.y};
    thread.block = &block;
  }
}

Fiber* Worker::idle_fiber() {
  if (idle_.empty()) {
    all_.push_back(new_fiber(this));
    return all_.back();
  }
  Fiber* fiber = idle_.back();
  idle_.pop_back();
  return fiber;
}

void Worker::thread_loop(Fiber* self) {
  while (next_ < count_ && !stopping()) {
    Thread& thread = threads[order_[next_++]];
    thread.fiber = self;
    set_current(&thread);
    run_(arguments.call);
    thread.status = Status::done;
    alive_--;
    live_[thread.linear / lanes_of_warp] &= ~(1u << thread.linear % lanes_of_warp);
  }
  idle_.push_back(self);
  kernelgate_switch(&self->stack_pointer, scheduler_stack_);
}

void Worker::wait(Thread& thread, Status status) {
  thread.status = status;
  kernelgate_switch(&thread.fiber->stack_pointer, scheduler_stack_);
}

void Worker::wake(Thread& thread) {
  thread.status = Status::ready;
  ready_.push_back(static_cast<int>(thread.linear));
}

void Worker::run_block(uint3 index) {
  block.index = kernelgate_block_index = index;
  kernelgate_block_dim = block.block_dim;
  kernelgate_grid_dim = block.grid_dim;
  examine_block(*this, count_);
  next_ = 0;
  alive_ = count_;
  ready_.clear();
  forget_async_copies();
  for (SharedObject& object : shared) object.in_use = false;
  for (int w = 0; w * lanes_of_warp < count_; w++) {
    const int lanes = std::min(lanes_of_warp, count_ - w * lanes_of_warp);
    waiting_[w] = 0;
    live_[w] = lanes == lanes_of_warp ? ~0u : (1u << lanes) - 1;
  }
  for (int i = 0; i < count_; i++) threads[i].status = Status::fresh, threads[i].passed = 0;

  size_t taken = 0;  // of ready_, which is a queue
  while (!stopping()) {
    if (taken < ready_.size()) {
      Thread& thread = threads[ready_[taken++]];
      if (taken == ready_.size()) ready_.clear(), taken = 0;
      set_current(&thread);
      running = thread.fiber;
    } else if (next_ < count_) {
      running = idle_fiber();
    } else if (alive_ == 0) {
      return;
    } else {
      if (!release_barrier() && !release_collectives() && !release_converged()) report_deadlock();
      continue;
    }
    kernelgate_switch(&scheduler_stack_, running->stack_pointer);
  }
}

bool Worker::release_barrier() {
  int waiting = 0, votes = 0, first_line = 0;
  for (int i = 0; i < count_; i++) {
    const Thread& thread = threads[i];
    if (thread.status != Status::at_barrier) continue;
    if (waiting++ == 0) first_line = thread.line;
    votes += thread.value != 0;
  }
  if (waiting != alive_) return false;
  for (int i = 0; i < count_; i++) {
    const Thread& thread = threads[i];
    if (thread.status != Status::at_barrier || thread.line == first_line) continue;
    const int lower = std::min(first_line, thread.line), upper = std::max(first_line, thread.line);
    Line line;
    line.text("kind", "barrier");
    describe_thread(line, thread);
    line.number("line", lower);
    line.number("other_line", upper);
    fail(place(thread) + ": threads of one block wait at different __syncthreads(), " + site.unit + " lines " +
             std::to_string(lower) + " and " + std::to_string(upper),
         &line);
    return true;
  }
  examine_barrier();
  for (int i = 0; waiting < count_ && i < count_; i++)
    if (threads[i].status == Status::done && threads[i].passed == first_line) examine_left_barrier(threads[i]);
  for (int i = 0; i < count_; i++) {
    Thread& thread = threads[order_[i]];
    if (thread.status != Status::at_barrier) continue;
    thread.passed = first_line;
    switch (static_cast<BarrierOp>(thread.op)) {
      case BarrierOp::count: thread.result = static_cast<uint64_t>(votes); break;
      case BarrierOp::all: thread.result = votes == waiting; break;
      default: thread.result = votes != 0;
    }
    wake(thread);
  }
  return true;
}

void Worker::report_deadlock() {
  const Thread *at_collective = nullptr, *at_barrier = nullptr;
  for (int i = 0; i < count_; i++) {
    if (threads[i].status == Status::at_collective && !at_collective) at_collective = &threads[i];
    if (threads[i].status == Status::at_barrier && !at_barrier) at_barrier = &threads[i];
  }
  if (!at_collective) return fail(std::string("kernel ") + site.kernel + ": deadlock");
  char mask[16];
  snprintf(mask, sizeof mask, "0x%08x", at_collective->mask);
  Line line;
  line.text("kind", "deadlock");
  describe_thread(line, *at_collective);
  line.number("line", at_collective->line);
  if (at_barrier) line.number("other_line", at_barrier->line);
  line.text("mask", mask);
  fail(place(*at_collective) + ": deadlock at a warp primitive, " + site.unit + " line " +
           std::to_string(at_collective->line) + ", mask " + mask + ": some lanes of the mask never arrive" +
           (at_barrier ? "; others wait at __syncthreads(), line " + std::to_string(at_barrier->line) : ""),
       &line);
}

void* Worker::shared_memory(const void* slot, size_t bytes) {
  for (SharedObject& object : shared) {
    if (object.slot != slot || object.region.bytes != bytes) continue;
    if (!object.in_use) poison(object.region);
    object.in_use = true;
    return object.region.begin;
  }
  Region region;
  // Below 4 GiB: programs keep addresses in shared memory in 32 bits (__cvta_generic_to_shared).
  if (!map_region(region, bytes, GuardedSide::end, true)) {
    fail(std::string("kernel ") + site.kernel + ": no memory for __shared__ objects");
    wait(*static_cast<Thread*>(kernelgate_current), Status::done);
  }
  shared.push_back({slot, region, true});
  return region.begin;
}

bool Worker::owns_stack(const char* address) const {
  for (const Fiber* fiber : all_)
    if (address >= fiber->mapping && address < fiber->mapping + Fiber::guard_bytes + Fiber::stack_bytes) return true;
  return false;
}

void Worker::abandon() {
  for (Fiber* fiber : all_) delete_fiber(fiber);
  all_.clear();
  idle_.clear();
}

}  // namespace kernelgate

extern "C" void kernelgate_fiber_main(kernelgate::Fiber* self) {
  for (;;) self->worker->thread_loop(self);
}

extern "C" int kernelgate_barrier(int op, int predicate, int line) {
  kernelgate::Thread& thread = *static_cast<kernelgate::Thread*>(kernelgate_current);
  thread.op = op;
  thread.value = static_cast<uint64_t>(predicate);
  thread.line = line;
  thread.owner().worker->wait(thread, kernelgate::Status::at_barrier);
  return static_cast<int>(thread.result);
}

extern "C" void* kernelgate_shared(const void* slot, size_t bytes) {
  return static_cast<kernelgate::Thread*>(kernelgate_current)->owner().worker->shared_memory(slot, bytes);
}

extern "C" void* kernelgate_dynamic_shared() {
  return static_cast<kernelgate::Thread*>(kernelgate_current)->owner().worker->dynamic_shared_memory();
}
