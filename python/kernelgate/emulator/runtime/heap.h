// The heap of the device: what malloc and new give in a kernel. As on a GPU it has 8 MB unless the program asks for more,
// it outlives the launch, and the host cannot reach it.
#pragma once
#include "memory.h"

namespace kernelgate {

// The block that an address belongs to, the gap behind it included; false where there is none. `bytes` is 0 in a
// block that was given back.
bool find_block(const char* address, Region& block);

}  // namespace kernelgate
