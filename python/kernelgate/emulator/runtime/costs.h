// What the accesses of a launch cost a GPU's memory, by the hardware's own definitions: sectors of global memory a request,
// passes over the banks of shared memory, lanes that take part, lanes that update one address.
// In: accesses, from the memory check. Out: JSON lines, one an instruction. Nothing here is a time.
#pragma once
#include "scheduler.h"

namespace kernelgate {

enum class Space : uint8_t { global, shared };

bool counting();
void count_access(const Thread& thread, Space space, const char* address, size_t bytes, bool write, bool atomic,
                  const void* code);
void count_block();  // all threads of the block have ended

}  // namespace kernelgate
