// The memory operand of an instruction of x86-64, from its bytes and the registers: see operand.h.
#include "operand.h"
#include <stdint.h>
#include <string.h>

namespace kernelgate {

bool is_possible(const char* address) {
  const int64_t upper = reinterpret_cast<int64_t>(address) >> 47;
  return upper == 0 || upper == -1;
}

#if defined(__x86_64__)

namespace {

bool is_prefix(uint8_t byte) {
  return byte == 0x66 || byte == 0xf2 || byte == 0xf3 || byte == 0xf0 || byte == 0x2e || byte == 0x36 || byte == 0x3e ||
         byte == 0x26;
}

int64_t value_of(const ucontext_t& context, unsigned number) {
  constexpr int numbers[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                             REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  return context.uc_mcontext.gregs[numbers[number & 15]];
}

bool writes(uint8_t opcode, bool two_bytes) {
  if (two_bytes) return memchr("\x11\x13\x17\x29\x2b\x7e\x7f\xc0\xc1\xc3\xd6\xe7\xb0\xb1", opcode, 14) != nullptr;
  if (opcode < 0x38) return (opcode & 7) < 2;  // add, or, and, sub, xor to memory
  return memchr("\x88\x89\xc6\xc7\x86\x87\xfe\xff", opcode, 8) != nullptr;
}

}  // namespace

bool find_operand(const ucontext_t& context, Operand& operand) {
  const uint8_t* at = reinterpret_cast<const uint8_t*>(context.uc_mcontext.gregs[REG_RIP]);
  while (is_prefix(*at)) at++;
  const unsigned rex = (*at & 0xf0) == 0x40 ? *at++ : 0;
  if (*at == 0xaa || *at == 0xab || *at == 0xa4 || *at == 0xa5) {  // stos, movs
    const char* target = reinterpret_cast<const char*>(value_of(context, 7));
    const char* source = reinterpret_cast<const char*>(value_of(context, 6));
    const bool at_source = *at < 0xa8 && is_possible(target);
    operand = {at_source ? source : target, !at_source};
    return true;
  }
  const bool two_bytes = *at == 0x0f;
  if (two_bytes) at++;
  if (two_bytes && (*at == 0x38 || *at == 0x3a)) at++;
  operand.write = writes(*at++, two_bytes);
  const unsigned mode = *at >> 6, low = *at & 7;
  at++;
  if (mode == 3) return false;  // a register
  int64_t sum = 0;
  bool wide = mode == 2;
  if (low == 4) {
    const unsigned base = *at & 7, index = (*at >> 3 & 7) | (rex & 2) << 2, scale = *at >> 6;
    at++;
    if (index != 4) sum += value_of(context, index) << scale;
    if (base == 5 && mode == 0) wide = true;
    else sum += value_of(context, base | (rex & 1) << 3);
  } else if (low == 5 && mode == 0) {
    return false;  // beside the code itself
  } else {
    sum += value_of(context, low | (rex & 1) << 3);
  }
  if (mode == 1) {
    sum += static_cast<int8_t>(*at);
  } else if (wide) {
    int32_t displacement;
    memcpy(&displacement, at, sizeof displacement);
    sum += displacement;
  }
  operand.address = reinterpret_cast<const char*>(sum);
  return true;
}

#else

bool find_operand(const ucontext_t&, Operand&) { return false; }  // the processor says it

#endif

}  // namespace kernelgate
