// Blocks, threads and launches: see scheduler.h for the idea.
#include "scheduler.h"
#include "report.h"
#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string.h>
#include <thread>

__thread kernelgate::ThreadState* kernelgate_current __attribute__((tls_model("initial-exec"))) = nullptr;

namespace kernelgate {

namespace {

enum class Order : int { normal = 0, reversed = 1, shuffled = 2 };

constexpr int invalid_value = 1, invalid_configuration = 9;  // cudaError's numbers
constexpr size_t shared_bytes_without_opt_in = 48 * 1024;
// Below this many threads an OS thread costs more to start than it saves.
constexpr uint64_t threads_worth_a_worker = 8192;

Order order = Order::normal;
uint64_t order_seed = 1;
int most_workers = 1;
int opted_in_bytes = 0;

int last_error = 0;
std::string last_error_detail;

std::atomic<bool> stop{false};
std::mutex failure_lock;
std::string failure;

std::mutex launch_lock;  // two launches at once are possible when a binding releases Python's lock
std::vector<std::unique_ptr<Worker>> workers;

// Not inlined: the address of a thread-local must be found anew after a switch.
__attribute__((noinline)) void set_current(Thread* thread) { kernelgate_current = thread; }

uint64_t next_random(uint64_t& state) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

}  // namespace

void fail(const std::string& sentence) {
  std::lock_guard<std::mutex> hold(failure_lock);
  if (!stop.exchange(true)) failure = sentence;
}
bool stopping() { return stop.load(std::memory_order_relaxed); }

std::string Worker::place(const Thread& thread) const {
  char text[160];
  const uint3 b = block.index, t = thread.index;
  snprintf(text, sizeof text, ", block (%u,%u,%u), thread (%u,%u,%u)", b.x, b.y, b.z, t.x, t.y, t.z);
  return std::string("kernel ") + site.kernel + text;
}

void Worker::prepare(const LaunchSite& launch_site, const LaunchShape& shape, void (*run)(void*), void* arguments,
                     const std::vector<int>& order_of_threads) {
  site = launch_site;
  block.block_dim = shape.block;
  block.grid_dim = shape.grid;
  block.worker = this;
  run_ = run;
  arguments_ = arguments;
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
    run_(arguments_);
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
  block.index = index;
  next_ = 0;
  alive_ = count_;
  ready_.clear();
  for (SharedObject& object : shared) object.in_use = false;
  for (int w = 0; w * lanes_of_warp < count_; w++) {
    const int lanes = std::min(lanes_of_warp, count_ - w * lanes_of_warp);
    waiting_[w] = 0;
    live_[w] = lanes == lanes_of_warp ? ~0u : (1u << lanes) - 1;
  }
  for (int i = 0; i < count_; i++) threads[i].status = Status::fresh;

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
      if (!release_barrier() && !release_collectives()) report_deadlock();
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
    fail(place(thread) + ": threads of one block wait at different __syncthreads(), " + site.unit + " lines " +
         std::to_string(std::min(first_line, thread.line)) + " and " + std::to_string(std::max(first_line, thread.line)));
    return true;
  }
  for (int i = 0; i < count_; i++) {
    Thread& thread = threads[order_[i]];
    if (thread.status != Status::at_barrier) continue;
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
  fail(place(*at_collective) + ": deadlock at a warp primitive, " + site.unit + " line " +
       std::to_string(at_collective->line) + ", mask " + mask + ": some lanes of the mask never arrive" +
       (at_barrier ? "; others wait at __syncthreads(), line " + std::to_string(at_barrier->line) : ""));
}

void* Worker::shared_memory(const void* slot, size_t bytes) {
  for (SharedObject& object : shared) {
    if (object.slot != slot || object.region.bytes != bytes) continue;
    if (!object.in_use) poison(object.region.begin, bytes);
    object.in_use = true;
    return object.region.begin;
  }
  Region region;
  if (!map_region(region, bytes, GuardedSide::end)) {
    fail(std::string("kernel ") + site.kernel + ": no memory for __shared__ objects");
    wait(*static_cast<Thread*>(kernelgate_current), Status::done);
  }
  shared.push_back({slot, region, true});
  return region.begin;
}

void Worker::abandon() {
  for (Fiber* fiber : all_) delete_fiber(fiber);
  all_.clear();
  idle_.clear();
}

namespace {

// The limits that a GPU checks at launch; a launch beyond them does not run and leaves CUDA's usual error.
bool within_limits(const LaunchSite& site, const LaunchShape& shape) {
  const dim3 g = shape.grid, b = shape.block;
  const uint64_t threads = uint64_t(b.x) * b.y * b.z;
  std::string why;
  int error = invalid_configuration;
  if (threads == 0) why = "blocks of no threads";
  else if (threads > most_threads || b.z > 64) why = "blocks of " + std::to_string(threads) + " threads; the limit is 1024, 64 of them in z";
  else if (uint64_t(g.x) * g.y * g.z == 0) why = "a grid of no blocks";
  else if (g.x > 0x7fffffffu || g.y > 65535 || g.z > 65535) why = "a grid beyond 2147483647 x 65535 x 65535";
  else if (shape.shared_bytes > shared_bytes_without_opt_in && shape.shared_bytes > size_t(opted_in_bytes)) {
    error = invalid_value;
    why = std::to_string(shape.shared_bytes) + " bytes of dynamic shared memory; above 49152 the kernel must opt in with cudaFuncSetAttribute";
  } else return true;
  last_error = error;
  last_error_detail = std::string("kernel ") + site.kernel + ", launched at " + site.unit + " line " + std::to_string(site.line) + ", asks for " + why;
  return false;
}

std::vector<int> thread_order(int count, uint64_t& random) {
  std::vector<int> indices(static_cast<size_t>(count));
  std::iota(indices.begin(), indices.end(), 0);
  if (order == Order::reversed) std::reverse(indices.begin(), indices.end());
  if (order == Order::shuffled)
    for (size_t i = indices.size(); i > 1; i--) std::swap(indices[i - 1], indices[next_random(random) % i]);
  return indices;
}

// The i-th block to run. Shuffled: i -> (i * step + start) mod blocks, a permutation because step and blocks are coprime.
struct BlockOrder {
  uint64_t blocks, step = 1, start = 0;
  BlockOrder(uint64_t count, uint64_t& random) : blocks(count) {
    if (order != Order::shuffled || count < 2) return;
    start = next_random(random) % count;
    do step = next_random(random) % count;
    while (std::gcd(step, count) != 1);
  }
  uint64_t operator()(uint64_t i) const {
    if (order == Order::reversed) return blocks - 1 - i;
    return static_cast<uint64_t>((static_cast<unsigned __int128>(i) * step + start) % blocks);
  }
};

void run_share(Worker& worker, const LaunchShape& shape, const BlockOrder& block_order, std::atomic<uint64_t>& next,
               uint64_t chunk) {
  use_signal_stack();
  const dim3 g = shape.grid;
  while (!stopping()) {
    const uint64_t first = next.fetch_add(chunk);
    const uint64_t last = std::min(first + chunk, block_order.blocks);
    if (first >= last) break;
    for (uint64_t i = first; i < last && !stopping(); i++) {
      const uint64_t k = block_order(i);
      worker.run_block({static_cast<unsigned>(k % g.x), static_cast<unsigned>(k / g.x % g.y),
                        static_cast<unsigned>(k / g.x / g.y)});
    }
  }
  set_current(nullptr);
}

}  // namespace

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

extern "C" void kernelgate_launch(const kernelgate::LaunchSite* site, const kernelgate::LaunchShape* shape,
                                  void (*run_thread)(void*), void* arguments) {
  using namespace kernelgate;
  if (kernelgate_current) {
    Thread& thread = *static_cast<Thread*>(kernelgate_current);
    Worker& worker = *thread.owner().worker;
    fail(worker.place(thread) + ": cannot be emulated: a kernel that launches a kernel, " + site->unit + " line " +
         std::to_string(site->line));
    worker.wait(thread, Status::done);
  }
  std::lock_guard<std::mutex> hold(launch_lock);
  if (!within_limits(*site, *shape)) return;
  const uint64_t blocks = uint64_t(shape->grid.x) * shape->grid.y * shape->grid.z;
  const int threads = static_cast<int>(shape->block.x * shape->block.y * shape->block.z);
  const uint64_t useful = std::max<uint64_t>(1, blocks * static_cast<uint64_t>(threads) / threads_worth_a_worker);
  const size_t share = static_cast<size_t>(std::min({static_cast<uint64_t>(most_workers), blocks, useful}));

  uint64_t random = order_seed * 6364136223846793005ull + 1442695040888963407ull;
  if (!random) random = 1;
  const std::vector<int> threads_in_order = thread_order(threads, random);
  const BlockOrder block_order(blocks, random);
  while (workers.size() < share) workers.push_back(std::make_unique<Worker>());
  for (size_t i = 0; i < share; i++) workers[i]->prepare(*site, *shape, run_thread, arguments, threads_in_order);

  std::atomic<uint64_t> next{0};
  const uint64_t chunk = std::max<uint64_t>(1, blocks / (share * 16));
  std::vector<std::thread> helpers;
  for (size_t i = 1; i < share; i++)
    helpers.emplace_back([&, i] { run_share(*workers[i], *shape, block_order, next, chunk); });
  run_share(*workers[0], *shape, block_order, next, chunk);
  for (std::thread& helper : helpers) helper.join();

  if (stop) {
    for (auto& worker : workers) worker->abandon();
    stop = false;
    throw std::runtime_error(failure);
  }
}

extern "C" int kernelgate_last_error(int clear) {
  const int error = kernelgate::last_error;
  if (clear) kernelgate::last_error = 0;
  return error;
}
extern "C" const char* kernelgate_last_error_detail() { return kernelgate::last_error_detail.c_str(); }
extern "C" void kernelgate_set_error(int error) {
  kernelgate::last_error = error;
  kernelgate::last_error_detail.clear();
}
// One limit for all kernels: the launch does not know which function asked.
extern "C" void kernelgate_allow_shared_bytes(int bytes) {
  kernelgate::opted_in_bytes = std::max(kernelgate::opted_in_bytes, bytes);
}
extern "C" void kernelgate_set_order(int order, uint64_t seed) {
  kernelgate::order = static_cast<kernelgate::Order>(order);
  kernelgate::order_seed = seed;
}
extern "C" void kernelgate_set_workers(int count) { kernelgate::most_workers = std::max(1, count); }
