// What code calls that was compiled with -fsanitize=thread and other checks, and linked without their libraries.
#include "examine.h"
#include "report.h"
#include <string.h>

namespace {

void access(const void* address, size_t bytes, bool write, unsigned marks, const void* code) {
  kernelgate::examine_access(address, bytes, write, marks, code);
}

constexpr unsigned plain = 0, is_volatile = kernelgate::volatile_mark, is_atomic = kernelgate::atomic_mark;
constexpr unsigned is_swap = is_atomic | kernelgate::swap_mark;

// How UBSan's data begin, of which only this is needed.
struct Place {
  const char* file;
  uint32_t line, column;
};
struct TypeName {
  uint16_t kind, info;
  char name[1];
};
struct BoundsData {
  Place place;
  const TypeName* array;
};

}  // namespace

#define KERNELGATE_CODE __builtin_return_address(0)

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_read(void**) {}
void __tsan_vptr_update(void**, void*) {}

#define KERNELGATE_ACCESS(bytes)                                                                                 \
  void __tsan_read##bytes(void* p) { access(p, bytes, false, plain, KERNELGATE_CODE); }                          \
  void __tsan_write##bytes(void* p) { access(p, bytes, true, plain, KERNELGATE_CODE); }                          \
  void __tsan_unaligned_read##bytes(void* p) { access(p, bytes, false, plain, KERNELGATE_CODE); }                \
  void __tsan_unaligned_write##bytes(void* p) { access(p, bytes, true, plain, KERNELGATE_CODE); }                \
  void __tsan_volatile_read##bytes(void* p) { access(p, bytes, false, is_volatile, KERNELGATE_CODE); }           \
  void __tsan_volatile_write##bytes(void* p) { access(p, bytes, true, is_volatile, KERNELGATE_CODE); }           \
  void __tsan_unaligned_volatile_read##bytes(void* p) { access(p, bytes, false, is_volatile, KERNELGATE_CODE); } \
  void __tsan_unaligned_volatile_write##bytes(void* p) { access(p, bytes, true, is_volatile, KERNELGATE_CODE); }
KERNELGATE_ACCESS(1)
KERNELGATE_ACCESS(2)
KERNELGATE_ACCESS(4)
KERNELGATE_ACCESS(8)
KERNELGATE_ACCESS(16)
void __tsan_read_range(void* p, size_t bytes) { access(p, bytes, false, plain, KERNELGATE_CODE); }
void __tsan_write_range(void* p, size_t bytes) { access(p, bytes, true, plain, KERNELGATE_CODE); }

// For host code alone: in kernels the compiler calls the sanitizer for copies itself.
#define KERNELGATE_OF_HOST(p, bytes, write) \
  if (bytes && !kernelgate_current) access(p, bytes, write, plain, KERNELGATE_CODE)
void* __wrap_memcpy(void* target, const void* source, size_t bytes) {
  KERNELGATE_OF_HOST(source, bytes, false);
  KERNELGATE_OF_HOST(target, bytes, true);
  return memcpy(target, source, bytes);
}
void* __wrap_memmove(void* target, const void* source, size_t bytes) {
  KERNELGATE_OF_HOST(source, bytes, false);
  KERNELGATE_OF_HOST(target, bytes, true);
  return memmove(target, source, bytes);
}
void* __wrap_memset(void* target, int value, size_t bytes) {
  KERNELGATE_OF_HOST(target, bytes, true);
  return memset(target, value, bytes);
}

#define KERNELGATE_UPDATE(bits, type, name)                                        \
  type __tsan_atomic##bits##_##name(volatile type* p, type value, int) {           \
    access(const_cast<type*>(p), sizeof(type), false, is_atomic, KERNELGATE_CODE); \
    access(const_cast<type*>(p), sizeof(type), true, is_atomic, KERNELGATE_CODE);  \
    return __atomic_##name(p, value, __ATOMIC_SEQ_CST);                            \
  }
// A weak one ends an update that has begun with a load (atomics.h); a strong one is the program's own.
#define KERNELGATE_EXCHANGE(bits, type, name, weak)                                                           \
  int __tsan_atomic##bits##_compare_exchange_##name(volatile type* p, type* expected, type value, int, int) { \
    if (!weak) access(const_cast<type*>(p), sizeof(type), false, is_swap, KERNELGATE_CODE);                   \
    access(const_cast<type*>(p), sizeof(type), true, is_atomic, KERNELGATE_CODE);                             \
    return __atomic_compare_exchange_n(p, expected, value, weak, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);         \
  }
#define KERNELGATE_ATOMICS(bits, type)                                             \
  type __tsan_atomic##bits##_load(const volatile type* p, int) {                   \
    access(const_cast<type*>(p), sizeof(type), false, is_atomic, KERNELGATE_CODE); \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                   \
  }                                                                                \
  void __tsan_atomic##bits##_store(volatile type* p, type value, int) {            \
    access(const_cast<type*>(p), sizeof(type), true, is_atomic, KERNELGATE_CODE);  \
    __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                                  \
  }                                                                                \
  type __tsan_atomic##bits##_exchange(volatile type* p, type value, int) {         \
    access(const_cast<type*>(p), sizeof(type), true, is_atomic, KERNELGATE_CODE);  \
    return __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST);                        \
  }                                                                                \
  KERNELGATE_UPDATE(bits, type, fetch_add)                                         \
  KERNELGATE_UPDATE(bits, type, fetch_sub)                                         \
  KERNELGATE_UPDATE(bits, type, fetch_and)                                         \
  KERNELGATE_UPDATE(bits, type, fetch_or)                                          \
  KERNELGATE_UPDATE(bits, type, fetch_xor)                                         \
  KERNELGATE_EXCHANGE(bits, type, strong, false)                                   \
  KERNELGATE_EXCHANGE(bits, type, weak, true)
KERNELGATE_ATOMICS(8, uint8_t)
KERNELGATE_ATOMICS(16, uint16_t)
KERNELGATE_ATOMICS(32, uint32_t)
KERNELGATE_ATOMICS(64, uint64_t)

void __tsan_atomic_thread_fence(int) {
  kernelgate::examine_fence();
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

#define KERNELGATE_OVERFLOW(name) \
  void __ubsan_handle_##name##_overflow(void*, void*, void*) { kernelgate::note_overflow(KERNELGATE_CODE); }
KERNELGATE_OVERFLOW(add)
KERNELGATE_OVERFLOW(sub)
KERNELGATE_OVERFLOW(mul)
void __ubsan_handle_negate_overflow(void*, void*) { kernelgate::note_overflow(KERNELGATE_CODE); }
void __ubsan_handle_divrem_overflow(void*, void*, void* divisor) {
  if (!divisor) kernelgate::report_here("division_by_zero", KERNELGATE_CODE, true);
}
void __ubsan_handle_type_mismatch_v1(void*, void*) { kernelgate::report_here("misaligned", KERNELGATE_CODE, true); }
// Unexamined, on a processor that does not trap by itself.
void __ubsan_handle_divrem_overflow_abort(void*, void*, void*) {
  kernelgate::end_at("division_by_zero", KERNELGATE_CODE);
}
void __ubsan_handle_type_mismatch_v1_abort(void*, void*) { kernelgate::end_at("misaligned", KERNELGATE_CODE); }
void __ubsan_handle_out_of_bounds(void* data, void*) {
  kernelgate::report_here("index", KERNELGATE_CODE, false, static_cast<const BoundsData*>(data)->array->name);
}

}  // extern "C"
