// Shadow cells: see shadow.h.
#include "shadow.h"
#include "examine.h"
#include <algorithm>
#include <map>
#include <new>
#include <sys/mman.h>

namespace kernelgate {

namespace {

constexpr unsigned widest_shift = 2;

std::map<const char*, Memory> memories;  // by the first byte, guard pages included

const char* first_byte(const Memory& memory) {
  return memory.kind == MemoryKind::variable ? memory.region.begin : memory.region.mapping;
}

size_t whole_bytes(const Memory& memory) {
  return memory.kind == MemoryKind::variable ? memory.region.bytes : memory.region.mapped_bytes;
}

size_t cells_bytes(size_t bytes, unsigned shift) { return ((bytes >> shift) + 1) * sizeof(Cell); }

// Zeros that take no memory until they are written.
Cell* new_cells(size_t bytes, unsigned shift) {
  void* mapping = mmap(nullptr, cells_bytes(bytes, shift), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  return static_cast<Cell*>(mapping);
}

}  // namespace

void Memory::refine(size_t offset, size_t bytes) {
  const unsigned needed = static_cast<unsigned>(__builtin_ctzll(offset | bytes));
  if (needed >= shift) return;
  Cell* finer = new_cells(region.bytes, needed);
  for (size_t i = 0; i <= region.bytes >> shift; i++) {
    if (!cells[i].write.run && !cells[i].read.run) continue;
    const size_t first = i << (shift - needed), count = size_t{1} << (shift - needed);
    for (size_t k = first; k < std::min(first + count, (region.bytes >> needed) + 1); k++) finer[k] = cells[i];
  }
  munmap(cells, cells_bytes(region.bytes, shift));
  cells = finer;
  shift = needed;
}

Memory* find_memory(const char* address) {
  auto after = memories.upper_bound(address);
  if (after == memories.begin()) return nullptr;
  Memory& found = std::prev(after)->second;
  return address < first_byte(found) + whole_bytes(found) ? &found : nullptr;
}

Memory* add_memory(const Memory& found) {
  Memory& added = memories[first_byte(found)] = found;
  added.shift = widest_shift;
  added.cells = new_cells(found.region.bytes, widest_shift);
  return &added;
}

void forget_shadow(const char* begin) {
  settle();
  auto after = memories.upper_bound(begin);
  if (after == memories.begin()) return;
  auto found = std::prev(after);
  if (found->second.region.begin != begin) return;
  munmap(found->second.cells, cells_bytes(found->second.region.bytes, found->second.shift));
  memories.erase(found);
  forget_recent();
}

}  // namespace kernelgate
