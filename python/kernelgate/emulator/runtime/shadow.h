// Beside each piece of memory that kernels touch, a record of who wrote and who read it last.
// A cell stands for as many bytes as the narrowest access so far had, so that bytes are distinguished where they are used
// as bytes, and floats cost one cell each.
#pragma once
#include "memory.h"
#include <stddef.h>
#include <stdint.h>

namespace kernelgate {

enum Mark : uint16_t { atomic_mark = 1, volatile_mark = 2, swap_mark = 4, mark_bits = 3 };  // swap: compare and swap

struct Access {
  uint32_t run;    // of a block, counted over all launches; 0: no access
  uint32_t epoch;  // barriers that the block had passed
  uint32_t clock;  // the thread's own, which warp collectives advance
  uint16_t thread;
  uint16_t marks;  // Mark, and above it how often the block had fenced
  const void* code;
};

struct Cell {
  Access write;
  Access read;          // the last
  Access other_read;    // the last one of another thread of that block
  Access foreign_read;  // the last one of another block
};

enum class MemoryKind : uint8_t { tensor, shared, variable, heap };

struct Memory {
  Region region;  // of a variable only its begin and its size
  MemoryKind kind;
  const void* slot;  // shared: its declaration, null for the dynamic one
  const char* name;  // variable: its symbol
  unsigned shift;    // a cell stands for 1 << shift bytes
  Cell* cells;

  bool covers(const char* address, size_t bytes) const {
    return address >= region.begin && address + bytes <= region.begin + region.bytes;
  }
  // Makes the cells so narrow that an access fills whole ones.
  void refine(size_t offset, size_t bytes);
};

// The memory that an address lies in or, for tensors and shared objects, whose guard pages it lies in; null when none.
Memory* find_memory(const char* address);
Memory* add_memory(const Memory& found);
// A tensor's memory is given back: what is known of it is void.
void forget_shadow(const char* begin);

}  // namespace kernelgate
