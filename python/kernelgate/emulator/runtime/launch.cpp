// Launches: what a GPU checks first, the order of blocks and threads, and their share for each OS thread.
#include "costs.h"
#include "examine.h"
#include "graphs.h"
#include "launch.h"
#include "line.h"
#include "report.h"
#include "scheduler.h"
#include "watchdog.h"
#include <algorithm>
#include <cxxabi.h>
#include <dlfcn.h>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string.h>
#include <thread>

namespace kernelgate {

namespace {

enum class Order : int { normal = 0, reversed = 1, shuffled = 2 };

constexpr int invalid_value = 1, invalid_configuration = 9, cooperative_too_large = 720;  // cudaError's numbers
// Below this many threads an OS thread costs more to start than it saves.
constexpr uint64_t threads_worth_a_worker = 8192;

// What a block and a thread cost on one OS thread if they do nothing: a quarter of what was measured.
constexpr double least_block_s = 20e-9, least_thread_s = 2.5e-9;

Order order = Order::normal;
uint64_t order_seed = 1;
int most_workers = 1;
std::map<std::string, int> opted_in;  // most dynamic shared memory, by the kernel's name; "" for one that is not known
uint64_t launches = 0;
bool skips_launches = false;

int last_error = 0;
bool looked_at = false;  // by the program
std::string last_error_detail;
std::string failed_launch;  // as a finding

std::mutex launch_lock;  // two launches at once are possible when a binding releases Python's lock
std::vector<std::unique_ptr<Worker>> workers;
dim3 wanted_cluster;  // by the kernel that runs, where it is not what it was launched with
std::atomic<bool> begins_anew{false};

uint64_t next_random(uint64_t& state) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

// The emulated device has 4 multiprocessors; each holds 2048 threads and 32 blocks (device_properties() says the same).
uint64_t blocks_side_by_side(uint64_t threads) {
  constexpr uint64_t multiprocessors = 4, most_of_one = 32, threads_of_one = 2048;
  return multiprocessors * std::min(most_of_one, threads_of_one / ((threads + 31) / 32 * 32));
}

// The last name before the arguments: of "void space::scale<4>(float*)", or of what stands before <<<.
std::string last_name(const std::string& text) {
  std::string name;
  int depth = 0;
  for (const char c : text) {
    if (c == '(' && depth == 0) break;
    depth += (c == '<') - (c == '>');
    if (depth || c == '>') continue;
    if (isalnum(static_cast<unsigned char>(c)) || c == '_') name += c;
    else name.clear();
  }
  return name;
}

// A launch by a variable that holds a kernel may be of any.
size_t opted_in_bytes(const LaunchSite& site) {
  const std::string name = last_name(site.kernel);
  int most = 0;
  for (const auto& [kernel, bytes] : opted_in)
    if (kernel.empty() || kernel == name || !*site.parameters) most = std::max(most, bytes);
  return static_cast<size_t>(most);
}

// The limits that a GPU checks at launch; a launch beyond them does not run and leaves CUDA's usual error.
bool within_limits(const LaunchSite& site, const LaunchShape& shape) {
  const dim3 g = shape.grid, b = shape.block;
  const uint64_t threads = uint64_t(b.x) * b.y * b.z;
  std::string why;
  const char* limit = nullptr;  // which one, where there is a way to keep it
  int error = invalid_configuration;
  if (threads == 0) {
    why = "blocks of no threads";
  } else if (threads > most_threads || b.z > 64) {
    limit = "threads";
    why = "blocks of " + std::to_string(threads) + " threads; the limit is 1024, and 64 in z";
  } else if (uint64_t(g.x) * g.y * g.z == 0) {
    limit = "blocks";
    why = "a grid of no blocks";
  } else if (g.x > 0x7fffffffu || g.y > 65535 || g.z > 65535) {
    why = "a grid beyond 2147483647 x 65535 x 65535";
  } else if (shape.shared_bytes > shared_bytes_without_opt_in && shape.shared_bytes > opted_in_bytes(site)) {
    error = invalid_value;
    limit = "dynamic shared memory";
    why = std::to_string(shape.shared_bytes) +
          " bytes of dynamic shared memory; above 49152 the kernel must opt in with cudaFuncSetAttribute";
    if (!opted_in.empty()) why += ", and this one has not";
  } else if (const uint64_t most = blocks_side_by_side(threads); shape.cooperative) {
    if (uint64_t(g.x) * g.y * g.z <= most) return true;
    error = cooperative_too_large;
    why = "a cooperative grid of " + std::to_string(uint64_t(g.x) * g.y * g.z) + " blocks; " + std::to_string(most) +
          " of this size run side by side on a device of 4 multiprocessors";
  } else if (const dim3 c = shape.cluster; c.x * c.y * c.z > most_blocks_of_cluster || c.x * c.y * c.z == 0) {
    why = "clusters of " + std::to_string(c.x * c.y * c.z) + " blocks; the limit is 16, and 8 without an attribute";
  } else if (g.x % c.x || g.y % c.y || g.z % c.z) {
    why = "a grid that is no multiple of its clusters";
  } else {
    return true;
  }
  last_error = error;
  note_failed_launch(site, why, limit);
  last_error_detail = std::string("kernel ") + site.kernel + ", launched at " + site.unit + " line " +
                      std::to_string(site.line) + ", asks for " + why;
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

// The i-th block to run. Shuffled: i -> (i * step + start) mod blocks, a permutation as step and blocks are coprime.
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

void run_share(Cluster& cluster, const LaunchShape& shape, const BlockOrder& order_of_clusters,
               std::atomic<uint64_t>& next, uint64_t chunk) {
  use_signal_stack();
  const dim3 c = shape.cluster, g(shape.grid.x / c.x, shape.grid.y / c.y, shape.grid.z / c.z);
  while (!stopping()) {
    const uint64_t first = next.fetch_add(chunk);
    const uint64_t last = std::min(first + chunk, order_of_clusters.blocks);
    if (first >= last) break;
    for (uint64_t i = first; i < last && !stopping(); i++) {
      const uint64_t k = order_of_clusters(i);
      cluster.run({static_cast<unsigned>(k % g.x) * c.x, static_cast<unsigned>(k / g.x % g.y) * c.y,
                   static_cast<unsigned>(k / g.x / g.y) * c.z});
    }
  }
  set_current(nullptr);
}

// The clusters of one launch, a share for each OS thread.
void run_clusters(const LaunchSite& site, const LaunchShape& shape, void (*run_thread)(void*),
                  const LaunchArguments& arguments, const std::vector<int>& threads_in_order, size_t share,
                  const BlockOrder& order_of_clusters) {
  const size_t size = shape.cluster.x * shape.cluster.y * shape.cluster.z;
  while (workers.size() < share * size) workers.push_back(std::make_unique<Worker>());
  std::vector<Cluster> clusters(share);
  for (size_t i = 0; i < share * size; i++) {
    Worker& worker = *workers[i];
    worker.cluster = &clusters[i / size];
    worker.rank = static_cast<unsigned>(i % size);
    worker.cluster->shape = shape.cluster;
    worker.cluster->is_grid = shape.cooperative;
    worker.cluster->members.push_back(&worker);
    worker.prepare(site, shape, run_thread, arguments, threads_in_order);
  }
  std::atomic<uint64_t> next{0};
  const uint64_t chunk = std::max<uint64_t>(1, order_of_clusters.blocks / (share * 16));
  std::vector<std::thread> helpers;
  for (size_t i = 1; i < share; i++)
    helpers.emplace_back([&, i] { run_share(clusters[i], shape, order_of_clusters, next, chunk); });
  run_share(clusters[0], shape, order_of_clusters, next, chunk);
  for (std::thread& helper : helpers) helper.join();
}

// Throws what has failed, unless it begins anew in clusters.
void run_launch(const LaunchSite& site, const LaunchShape& shape, void (*run_thread)(void*),
                const LaunchArguments& arguments) {
  const uint64_t blocks = uint64_t(shape.grid.x) * shape.grid.y * shape.grid.z;
  const uint64_t units = blocks / (shape.cluster.x * shape.cluster.y * shape.cluster.z);
  const int threads = static_cast<int>(shape.block.x * shape.block.y * shape.block.z);
  const uint64_t useful = std::max<uint64_t>(1, blocks * static_cast<uint64_t>(threads) / threads_worth_a_worker);
  // A memory check has one record of who did what, and so one OS thread.
  const uint64_t most = examining() ? 1 : static_cast<uint64_t>(most_workers);
  const size_t share = static_cast<size_t>(std::min({most, units, useful}));

  const double least_s =
      static_cast<double>(blocks) * (least_block_s + least_thread_s * threads) / static_cast<double>(share);
  if (launch_limit_s() > 0 && least_s > launch_limit_s())
    end_before(site, (std::to_string(blocks) + " blocks of " + std::to_string(threads) + " threads").c_str());

  uint64_t random = order_seed * 6364136223846793005ull + 1442695040888963407ull;
  if (!random) random = 1;
  const std::vector<int> threads_in_order = thread_order(threads, random);
  const BlockOrder order_of_clusters(units, random);
  // A memory check sees each access by itself, and goes on.
  const HostMemoryClosed closed(arguments.call, examining() || !arguments.knows_devices ? 0 : arguments.bytes);
  const Watchdog watchdog;
  run_clusters(site, shape, run_thread, arguments, threads_in_order, share, order_of_clusters);
  count_block();
  if (!stopping()) return;
  for (auto& worker : workers) worker->abandon();
  const std::string failure = take_failure();
  if (!begins_anew) throw std::runtime_error(failure);
}

}  // namespace

bool begin_library_kernel() { return launches++, !skips_launches; }

bool has_opted_in(const LaunchSite& site, size_t bytes) { return bytes <= opted_in_bytes(site); }

void note_failed_launch(const LaunchSite& site, const std::string& why, const char* limit) {
  looked_at = false;
  Line line;
  line.text("kind", "launch");
  line.text("kernel", site.kernel);
  line.text("launch_unit", site.unit);
  line.number("launch_line", site.line);
  line.number("line", site.line);
  line.text("detail", why.c_str());
  if (limit) line.text("limit", limit);
  line.end();
  failed_launch = line.string();
}

}  // namespace kernelgate

extern "C" void kernelgate_launch(const kernelgate::LaunchSite* site, const kernelgate::LaunchShape* shape,
                                  void (*run_thread)(void*), const kernelgate::LaunchArguments* arguments) {
  using namespace kernelgate;
  if (kernelgate_current) {
    Thread& thread = *static_cast<Thread*>(kernelgate_current);
    Worker& worker = *thread.owner().worker;
    fail(worker.place(thread) + ": cannot be emulated: a kernel that launches a kernel, " + site->unit + " line " +
         std::to_string(site->line));
    worker.wait(thread, Status::done);
  }
  std::lock_guard<std::mutex> hold(launch_lock);
  if (skips_launches) {
    launches += within_limits(*site, *shape);
    return;
  }
  LaunchShape actual = *shape;
  if (actual.cooperative) actual.cluster = actual.grid;
  bool counted = false;
  do {
    if (begins_anew.exchange(false)) actual.cluster = wanted_cluster;
    if (!within_limits(*site, actual)) return;
    if (!counted) {
      launches++, counted = true;
      record_launch(*site, *shape, run_thread, *arguments);
    }
    examine_launch(__builtin_frame_address(0), *site, shape->stream);
    run_launch(*site, actual, run_thread, *arguments);
  } while (begins_anew);
}

extern "C" const char* kernelgate_launched(const char* arguments) {
  static std::set<std::string> names;  // for good
  std::string name;
  int depth = 0, number = 0;
  for (const char* c = arguments; *c; c++) {
    depth += (strchr("([{<", *c) != nullptr) - (strchr(")]}>", *c) != nullptr);
    if (*c == ',' && depth == 0) number++;
    else if (number == 1 && (*c != ' ' || !name.empty())) name += *c;
  }
  std::lock_guard<std::mutex> hold(kernelgate::launch_lock);
  return names.insert(name).first->c_str();
}

// The first thread of a kernel that is made for clusters says so, before it has done anything.
extern "C" void kernelgate_cluster_dims(unsigned x, unsigned y, unsigned z) {
  using namespace kernelgate;
  Thread& thread = current_thread();
  const dim3 shape = thread.owner().worker->cluster->shape;
  if (shape.x == x && shape.y == y && shape.z == z) return;
  if (!begins_anew.exchange(true)) wanted_cluster = dim3(x, y, z);
  fail("begins anew, in clusters");
  thread.owner().worker->wait(thread, Status::done);
}

extern "C" int kernelgate_last_error(int clear) {
  const int error = kernelgate::last_error;
  if (clear) kernelgate::last_error = 0;
  kernelgate::looked_at = true;
  return error;
}
// The last launch that failed, as a finding, if the program has not looked at its error or is known to have raised it.
extern "C" size_t kernelgate_failed_launch(char* out, size_t capacity, int raised) {
  std::string& line = kernelgate::failed_launch;
  const bool tell = raised || !kernelgate::looked_at;
  const size_t bytes = tell ? std::min(line.size(), capacity) : 0;
  memcpy(out, line.data(), bytes);
  line.clear();
  return bytes;
}
extern "C" const char* kernelgate_last_error_detail() { return kernelgate::last_error_detail.c_str(); }
// Notes that a call of CUDA's returns an error: `words` is the error's text. The finding has the caller's line.
extern "C" int kernelgate_fail(int error, const char* call, const char* words) {
  using namespace kernelgate;
  const std::string what = std::string(call) + " gives “" + words + "”";
  last_error = error;
  last_error_detail = what;
  looked_at = false;
  Line line;
  line.text("kind", "call");
  line.text("detail", what.c_str());
  describe_code(line, "", static_cast<const char*>(__builtin_return_address(0)) - 1);
  line.end();
  constexpr int no_memory = 2;  // not the program's fault; the device reports it in its own words
  failed_launch = error == no_memory ? "" : line.string();
  return error;
}
extern "C" void kernelgate_set_error(int error) {
  kernelgate::last_error = error;
  kernelgate::last_error_detail.clear();
}
extern "C" void kernelgate_allow_shared_bytes(const void* kernel, int bytes) {
  Dl_info place;
  std::string name;
  if (kernel && dladdr(kernel, &place) && place.dli_saddr == kernel) {
    int status = 0;
    char* demangled = abi::__cxa_demangle(place.dli_sname, nullptr, nullptr, &status);
    name = kernelgate::last_name(demangled ? demangled : place.dli_sname);
    free(demangled);
  }
  int& most = kernelgate::opted_in[name];
  most = std::max(most, bytes);
}
extern "C" void kernelgate_set_order(int order, uint64_t seed) {
  kernelgate::order = static_cast<kernelgate::Order>(order);
  kernelgate::order_seed = seed;
}
extern "C" uint64_t kernelgate_launches() { return kernelgate::launches; }
// A launch then does nothing, as if its kernel were empty.
extern "C" void kernelgate_skip_launches(int skip) { kernelgate::skips_launches = skip != 0; }
extern "C" void kernelgate_set_workers(int count) { kernelgate::most_workers = std::max(1, count); }
