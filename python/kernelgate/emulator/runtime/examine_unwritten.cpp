// Rule: what a kernel reads, somebody has written.
#include "memory_check.h"
#include <algorithm>

namespace kernelgate {

namespace memory_check {

namespace {

// Whether some byte of an access still has the poison that its memory was filled with and that no kernel wrote.
// What torch wrote has no record, so that an access of few bytes asks its neighbours too: those bytes alone may well be
// a right value.
bool is_unwritten(const Memory& memory, size_t offset, size_t bytes) {
  const size_t widest = bytes >= 4 ? 4 : 8;
  const uint64_t pattern = memory.kind == MemoryKind::shared ? undefined_pattern() : memory.region.pattern;
  for (size_t first = offset & ~(widest - 1); first < offset + bytes; first += widest) {
    const size_t end = std::min(first + widest, memory.region.bytes);
    size_t poisoned = 0, open = 0;
    bool asked = false;
    for (size_t at = first; at < end; at++) {
      const Access& write = memory.cells[at >> memory.shift].write;
      if (memory.kind == MemoryKind::shared ? write.run == current_run() : write.run != 0) continue;
      const char* address = memory.region.begin + at;
      open++;
      poisoned += *address == static_cast<char>(pattern >> 8 * (reinterpret_cast<uintptr_t>(address) & 7));
      asked |= at >= offset && at < offset + bytes;
    }
    const size_t enough = memory.kind == MemoryKind::shared ? 1 : std::min<size_t>(4, end - first);
    if (asked && open >= enough && poisoned == open) return true;
  }
  return false;
}

}  // namespace

void check_written(const Memory& memory, const char* address, size_t bytes, const void* code) {
  if (memory.kind == MemoryKind::variable) return;
  if (!is_unwritten(memory, static_cast<size_t>(address - memory.region.begin), bytes)) return;
  if (!is_new(Kind::unwritten, code)) return;
  Line line;
  line.text("kind", "uninitialised");
  describe_access(line, memory, address, bytes, false, code);
  add_finding(line);
}

}  // namespace memory_check

}  // namespace kernelgate
