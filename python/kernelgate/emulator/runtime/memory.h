// Memory that notices: poisoned at birth, a page that traps on either side, canaries in what is left of its pages.
#pragma once
#include <stddef.h>
#include <stdint.h>

namespace kernelgate {

// NaN as half, bfloat16, float and double, and an unlikely integer.
constexpr uint64_t poison_pattern = 0xFFFBFFFBFFFBFFFBull;

struct Region {
  char* begin;
  size_t bytes;
  char* mapping;
  size_t mapped_bytes;
  bool holds(const char* address) const { return address >= mapping && address < mapping + mapped_bytes; }
};

// Which end lies against its guard page; the other may be up to a page away from its own.
enum class GuardedSide : int { end = 0, start = 1 };

bool map_region(Region& region, size_t bytes, GuardedSide side, int mapping_flags = 0);
void unmap_region(const Region& region);
void poison(void* memory, size_t bytes);

// The tensor that an address belongs to, guard pages included; null when none does.
const Region* find_tensor(const char* address);

}  // namespace kernelgate
