// Where a rewritten kernel<<<...>>>(...) ends: the arguments are copied once, as CUDA copies them into
// parameter memory, and every thread then gets its own copy by value.
#pragma once
#include <kernelgate/abi.h>
#include <tuple>

namespace kernelgate {

inline LaunchShape shape(dim3 grid, dim3 block, size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
  LaunchShape shape{grid, block, shared_bytes};
  shape.stream = stream;
  return shape;
}

// What stands for __cluster_dims__ at the start of a kernel.
inline void cluster_dims(unsigned x, unsigned y = 1, unsigned z = 1) { kernelgate_cluster_dims(x, y, z); }

template <typename T>
inline const void* pointer_in([[maybe_unused]] const T& argument) {
  if constexpr (std::is_pointer_v<T>) return (const void*)argument;
  else return nullptr;
}

template <typename Kernel, typename... Arguments>
inline void launch(LaunchShape shape, LaunchSite site, Kernel kernel, Arguments... arguments) {
  struct Call {
    Kernel kernel;  // with what it needs of the host's variables
    std::tuple<Arguments...> arguments;
  } call{kernel, std::tuple<Arguments...>(arguments...)};
  const void* const pointers[] = {pointer_in(arguments)..., nullptr};
#ifdef KERNELGATE_TORCH  // torch's own headers, under which a tensor is moved nowhere
  constexpr bool knows_devices = false;
#else
  constexpr bool knows_devices = true;
#endif
  const LaunchArguments given{
      &call,         sizeof call,
      pointers,      static_cast<int>(sizeof...(Arguments)),
      knows_devices, [](const void* call) -> void* { return new Call(*static_cast<const Call*>(call)); }};
  kernelgate_launch(
      &site, &shape,
      [](void* erased) {
        Call& call = *static_cast<Call*>(erased);
        std::apply(call.kernel, call.arguments);
      },
      &given);
}

}  // namespace kernelgate
