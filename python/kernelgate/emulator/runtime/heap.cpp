// The heap of the device: see heap.h. A link option leads every malloc and new of a program to here.
// Blocks lie apart, so that what strays a little from one meets none of the others.
#include "heap.h"
#include "examine.h"
#include "findings.h"
#include "graphs.h"
#include "report.h"
#include "shadow.h"
#include "streams.h"
#include <assert.h>
#include <kernelgate/abi.h>
#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <new>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

namespace kernelgate {

namespace {

constexpr size_t heap_unit = 64, heap_gap = 64;
constexpr size_t heap_bytes = size_t{1} << 30;

struct HeapBlock {
  size_t bytes;
  size_t place;  // bytes of the heap that it fills, the gap included
  uint64_t pattern;
  bool given_back;
};

std::mutex heap_lock;
std::atomic<char*> heap{nullptr};
size_t heap_limit = size_t{8} << 20, filled = 0, in_use = 0;
std::map<char*, HeapBlock> heap_blocks;
std::multimap<size_t, char*> vacant;  // by place

bool in_heap(const void* pointer) {
  const char* begin = heap.load(std::memory_order_relaxed);
  return begin && static_cast<size_t>(static_cast<const char*>(pointer) - begin) < heap_bytes;
}

char* place_for(size_t place) {
  const auto free_one = vacant.find(place);
  if (free_one != vacant.end()) {
    char* begin = free_one->second;
    vacant.erase(free_one);
    return begin;
  }
  if (place > heap_bytes - filled) return nullptr;
  filled += place;
  return heap + filled - place;
}

// Null where the heap is full, as on a GPU.
void* take(size_t bytes) {
  std::lock_guard<std::mutex> hold(heap_lock);
  if (!heap) {
    void* mapping =
        mmap(nullptr, heap_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) return nullptr;
    heap = static_cast<char*>(mapping);
  }
  if (bytes > heap_limit - std::min(heap_limit, in_use)) return nullptr;
  const size_t place = (std::max<size_t>(bytes, 1) + heap_unit - 1) / heap_unit * heap_unit + heap_gap;
  char* begin = place_for(place);
  if (!begin) return nullptr;
  in_use += bytes;
  heap_blocks[begin] = {bytes, place, poison_pattern, false};
  for (size_t i = 0; i < place; i++)
    begin[i] = static_cast<char>(poison_pattern >> 8 * (reinterpret_cast<uintptr_t>(begin + i) & 7));
  return begin;
}

void give_back(void* pointer, const void* code) {
  std::unique_lock<std::mutex> hold(heap_lock);
  const auto block = heap_blocks.find(static_cast<char*>(pointer));
  if (block == heap_blocks.end() || block->second.given_back) {
    hold.unlock();
    return report_here("bad_free", code, false);
  }
  block->second.given_back = true;
  in_use -= block->second.bytes;
  vacant.emplace(block->second.place, block->first);
  forget_shadow(block->first);
}

// What host code copies or fills lies in one tensor, as far as it begins in one.
void check_range(const void* begin, size_t bytes, bool write, const void* code) {
  const char* first = static_cast<const char*>(begin);
  if (!bytes) return;
  const Region* tensor = find_tensor(first);
  if (!tensor) {
    if (const Region* freed = find_freed(first)) end_outside(*freed, write, first, code, "freed");
    return;
  }
  if (first < tensor->begin || first > tensor->begin + tensor->bytes) end_outside(*tensor, write, first, code);
  if (bytes > static_cast<size_t>(tensor->begin + tensor->bytes - first))
    end_outside(*tensor, write, tensor->begin + tensor->bytes, code);
}

}  // namespace

bool find_block(const char* address, Region& block) {
  if (!in_heap(address)) return false;
  std::lock_guard<std::mutex> hold(heap_lock);
  auto after = heap_blocks.upper_bound(const_cast<char*>(address));
  if (after == heap_blocks.begin()) return false;
  const auto& [begin, found] = *std::prev(after);
  if (address >= begin + found.place) return false;
  block = {begin, found.given_back ? 0 : found.bytes, begin, found.place, found.pattern, Place::device, 0, nullptr,
           false};
  return true;
}

}  // namespace kernelgate

extern "C" {
// In a kernel: no time passes here, and a loop that waits for some ends.
clock_t __wrap_clock() {
  static std::atomic<clock_t> read{0};
  return kernelgate_current ? read += 64 : clock();
}
// What a false assert calls. That of host code is C's own.
void __wrap___assert_fail(const char* assertion, const char* file, unsigned line, const char* function) {
  if (kernelgate_current) kernelgate::end_at("assertion", __builtin_return_address(0), assertion);
  __assert_fail(assertion, file, line, function);
}
void kernelgate_trap() { kernelgate::end_at("trap", __builtin_return_address(0)); }
void* __wrap_malloc(size_t bytes) { return kernelgate_current ? kernelgate::take(bytes) : malloc(bytes); }
void __wrap_free(void* pointer) {
  if (kernelgate_current && pointer) return kernelgate::give_back(pointer, __builtin_return_address(0));
  if (!kernelgate::in_heap(pointer)) free(pointer);
}
#define KERNELGATE_NEW(name, parameters, real) \
  void* name parameters { return kernelgate_current ? kernelgate::take(bytes) : real; }
KERNELGATE_NEW(__wrap__Znwm, (size_t bytes), ::operator new(bytes))
KERNELGATE_NEW(__wrap__Znam, (size_t bytes), ::operator new[](bytes))
KERNELGATE_NEW(__wrap__ZnwmRKSt9nothrow_t, (size_t bytes, const std::nothrow_t& no), ::operator new(bytes, no))
KERNELGATE_NEW(__wrap__ZnamRKSt9nothrow_t, (size_t bytes, const std::nothrow_t& no), ::operator new[](bytes, no))
#define KERNELGATE_DELETE(name, parameters, real)                                                          \
  void name parameters {                                                                                   \
    if (kernelgate_current && pointer) return kernelgate::give_back(pointer, __builtin_return_address(0)); \
    if (!kernelgate::in_heap(pointer)) real;                                                               \
  }
KERNELGATE_DELETE(__wrap__ZdlPv, (void* pointer), ::operator delete(pointer))
KERNELGATE_DELETE(__wrap__ZdaPv, (void* pointer), ::operator delete[](pointer))
KERNELGATE_DELETE(__wrap__ZdlPvm, (void* pointer, size_t), ::operator delete(pointer))
KERNELGATE_DELETE(__wrap__ZdaPvm, (void* pointer, size_t), ::operator delete[](pointer))
KERNELGATE_DELETE(__wrap__ZdlPvRKSt9nothrow_t, (void* pointer, const std::nothrow_t&), ::operator delete(pointer))
KERNELGATE_DELETE(__wrap__ZdaPvRKSt9nothrow_t, (void* pointer, const std::nothrow_t&), ::operator delete[](pointer))

void kernelgate_limit_heap(size_t bytes) { kernelgate::heap_limit = std::min(bytes, kernelgate::heap_bytes / 2); }
size_t kernelgate_heap_limit() { return kernelgate::heap_limit; }
void kernelgate_copy(void* target, const void* source, size_t bytes, void* stream) {
  const void* code = __builtin_return_address(0);
  kernelgate::check_range(source, bytes, false, code);
  kernelgate::check_range(target, bytes, true, code);
  kernelgate::begin_host_work(stream);
  kernelgate::examine_host_work(source, bytes, false, code, "a copy");
  kernelgate::examine_host_work(target, bytes, true, code, "a copy");
  if (kernelgate::Graph* graph = kernelgate::captured_into(stream)) {
    graph->keep(static_cast<char*>(target));
    graph->add([=](void* again) { kernelgate_copy(target, source, bytes, again); });
  }
  memmove(target, source, bytes);
}
void kernelgate_fill(void* target, int value, size_t bytes, void* stream) {
  const void* code = __builtin_return_address(0);
  kernelgate::check_range(target, bytes, true, code);
  kernelgate::begin_host_work(stream);
  kernelgate::examine_host_work(target, bytes, true, code, "a fill");
  if (kernelgate::Graph* graph = kernelgate::captured_into(stream)) {
    graph->keep(static_cast<char*>(target));
    graph->add([=](void* again) { kernelgate_fill(target, value, bytes, again); });
  }
  memset(target, value, bytes);
}
}
