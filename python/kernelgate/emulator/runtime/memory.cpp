// Guarded regions, and the list of those that are tensors.
#include "memory.h"
#include "report.h"
#include "shadow.h"
#include "streams.h"
#include <kernelgate/abi.h>
#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <string.h>
#include <string>
#include <sys/mman.h>
#include <vector>

namespace kernelgate {

uint64_t poison_pattern = 0xFFFBFFFBFFFBFFFBull;

// Up to 31 bytes lie between the end and the guard page. Less would be more exact, but torch aligns to 512 bytes, and
// a program that moves eight floats at a time may count on 32.
static constexpr size_t alignment = 32;
static constexpr size_t kept_reports = 64;
static constexpr size_t most_freed = 64, most_freed_bytes = size_t{256} << 20;

static size_t round_up(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

namespace {

void* map(void* at, size_t bytes, int flags) {
  return mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
}

void* map_below_4_gib(size_t bytes) {
#ifdef MAP_32BIT
  return map(nullptr, bytes, MAP_32BIT);
#else
  // Other processors have no such flag: the first free place from the last one on, and from the start once more.
  constexpr uintptr_t first = 1ul << 28, end = 1ul << 32, step = 1ul << 16;
  static std::atomic<uintptr_t> latest{first};
  for (uintptr_t begin : {latest.load(), first})
    for (uintptr_t at = begin; at + bytes <= end; at += step) {
      void* mapping = map(reinterpret_cast<void*>(at), bytes, MAP_FIXED_NOREPLACE);
      if (mapping == reinterpret_cast<void*>(at)) {
        latest = at;
        return mapping;
      }
      if (mapping != MAP_FAILED) munmap(mapping, bytes);  // an old kernel takes the place for a wish
    }
  return MAP_FAILED;
#endif
}

}  // namespace

bool map_region(Region& region, size_t bytes, GuardedSide side, bool below_4_gib) {
  const size_t aligned = round_up(bytes, alignment);
  const size_t usable = aligned ? round_up(aligned, page_bytes) : page_bytes;
  const size_t whole = usable + 2 * page_bytes;
  void* mapping = below_4_gib ? map_below_4_gib(whole) : map(nullptr, whole, 0);
  if (mapping == MAP_FAILED) return false;
  char* base = static_cast<char*>(mapping);
  mprotect(base, page_bytes, PROT_NONE);
  mprotect(base + page_bytes + usable, page_bytes, PROT_NONE);
  char* begin = side == GuardedSide::start ? base + page_bytes : base + page_bytes + usable - aligned;
  region = {begin, bytes, base, whole, 0, Place::device, 0, nullptr, false, false};
  poison(region, poison_pattern);
  return true;
}

void unmap_region(const Region& region) { munmap(region.mapping, region.mapped_bytes); }

void poison(Region& region, uint64_t pattern) {
  region.pattern = pattern;
  uint64_t* words = reinterpret_cast<uint64_t*>(region.mapping + page_bytes);
  for (size_t i = 0; i < (region.mapped_bytes - 2 * page_bytes) / 8; i++) words[i] = pattern;
}

namespace {

std::mutex tensors_lock;
std::map<const char*, Region> tensors;       // by the start of their mapping
size_t on_host = 0;                          // of them
std::map<const char*, const char*> foreign;  // memory of the host that tensors look into: begin and end
std::vector<std::string> damage;             // found when a tensor was released
std::deque<Region> freed;                    // the latest last; nothing else lies where they were
size_t freed_bytes = 0;
GuardedSide guarded_side = GuardedSide::end;

char spare_byte(const Region& region, const char* address) {
  return static_cast<char>(region.spare >> 8 * (reinterpret_cast<uintptr_t>(address) & 7));
}

// Calls `visit` with each byte that may be written to and is not the tensor's own.
template <typename Visit>
void visit_spare(const Region& region, Visit visit) {
  char* last = region.mapping + region.mapped_bytes - page_bytes;
  for (char* c = region.begin + region.bytes; c < last; c++) visit(c);
  for (char* c = region.begin - 1; c >= region.mapping + page_bytes; c--) visit(c);
}

// A quiet NaN of every type, as the poison is, and another one in each of 61 tensors: a kernel that computes past the
// end of one and writes past the end of another would otherwise write what stands there.
void mark_spare(Region& region) {
  static std::atomic<uint64_t> tensors_made{0};
  region.spare = (0xFFC0 + 1 + tensors_made++ % 61) * 0x0001000100010001ull;
  visit_spare(region, [&](char* c) { *c = spare_byte(region, c); });
}

// What still points there is found out. The pages go back to the system, the addresses a while later.
void retire(const Region& region) {
  madvise(region.mapping, region.mapped_bytes, MADV_DONTNEED);
  mprotect(region.mapping, region.mapped_bytes, PROT_NONE);
  freed.push_back(region);
  freed_bytes += region.mapped_bytes;
  while (freed.size() > most_freed || freed_bytes > most_freed_bytes) {
    freed_bytes -= freed.front().mapped_bytes;
    unmap_region(freed.front());
    freed.pop_front();
  }
}

void forget_foreign(const char* begin, const char* end) {
  auto at = foreign.lower_bound(begin);
  if (at != foreign.begin() && std::prev(at)->second > begin) --at;
  while (at != foreign.end() && at->first < end) at = foreign.erase(at);
}

bool is_foreign(const char* address) {
  const auto after = foreign.upper_bound(address);
  return after != foreign.begin() && address < std::prev(after)->second;
}

// Offset of the first damaged canary. Repairs it, so that each overwrite is reported once.
bool find_damage(const Region& region, long& offset) {
  bool found = false;
  visit_spare(region, [&](char* c) {
    if (*c == spare_byte(region, c)) return;
    if (!found) offset = c - region.begin;
    found = true;
    *c = spare_byte(region, c);
  });
  return found;
}

void give_back(const Region region) {
  long offset = 0;
  if (find_damage(region, offset) && damage.size() < kept_reports)
    damage.push_back(describe_damage(region.bytes, offset));
  forget_shadow(region.begin);
  on_host -= region.place == Place::host;
  tensors.erase(region.mapping);
  retire(region);
}

}  // namespace

bool is_of_graph(const Region& region, const Graph* graph) { return region.graph == graph; }

void poison_graph(const Graph* graph) {
  std::lock_guard<std::mutex> hold(tensors_lock);
  for (auto& [start, region] : tensors) {
    if (region.graph != graph || region.place != Place::device) continue;
    forget_shadow(region.begin);
    for (char* c = region.begin; c < region.begin + region.bytes; c++)
      *c = static_cast<char>(region.pattern >> 8 * (reinterpret_cast<uintptr_t>(c) & 7));
  }
}

void release_graph(const Graph* graph) {
  std::lock_guard<std::mutex> hold(tensors_lock);
  std::vector<Region> gone;
  for (auto& [start, region] : tensors) {
    if (region.graph != graph) continue;
    region.graph = nullptr;
    if (region.released) gone.push_back(region);
  }
  for (const Region& region : gone) give_back(region);
}

const Region* find_tensor(const char* address) {
  const auto after = tensors.upper_bound(address);
  if (after == tensors.begin()) return nullptr;
  const Region& region = std::prev(after)->second;
  return region.holds(address) ? &region : nullptr;
}

const Region* find_freed(const char* address) {
  for (auto region = freed.rbegin(); region != freed.rend(); ++region)
    if (region->holds(address)) return &*region;
  return nullptr;
}

const Region* find_far_tensor(const char* address, const void* const* pointers, int count) {
  const Region* found = nullptr;
  for (int i = 0; i < count; i++) {
    const Region* tensor = pointers[i] ? find_tensor(static_cast<const char*>(pointers[i])) : nullptr;
    if (!tensor || tensor == found) continue;
    if (static_cast<uint32_t>(address - tensor->begin) >= tensor->bytes) continue;
    if (found) return nullptr;
    found = tensor;
  }
  return found;
}

HostMemoryClosed::HostMemoryClosed(const void* arguments, size_t bytes) {
  std::lock_guard<std::mutex> hold(tensors_lock);
  if (!on_host) return;
  const char* begin = static_cast<const char*>(arguments);
  for (size_t at = 0; at + sizeof(char*) <= bytes; at += sizeof(char*)) {
    const char* address;
    memcpy(&address, begin + at, sizeof address);
    const Region* region = find_tensor(address);
    if (region && region->place == Place::host) closed_.push_back(*region);
  }
  for (const Region& region : closed_) mprotect(region.mapping, region.mapped_bytes, PROT_NONE);
}

HostMemoryClosed::~HostMemoryClosed() {
  for (const Region& region : closed_)
    mprotect(region.mapping + page_bytes, region.mapped_bytes - 2 * page_bytes, PROT_READ | PROT_WRITE);
}

}  // namespace kernelgate

extern "C" void* kernelgate_allocate(size_t bytes) {
  kernelgate::Region region;
  if (!bytes || !kernelgate::map_region(region, bytes, kernelgate::guarded_side)) return nullptr;
  kernelgate::mark_spare(region);
  region.graph = kernelgate::graph_in_progress();
  std::lock_guard<std::mutex> hold(kernelgate::tensors_lock);
  kernelgate::tensors.emplace(region.mapping, region);
  kernelgate::forget_foreign(region.mapping, region.mapping + region.mapped_bytes);
  return region.begin;
}

extern "C" void kernelgate_release(void* pointer) {
  std::lock_guard<std::mutex> hold(kernelgate::tensors_lock);
  const kernelgate::Region* found = kernelgate::find_tensor(static_cast<const char*>(pointer));
  if (!found || found->begin != pointer) return;
  kernelgate::Region& region = const_cast<kernelgate::Region&>(*found);
  if (region.graph) region.released = true;
  else kernelgate::give_back(region);
}

// Says where a tensor is, by an address in it. Memory that is no tensor's is left as it is: unknown.
extern "C" void kernelgate_put(const void* pointer, int place) {
  std::lock_guard<std::mutex> hold(kernelgate::tensors_lock);
  kernelgate::Region* region =
      const_cast<kernelgate::Region*>(kernelgate::find_tensor(static_cast<const char*>(pointer)));
  if (!region) return;
  kernelgate::on_host -= region->place == kernelgate::Place::host;
  region->place = static_cast<kernelgate::Place>(place);
  kernelgate::on_host += region->place == kernelgate::Place::host;
}

// Marks the tensor at an address as an input of the call.
extern "C" void kernelgate_give(const void* pointer) {
  std::lock_guard<std::mutex> hold(kernelgate::tensors_lock);
  const kernelgate::Region* region = kernelgate::find_tensor(static_cast<const char*>(pointer));
  if (region) const_cast<kernelgate::Region*>(region)->given = true;
}

extern "C" void kernelgate_note_host(const void* pointer, size_t bytes) {
  std::lock_guard<std::mutex> hold(kernelgate::tensors_lock);
  const char* begin = static_cast<const char*>(pointer);
  if (!begin) return;
  kernelgate::forget_foreign(begin, begin + bytes);
  kernelgate::foreign[begin] = begin + bytes;
}

extern "C" int kernelgate_place(const void* pointer) {
  std::lock_guard<std::mutex> hold(kernelgate::tensors_lock);
  const kernelgate::Region* region = kernelgate::find_tensor(static_cast<const char*>(pointer));
  const bool noted = !region && kernelgate::is_foreign(static_cast<const char*>(pointer));
  return static_cast<int>(region ? region->place : noted ? kernelgate::Place::host : kernelgate::Place::unknown);
}

// The next poison; `pattern` 0 is the usual one.
extern "C" void kernelgate_set_poison(uint64_t pattern) {
  kernelgate::poison_pattern = pattern ? pattern : 0xFFFBFFFBFFFBFFFBull;
}

extern "C" void kernelgate_set_guarded_side(int side) {
  kernelgate::guarded_side = static_cast<kernelgate::GuardedSide>(side);
}

// One JSON line for each tensor outside which something was written since the last call; bytes written to `out`.
extern "C" size_t kernelgate_overwritten(char* out, size_t capacity) {
  std::lock_guard<std::mutex> hold(kernelgate::tensors_lock);
  std::vector<std::string> lines;
  lines.swap(kernelgate::damage);
  for (const auto& [start, region] : kernelgate::tensors) {
    long offset = 0;
    if (lines.size() < kernelgate::kept_reports && kernelgate::find_damage(region, offset))
      lines.push_back(kernelgate::describe_damage(region.bytes, offset));
  }
  size_t used = 0;
  for (const std::string& line : lines) {
    if (used + line.size() > capacity) break;
    memcpy(out + used, line.data(), line.size());
    used += line.size();
  }
  return used;
}
