#include "kernels.cuh"
#include "types.h"

template <typename T>
static Forward<T> forward_of(const Arguments& arguments) {
  return {static_cast<Wide<T>>(arguments.slope)};
}
template <typename T>
static Backward<T> backward_of(const Arguments& arguments) {
  return {static_cast<Wide<T>>(arguments.slope)};
}

#include "../shared/masked_launchers.cuh"
