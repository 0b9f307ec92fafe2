// Blocks and their threads: see scheduler.h for the idea.
#include "scheduler.h"
#include "examine.h"
#include "findings.h"
#include "hopper.h"
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

void fail_at(const Thread& thread, const char* kind, int at, const std::string& detail, int other_line) {
  const Worker& worker = *thread.owner().worker;
  Line line;
  line.text("kind", kind);
  describe_thread(line, thread);
  line.number("line", at);
  if (other_line) line.number("other_line", other_line);
  if (!detail.empty()) line.text("detail", detail.c_str());
  std::string words = kind;
  std::replace(words.begin(), words.end(), '_', ' ');
  fail(worker.place(thread) + ": " + words + ", " + worker.site.unit + " line " + std::to_string(at) +
           (detail.empty() ? "" : ": " + detail),
       &line);
}

void end_here(const char* kind, int line, const std::string& detail, int other_line) {
  Thread& thread = current_thread();
  fail_at(thread, kind, line, detail, other_line);
  thread.owner().worker->wait(thread, Status::done);
  __builtin_unreachable();
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
    thread.number = rank * numbers() + i;
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

void Worker::begin_block(uint3 index) {
  block.index = index;
  next_ = 0;
  alive_ = count_;
  ready_.clear();
  taken_ = 0;
  for (SharedObject& object : shared) object.in_use = false;
  for (int w = 0; w * lanes_of_warp < count_; w++) {
    const int lanes = std::min(lanes_of_warp, count_ - w * lanes_of_warp);
    waiting_[w] = 0;
    live_[w] = lanes == lanes_of_warp ? ~0u : (1u << lanes) - 1;
  }
  for (int i = 0; i < count_; i++) threads[i].status = Status::fresh, threads[i].passed = 0;
}

bool Worker::advance() {
  kernelgate_block_index = block.index;
  kernelgate_block_dim = block.block_dim;
  kernelgate_grid_dim = block.grid_dim;
  bool ran = false;
  while (!stopping() && alive_ != 0) {
    if (taken_ < ready_.size()) {  // ready_ is a queue
      Thread& thread = threads[ready_[taken_++]];
      if (taken_ == ready_.size()) ready_.clear(), taken_ = 0;
      set_current(&thread);
      running = thread.fiber;
    } else if (next_ < count_) {
      running = idle_fiber();
    } else {
      if (!release_barrier() && !release_collectives() && !release_converged()) break;
      ran = true;
      continue;
    }
    ran = true;
    kernelgate_switch(&scheduler_stack_, running->stack_pointer);
  }
  return ran;
}

bool Worker::release_barrier() {
  int waiting = 0, votes = 0, first_line = 0;
  for (int i = 0; i < count_; i++) {
    const Thread& thread = threads[i];
    if (thread.status != Status::at_barrier) continue;
    if (waiting++ == 0) first_line = thread.line;
    votes += thread.value != 0;
  }
  if (waiting == 0 || waiting != alive_) return false;
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
  examine_barrier(*this);
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
  const Thread* first[static_cast<int>(Status::done)] = {};
  for (int i = count_ - 1; i >= 0; i--)
    if (threads[i].status != Status::done) first[static_cast<int>(threads[i].status)] = &threads[i];
  const Thread* at_barrier = first[static_cast<int>(Status::at_barrier)];
  const int other_line = at_barrier ? at_barrier->line : 0;
  if (const Thread* waiting = first[static_cast<int>(Status::at_mbarrier)]) return report_stuck_mbarrier(*waiting);
  if (const Thread* waiting = first[static_cast<int>(Status::at_named_barrier)])
    return fail_at(*waiting, "named_barrier", waiting->line, named_barrier_detail(*waiting), other_line);
  if (const Thread* waiting = first[static_cast<int>(Status::at_wgmma)])
    return fail_at(*waiting, "wgmma_warps", waiting->line, "", other_line);
  const Thread* at_collective = first[static_cast<int>(Status::at_collective)];
  if (const Thread* waiting = first[static_cast<int>(Status::at_cluster_barrier)]; waiting && !at_collective)
    return cluster->is_grid ? fail_at(*waiting, "grid_barrier", waiting->line, "some blocks do not come", other_line)
                            : fail_at(*waiting, "cluster_barrier", waiting->line, "", other_line);
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

// Below 4 GiB: programs keep addresses in shared memory in 32 bits (__cvta_generic_to_shared). Matrix descriptors have the
// lower 18 bits only, so that objects of one block should differ in them; in the last resort one is placed anywhere.
bool Worker::map_shared(Region& region, size_t bytes) {
  constexpr uintptr_t window = 1 << 18;
  const auto is_apart = [&](const Region& region) {
    return std::none_of(shared.begin(), shared.end(), [&](const SharedObject& other) {
      const uintptr_t a = reinterpret_cast<uintptr_t>(region.mapping);
      const uintptr_t b = reinterpret_cast<uintptr_t>(other.region.mapping);
      return (a - b) % window < other.region.mapped_bytes || (b - a) % window < region.mapped_bytes;
    });
  };
  std::vector<Region> refused;
  bool found = map_region(region, bytes, GuardedSide::end, true);
  while (found && !is_apart(region) && refused.size() < 64) {
    refused.push_back(region);
    if (map_region(region, bytes, GuardedSide::end, true)) continue;
    region = refused.back();  // none is left: this one will do
    refused.pop_back();
    break;
  }
  for (const Region& other : refused) unmap_region(other);
  return found;
}

void* Worker::shared_memory(const void* slot, size_t bytes) {
  for (SharedObject& object : shared) {
    if (object.slot != slot || object.region.bytes != bytes) continue;
    if (!object.in_use) poison(object.region, undefined_pattern());
    if (!object.in_use) {
      object.in_use = true;
      check_declared_bytes();
    }
    return object.region.begin;
  }
  Region region;
  if (!map_shared(region, bytes)) {
    fail(std::string("kernel ") + site.kernel + ": no memory for __shared__ objects");
    wait(*static_cast<Thread*>(kernelgate_current), Status::done);
  }
  poison(region, undefined_pattern());
  shared.push_back({slot, region, true});
  check_declared_bytes();
  return region.begin;
}

// What a block has used of the __shared__ objects that have a size of their own: ptxas refuses more than this limit. A
// launch has no more of it together with what it asks for, unless the kernel has opted in.
void Worker::check_declared_bytes() {
  size_t bytes = 0;
  for (const SharedObject& object : shared)
    if (object.in_use && object.slot) bytes += object.region.bytes;
  const bool too_large = bytes > shared_bytes_without_opt_in;
  const size_t whole = bytes + dynamic_bytes_;
  if (!too_large && (whole <= shared_bytes_without_opt_in || has_opted_in(site, dynamic_bytes_))) return;
  const std::string why = too_large
                              ? std::to_string(bytes) + " bytes of static shared memory; the limit is 49152"
                              : std::to_string(whole) + " bytes of shared memory, " + std::to_string(bytes) +
                                    " of them static; above 49152 the kernel must opt in with cudaFuncSetAttribute";
  Line line;
  line.text("kind", "launch");
  line.text("kernel", site.kernel);
  line.text("launch_unit", site.unit);
  line.number("launch_line", site.line);
  line.number("line", site.line);
  line.text("detail", why.c_str());
  line.text("limit", too_large ? "static shared memory" : "dynamic shared memory");
  fail(std::string("kernel ") + site.kernel + " asks for " + why, &line);
  wait(*static_cast<Thread*>(kernelgate_current), Status::done);
}

SharedObject* Worker::object_at(uint64_t address) {
  const char* at = reinterpret_cast<const char*>(address);
  for (SharedObject& object : shared)
    if (object.in_use && object.region.holds(at)) return &object;
  return nullptr;
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
