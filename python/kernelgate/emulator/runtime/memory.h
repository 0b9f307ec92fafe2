// Memory that notices: poisoned at birth, a page that traps on either side, canaries in what is left of its pages.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <vector>

namespace kernelgate {

class Graph;

// What fresh memory holds. At first NaN as half, bfloat16, float and double, and an unlikely integer; a memory check
// changes it to see whether memory that no one wrote matters.
extern uint64_t poison_pattern;
// What a block finds in its shared memory, and a lane in one that does not take part: another NaN, so that a result
// computed from it does not look like a result that nobody wrote.
inline uint64_t undefined_pattern() { return poison_pattern ^ 0x0002000200020002ull; }

// Where a tensor is as far as its program knows; all memory is the host's here. Both sides may use pinned memory.
enum class Place : int { unknown = -1, device = 0, host = 1, pinned = 2 };

struct Region {
  char* begin;
  size_t bytes;
  char* mapping;
  size_t mapped_bytes;
  uint64_t pattern;  // its poison
  Place place;
  uint64_t spare;      // of a tensor: what the bytes beside it hold
  const Graph* graph;  // in whose recording it was made, and whose memory it is
  bool released;       // by the program, while the graph needs it
  bool given;          // an input of the call, which is the caller's
  bool holds(const char* address) const { return address >= mapping && address < mapping + mapped_bytes; }
};

// Which end lies against its guard page; the other may be up to a page away from its own.
enum class GuardedSide : int { end = 0, start = 1 };

bool map_region(Region& region, size_t bytes, GuardedSide side, bool below_4_gib = false);
void unmap_region(const Region& region);
void poison(Region& region, uint64_t pattern);  // without its guard pages
constexpr size_t page_bytes = 4096;

// The memory of a graph: is this part of it, it was not written to yet, it goes.
bool is_of_graph(const Region& region, const Graph* graph);
void poison_graph(const Graph* graph);
void release_graph(const Graph* graph);

// The tensor that an address belongs to, guard pages included; null when none does.
const Region* find_tensor(const char* address);

// The latest tensor there that has been released; null where there is none. Its pages trap until they are needed again.
const Region* find_freed(const char* address);

// Of the tensors that pointers of a launch lead into, the one whose index has gone astray by a multiple of 4 GB, as a shift
// that is too far or a product of large sizes leads there; null where that is none or more than one.
const Region* find_far_tensor(const char* address, const void* const* pointers, int count);

// While a launch runs, the host's tensors that its arguments point to trap: a kernel cannot reach them on a GPU.
class HostMemoryClosed {
 public:
  HostMemoryClosed(const void* arguments, size_t bytes);
  ~HostMemoryClosed();

 private:
  std::vector<Region> closed_;
};

}  // namespace kernelgate
