// Rule: what a thread waits for can come: at a barrier or a collective all that it names, in a loop another thread that runs.
#include "memory_check.h"
#include <algorithm>
#include <string.h>

namespace kernelgate {

namespace memory_check {

namespace {

// So often in a row a thread looks at a word that never changes: it waits for a thread that cannot run.
constexpr uint32_t looks_of_a_waiting_thread = 1u << 21;

struct {
  const char* address;
  uint64_t value;
  uint32_t count;
} spin;

}  // namespace

void watch_for_waiting(Thread& thread, const char* address, size_t bytes, const void* code) {
  uint64_t value = 0;
  memcpy(&value, address, std::min(bytes, sizeof value));
  if (address != spin.address || value != spin.value) {
    spin = {address, value, 0};
    return;
  }
  if (++spin.count < looks_of_a_waiting_thread) return;
  report_here("waits", code, false);
  end_launch(thread);
}

void does_not_wait() { spin.count = 0; }

}  // namespace memory_check

using namespace memory_check;

void examine_absent_lane(const Thread& reader) {
  if (!on || !is_new(Kind::absent_lane, reinterpret_cast<const void*>(intptr_t{reader.line}))) return;
  Line line;
  line.text("kind", "absent_lane");
  describe_thread(line, reader);
  line.number("line", reader.line);
  add_finding(line);
}

void examine_left_barrier(const Thread& ended) {
  if (!on || !is_new(Kind::left_barrier, reinterpret_cast<const void*>(intptr_t{ended.passed}))) return;
  Line line;
  line.text("kind", "left_barrier");
  describe_thread(line, ended);
  line.number("line", ended.passed);
  add_finding(line);
}

}  // namespace kernelgate
