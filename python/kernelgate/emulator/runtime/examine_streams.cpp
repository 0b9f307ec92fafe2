// Rule: of two works that touch the same bytes, one of them writing, one comes after the other: on the same stream, by an
// event, by what the host has waited for, or by the legacy stream. A launch, a copy and an operator of PyTorch's are work.
#include "memory_check.h"
#include <algorithm>

namespace kernelgate {

namespace memory_check {

namespace {

struct Begun {
  uint32_t first_run;
  Work work;
  const char* kernel;
};
std::vector<Begun> begun;  // by their first run

const Begun* begun_by(const Access& access) {
  const auto after = std::upper_bound(begun.begin(), begun.end(), access.run,
                                      [](uint32_t run, const Begun& each) { return run < each.first_run; });
  return after == begun.begin() ? nullptr : &*std::prev(after);
}

void report_unordered(const Memory& memory, const Access& earlier, bool earlier_wrote, const char* address,
                      size_t bytes, bool write, const void* code, const char* what) {
  if (!is_new(Kind::race, earlier.code, code)) return;
  Line line;
  line.text("kind", "unordered");
  // The line of a kernel comes first: an operator has none.
  const bool swaps = !code && earlier.code;
  line.text("access", (swaps ? earlier_wrote : write) ? "write" : "read");
  line.text("other_access", (swaps ? write : earlier_wrote) ? "write" : "read");
  describe_tensor(line, nullptr, memory.region);
  line.number("offset_bytes", address - memory.region.begin);
  line.number("access_bytes", static_cast<long>(bytes));
  line.text("detail", what);
  if (const Begun* by = begun_by(earlier); by && by->kernel) line.text("kernel", by->kernel);
  if (const void* first = swaps ? earlier.code : code) describe_code(line, "", call_site(first));
  if (const void* second = swaps ? code : earlier.code) describe_code(line, "other_", call_site(second));
  add_finding(line);
}

}  // namespace

void note_work(Work work, const char* kernel) {
  begun.push_back({first_run + static_cast<uint32_t>(runs.size()), work, kernel});
}

bool is_unordered(const Access& earlier) {
  const Begun* by = several_streams() ? begun_by(earlier) : nullptr;
  return by && !comes_first(by->work);
}

}  // namespace memory_check

using namespace memory_check;

void begin_host_work(const void* stream) {
  const Work work = begin_work(stream);
  if (!on || !several_streams()) return;
  settle();
  first_run += static_cast<uint32_t>(runs.size());
  runs.clear();
  note_work(work, nullptr);
  runs.push_back({});
}

void examine_host_work(const void* begin, size_t bytes, bool write, const void* code, const char* what) {
  const char* address = static_cast<const char*>(begin);
  if (!on || !bytes || !several_streams()) return;
  Memory* memory = find_memory(address);
  if (!memory) {
    const Region* region = find_tensor(address);
    if (!region || region->place != Place::device) return;
    Memory found{};
    found.kind = MemoryKind::tensor;
    found.region = *region;
    memory = add_memory(found);
  }
  if (!memory->covers(address, bytes)) return;
  const size_t offset = static_cast<size_t>(address - memory->region.begin);
  Access now{};
  now.run = current_run();
  now.code = code;
  for (size_t i = offset >> memory->shift; i <= (offset + bytes - 1) >> memory->shift; i++) {
    Cell& cell = memory->cells[i];
    const char* at = memory->region.begin + (i << memory->shift);
    for (const Access* earlier : {&cell.write, &cell.read, &cell.other_read, &cell.foreign_read}) {
      const bool wrote = earlier == &cell.write;
      if (earlier->run && (write || wrote) && is_unordered(*earlier))
        report_unordered(*memory, *earlier, wrote, at, size_t{1} << memory->shift, write, code, what);
    }
    if (write) cell.write = now;
    else cell.read = now;
  }
}

}  // namespace kernelgate

// An operator of PyTorch's reads or writes a tensor; with null, one begins.
extern "C" void kernelgate_operator(const void* begin, size_t bytes, int write, const void* stream, const char* what) {
  if (begin) kernelgate::examine_host_work(begin, bytes, write != 0, nullptr, what);
  else kernelgate::begin_host_work(stream);
}
