// What stands for a kernel of a library of CUDA's: host code asks for it, and it runs as one step.
#pragma once
#include <kernelgate/abi.h>
#include <string>

namespace kernelgate {

bool begin_library_kernel();  // counts a launch; whether it is to be run
void note_failed_launch(const LaunchSite& site, const std::string& why, const char* limit = nullptr);

}  // namespace kernelgate
