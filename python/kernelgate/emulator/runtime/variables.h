// The variables of a program's library, by address: those of the host and of the device lie in the same memory here.
#pragma once
#include <stddef.h>

namespace kernelgate {

struct Variable {
  char* begin;
  size_t bytes;
  const char* name;  // its symbol
  bool writable;
  bool of_program;  // no part of the shim's headers or of the compiler's own
};

// The variable that an address lies in; null where that is none. `in_library`: whether some loaded library holds it.
const Variable* find_variable(const char* address, bool& in_library);

// The program's writable variable that ends closest before an address between two variables; null where there is none near.
const Variable* find_variable_before(const char* address);

// The writable variable that host code at `code` touches, if it is one of the library that the code is in. Quick where it is none.
const Variable* find_own_variable(const char* address, const void* code);

}  // namespace kernelgate
