// Rule: a kernel touches no memory of the host, and host code none of the device: tensors, stacks, variables.
// A variable is the device's where kernels name it, and the host's where a launch is given its address. What both name is
// one on a CPU; on a GPU each side has its own copy.
#include "memory_check.h"
#include "heap.h"
#include "variables.h"
#include <algorithm>
#include <map>
#include <pthread.h>
#include <set>
#include <string.h>

namespace kernelgate {

namespace memory_check {

namespace {

struct Touch {
  const void* code;
  bool write;
};
std::map<const char*, Touch> touched_by_host;  // variables, by their first byte
std::set<const char*> given_as_address;        // those that cudaGetSymbolAddress was asked for
const char* launching_frame = nullptr;  // above it the stack is the program's host code's, below it the runtime's

void report_host_variable(const Variable& variable, const Touch& touch) {
  if (!is_new(Kind::host_access, touch.code)) return;
  Line line;
  line.text("kind", "host_access");
  line.text("access", touch.write ? "write" : "read");
  line.text("region", "variable");
  line.number("region_bytes", static_cast<long>(variable.bytes));
  line.text("name", variable.name);
  describe_code(line, "", call_site(touch.code));
  add_finding(line);
}

void report_host_region(const Region& region, const char* address, const char* kind, const Touch& touch) {
  if (!is_new(Kind::host_access, touch.code)) return;
  Line line;
  line.text("kind", "host_access");
  line.text("access", touch.write ? "write" : "read");
  line.text("region", kind);
  line.number("region_bytes", static_cast<long>(region.bytes));
  line.number("offset_bytes", address - region.begin);
  describe_code(line, "", call_site(touch.code));
  add_finding(line);
}

}  // namespace

void enter_launch(const void* frame) { launching_frame = static_cast<const char*>(frame); }

Stack stack_at(const char* address) {
  static thread_local const char *begin = nullptr, *end = nullptr;
  if (!begin) {
    pthread_attr_t attributes;
    void* stack = nullptr;
    size_t bytes = 0;
    if (pthread_getattr_np(pthread_self(), &attributes)) return Stack::of_runtime;
    pthread_attr_getstack(&attributes, &stack, &bytes);
    pthread_attr_destroy(&attributes);
    begin = static_cast<const char*>(stack);
    end = begin + bytes;
  }
  if (address < begin || address >= end) return Stack::none;
  return address > launching_frame ? Stack::of_host : Stack::of_runtime;
}

bool is_of_host(const LaunchArguments& arguments, const Variable& variable) {
  if (!variable.of_program || given_as_address.count(variable.begin)) return false;
  const char* call = static_cast<const char*>(arguments.call);
  for (size_t at = 0; at + sizeof(char*) <= arguments.bytes; at += sizeof(char*)) {
    const char* address;
    memcpy(&address, call + at, sizeof address);
    if (address >= variable.begin && address < variable.begin + variable.bytes) return true;
  }
  return false;
}

void kernel_names(const Variable& variable) {
  const auto touched = touched_by_host.find(variable.begin);
  if (touched != touched_by_host.end()) report_host_variable(variable, touched->second);
}

void host_access(const char* address, bool write, const void* code) {
  const Touch touch{code, write};
  if (const Region* tensor = find_tensor(address)) {
    if (tensor->place == Place::device) report_host_region(*tensor, address, "tensor", touch);
    return;
  }
  Region block;
  if (find_block(address, block)) return report_host_region(block, address, "heap block", touch);
  const Variable* variable = find_own_variable(address, code);
  if (!variable) return;
  const Memory* named = find_memory(variable->begin);
  if (named && named->kind == MemoryKind::variable) return report_host_variable(*variable, touch);
  touched_by_host.emplace(variable->begin, touch);
}

}  // namespace memory_check

}  // namespace kernelgate

extern "C" void kernelgate_give_address(const void* variable) {
  bool in_library = false;
  if (const kernelgate::Variable* found = kernelgate::find_variable(static_cast<const char*>(variable), in_library))
    kernelgate::memory_check::given_as_address.insert(found->begin);
}
