// Kinds of device, with torch's own numbers.
#pragma once
#include <c10/macros/Macros.h>
#include <stdint.h>
#include <string>

namespace c10 {
enum class DeviceType : int8_t { CPU = 0, CUDA = 1 };
constexpr DeviceType kCPU = DeviceType::CPU;
constexpr DeviceType kCUDA = DeviceType::CUDA;
inline void describe(std::string& out, DeviceType type) { out += type == DeviceType::CUDA ? "cuda" : "cpu"; }
}  // namespace c10
namespace torch {
using c10::DeviceType;
}
