// Whether a stream is being captured into a graph: here never, since nothing here captures one.
#pragma once

namespace c10::cuda {
enum class CaptureStatus : int { None, Active, Invalidated };
inline CaptureStatus currentStreamCaptureStatusMayInitCtx() { return CaptureStatus::None; }
}  // namespace c10::cuda
