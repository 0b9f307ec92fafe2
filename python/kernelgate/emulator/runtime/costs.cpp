// Costs: see costs.h. Lanes run one after another here, and together on a GPU: the n-th time that each lane of a warp
// comes to an instruction is one request of that warp.
#include "costs.h"
#include "line.h"
#include "findings.h"
#include <algorithm>
#include <map>
#include <string.h>
#include <string>
#include <vector>

namespace kernelgate {

namespace {

constexpr size_t sector_bytes = 32;
constexpr size_t banks = 32, bank_bytes = 4;
constexpr size_t most_requests = size_t{1} << 17;  // of a cluster: 280 bytes each

struct Request {
  uint32_t lanes;
  const char* address[lanes_of_warp];
};

struct Totals {
  uint64_t requests = 0, lanes = 0, sectors = 0, asked_bytes = 0, passes = 0, least_passes = 0, same = 0;
  unsigned most_passes = 0;          // of one group of lanes
  uint64_t stride = 0, strided = 0;  // bytes between neighbouring lanes, and the requests of which that is so
};

// One instruction of one kernel.
struct Instruction {
  std::string kernel;
  Space space;
  bool write, atomic;
  size_t bytes;
  std::vector<uint32_t> times = {};  // that each thread of the cluster was here
  std::vector<std::vector<Request>> of_warp = {};
  Totals totals = {};
};

bool is_on = false, was_cut = false;
size_t requests_of_block = 0;
std::map<std::pair<const void*, const char*>, Instruction> instructions;  // by code and kernel
std::pair<const void*, const char*> latest_key;
Instruction* latest_instruction = nullptr;

uintptr_t number(const char* address) { return reinterpret_cast<uintptr_t>(address); }

// How many different ones there are; reorders them.
size_t distinct(uintptr_t* first, size_t count) {
  std::sort(first, first + count);
  return static_cast<size_t>(std::unique(first, first + count) - first);
}

void count_global(const Request& request, size_t bytes, Totals& totals) {
  std::vector<uintptr_t> sectors;
  std::vector<std::pair<uintptr_t, uintptr_t>> pieces;
  for (int l = 0; l < lanes_of_warp; l++) {
    if (!(request.lanes >> l & 1)) continue;
    const uintptr_t begin = number(request.address[l]), end = begin + bytes;
    for (uintptr_t s = begin / sector_bytes; s <= (end - 1) / sector_bytes; s++) sectors.push_back(s);
    pieces.emplace_back(begin, end);
  }
  totals.sectors += distinct(sectors.data(), sectors.size());
  std::sort(pieces.begin(), pieces.end());
  uintptr_t reached = 0;
  for (const auto& [begin, end] : pieces) {
    if (end > reached) totals.asked_bytes += end - std::max(begin, reached);
    reached = std::max(reached, end);
  }
}

// How far most of a request's lanes lie from the lane before; 0 where they do so at no common distance.
uint64_t stride_of(const Request& request) {
  std::map<uint64_t, int> distances;
  int pairs = 0;
  for (int l = 1; l < lanes_of_warp; l++) {
    if ((request.lanes >> (l - 1) & 3) != 3) continue;
    const uintptr_t before = number(request.address[l - 1]), here = number(request.address[l]);
    distances[here > before ? here - before : before - here]++;
    pairs++;
  }
  for (const auto& [distance, count] : distances)
    if (4 * count >= 3 * pairs) return distance;
  return 0;
}

// 8 bytes a lane are fetched for half a warp at a time, 16 bytes for a quarter. Within such a group each bank gives one
// word a pass; lanes that want the same word share it.
void count_shared(const Request& request, size_t bytes, Totals& totals) {
  const int groups = bytes > 8 ? 4 : bytes > 4 ? 2 : 1, lanes = lanes_of_warp / groups;
  for (int g = 0; g < groups; g++) {
    std::vector<uintptr_t> words;
    for (int l = g * lanes; l < (g + 1) * lanes; l++) {
      if (!(request.lanes >> l & 1)) continue;
      const uintptr_t begin = number(request.address[l]);
      for (uintptr_t w = begin / bank_bytes; w <= (begin + bytes - 1) / bank_bytes; w++) words.push_back(w);
    }
    if (words.empty()) continue;
    unsigned of_bank[banks] = {};
    const size_t count = distinct(words.data(), words.size());
    for (size_t i = 0; i < count; i++) of_bank[words[i] % banks]++;
    const unsigned passes = *std::max_element(of_bank, of_bank + banks);
    totals.passes += passes;
    totals.least_passes++;
    totals.most_passes = std::max(totals.most_passes, passes);
  }
}

// Updates of one address are made one after another.
void count_same(const Request& request, Totals& totals) {
  std::map<const char*, unsigned> lanes;
  unsigned most = 0;
  for (int l = 0; l < lanes_of_warp; l++)
    if (request.lanes >> l & 1) most = std::max(most, ++lanes[request.address[l]]);
  totals.same += most;
}

void count_request(const Request& request, Instruction& instruction) {
  Totals& totals = instruction.totals;
  totals.requests++;
  totals.lanes += static_cast<unsigned>(__builtin_popcount(request.lanes));
  if (instruction.atomic) count_same(request, totals);
  if (instruction.space == Space::shared) return count_shared(request, instruction.bytes, totals);
  count_global(request, instruction.bytes, totals);
  const uint64_t stride = stride_of(request);
  if (totals.strided == 0) totals.stride = stride;
  totals.strided += stride == totals.stride;
}

Instruction& instruction_at(const Thread& thread, Space space, size_t bytes, bool write, bool atomic,
                            const void* code) {
  const char* kernel = thread.owner().worker->site.kernel;
  const std::pair<const void*, const char*> key{code, kernel};
  if (latest_instruction && key == latest_key) return *latest_instruction;
  auto found = instructions.find(key);
  if (found == instructions.end())
    found = instructions.emplace(key, Instruction{kernel, space, write, atomic, bytes}).first;
  latest_key = key;
  return *(latest_instruction = &found->second);
}

}  // namespace

bool counting() { return is_on; }

void count_access(const Thread& thread, Space space, const char* address, size_t bytes, bool write, bool atomic,
                  const void* code) {
  Instruction& instruction = instruction_at(thread, space, bytes, write, atomic, code);
  if (thread.number >= instruction.times.size()) {
    instruction.times.resize((thread.number / most_threads + 1) * most_threads);
    instruction.of_warp.resize(instruction.times.size() / lanes_of_warp);
  }
  // Lanes of a warp are neighbours also by their number in the cluster where blocks have whole warps.
  std::vector<Request>& requests = instruction.of_warp[thread.number / lanes_of_warp];
  const uint32_t turn = instruction.times[thread.number]++;
  if (turn >= requests.size()) {
    if (requests_of_block >= most_requests) {
      was_cut = true;
      return;
    }
    requests_of_block++;
    requests.push_back({});
  }
  Request& request = requests[turn];
  const unsigned lane = thread.number % lanes_of_warp;
  request.lanes |= 1u << lane;
  request.address[lane] = address;
}

void count_block() {
  if (!is_on) return;
  for (auto& [key, instruction] : instructions) {
    for (std::vector<Request>& requests : instruction.of_warp) {
      for (const Request& request : requests) count_request(request, instruction);
      requests.clear();
    }
    std::fill(instruction.times.begin(), instruction.times.end(), 0);
  }
  requests_of_block = 0;
}

}  // namespace kernelgate

// Counts the accesses of examined kernels from now on, or no longer; what was counted before is forgotten.
extern "C" void kernelgate_count_costs(int on) {
  kernelgate::is_on = on != 0;
  kernelgate::was_cut = false;
  kernelgate::instructions.clear();
  kernelgate::latest_instruction = nullptr;
}

// One JSON line an instruction; bytes written to `out`, as many whole lines as fit.
extern "C" size_t kernelgate_costs(char* out, size_t capacity) {
  using namespace kernelgate;
  size_t used = 0;
  for (const auto& [key, instruction] : instructions) {
    const Totals& t = instruction.totals;
    if (!t.requests) continue;
    Line line;
    line.text("kernel", instruction.kernel.c_str());
    line.text("space", instruction.space == Space::global ? "global" : "shared");
    line.text("access", instruction.atomic ? "atomic" : instruction.write ? "store" : "load");
    describe_code(line, "", static_cast<const char*>(key.first) - 1);
    line.number("access_bytes", static_cast<long>(instruction.bytes));
    line.number("requests", static_cast<long>(t.requests));
    line.number("lanes", static_cast<long>(t.lanes));
    line.number("sectors", static_cast<long>(t.sectors));
    line.number("asked_bytes", static_cast<long>(t.asked_bytes));
    line.number("passes", static_cast<long>(t.passes));
    line.number("least_passes", static_cast<long>(t.least_passes));
    line.number("most_passes", t.most_passes);
    line.number("same_address", static_cast<long>(t.same));
    line.number("stride", static_cast<long>(4 * t.strided >= 3 * t.requests ? t.stride : 0));
    line.number("cut", was_cut);
    line.end();
    if (used + line.size() > capacity) break;
    memcpy(out + used, line.data(), line.size());
    used += line.size();
  }
  return used;
}
