// Faults as one JSON line each. The reader is faults/fault_line.py; the fields are those of its `FaultLine`.
#pragma once
#include "memory.h"
#include <kernelgate/abi.h>
#include <signal.h>
#include <stddef.h>
#include <string>

namespace kernelgate {

constexpr int time_over_signal = SIGVTALRM;  // a launch takes longer than its limit (watchdog.cpp)

// Ends the process before a launch that cannot end within its limit; `detail` says how large it is.
[[noreturn]] void end_before(const LaunchSite& site, const char* detail);

// Ends the process where the compiler's own check calls instead of trapping; `code` is the address it returns to.
[[noreturn]] void end_at(const char* kind, const void* code, const char* detail = nullptr);

// Ends the process where host code asks for bytes outside of a tensor, or of one that is gone; `address` is the first.
[[noreturn]] void end_outside(const Region& tensor, bool write, const char* address, const void* code,
                              const char* kind = "out_of_bounds");

std::string describe_damage(size_t region_bytes, long offset);

// The calling OS thread can then report its own stack overflow.
void use_signal_stack();

}  // namespace kernelgate

extern "C" void kernelgate_install_fault_handler(int descriptor);
