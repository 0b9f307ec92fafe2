// Whether a stream is being captured into a graph.
#pragma once
#include <kernelgate/abi.h>

namespace c10::cuda {
enum class CaptureStatus : int { None, Active, Invalidated };
inline CaptureStatus currentStreamCaptureStatusMayInitCtx() {
  return static_cast<CaptureStatus>(kernelgate_capture_status(kernelgate_current_stream()));
}
}  // namespace c10::cuda
