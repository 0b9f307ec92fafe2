// Which address an instruction was about to touch, where the processor does not say it.
#pragma once
#include <ucontext.h>

namespace kernelgate {

struct Operand {
  const char* address;
  bool write;
};

// A program cannot have an address whose upper bits differ from the highest that counts: no memory is there.
bool is_possible(const char* address);
// The memory operand of the instruction that trapped; false where it is none that is known here.
bool find_operand(const ucontext_t& context, Operand& operand);

}  // namespace kernelgate
