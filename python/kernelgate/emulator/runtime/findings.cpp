// Findings as JSON lines: see findings.h.
#include "findings.h"
#include "examine.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

namespace kernelgate {

namespace {

constexpr size_t kept_bytes = 48 * 1024;
char kept[kept_bytes];
size_t used = 0;

// The i-th of names with commas between them.
const char* nth_name(const char* names, int wanted, size_t& length) {
  for (; wanted > 0; wanted--) {
    names = strchr(names, ',');
    if (!names) return nullptr;
    names++;
  }
  length = strcspn(names, ",");
  return length ? names : nullptr;
}

}  // namespace

void add_finding(Line& line) {
  line.end();
  if (used + line.size() > kept_bytes) return;
  memcpy(kept + used, line.data(), line.size());
  used += line.size();
}

size_t copy_findings(char* out, size_t capacity) {
  const size_t bytes = used < capacity ? used : 0;
  memcpy(out, kept, bytes);
  return bytes;
}

void describe_thread(Line& line, const Thread& thread) {
  const Worker& worker = *thread.owner().worker;
  const uint3 block = thread.block->index;
  line.text("kernel", worker.site.kernel);
  line.text("launch_unit", worker.site.unit);
  line.number("launch_line", worker.site.line);
  line.triple("block", block.x, block.y, block.z);
  line.triple("thread", thread.index.x, thread.index.y, thread.index.z);
}

void describe_tensor(Line& line, const Worker* worker, const Region& tensor) {
  line.text("region", "tensor");
  line.number("region_bytes", static_cast<long>(tensor.bytes));
  if (!worker) return;
  for (int i = 0; i < worker->arguments.count; i++) {
    const char* pointer = static_cast<const char*>(worker->arguments.pointers[i]);
    size_t length = 0;
    if (!pointer || pointer < tensor.begin || pointer > tensor.begin + tensor.bytes) continue;
    if (const char* name = nth_name(worker->site.parameters, i, length)) return line.text("name", name, length);
  }
}

void describe_shared(Line& line, const SharedObject& object) {
  line.text("region", object.slot ? "__shared__ array" : "dynamic __shared__ array");
  line.number("region_bytes", static_cast<long>(object.region.bytes));
  if (object.slot) line.text("name", static_cast<const SharedSlot*>(object.slot)->declared);
}

void describe_code(Line& line, const char* prefix, const void* instruction) {
  Dl_info place;
  if (!dladdr(instruction, &place) || !place.dli_fname) return;
  char name[32];
  snprintf(name, sizeof name, "%slibrary", prefix);
  line.text(name, place.dli_fname);
  snprintf(name, sizeof name, "%slibrary_offset", prefix);
  line.number(name, static_cast<const char*>(instruction) - static_cast<const char*>(place.dli_fbase));
}

}  // namespace kernelgate

// The findings since the last call, one JSON line each; bytes written to `out`.
extern "C" size_t kernelgate_findings(char* out, size_t capacity) {
  kernelgate::settle_all();
  const size_t bytes = kernelgate::copy_findings(out, capacity);
  kernelgate::used = 0;
  return bytes;
}
