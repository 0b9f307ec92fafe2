// The tensor library: what torch/types.h, and so every load_inline unit, begins with.
// Not through here, as not in torch: OpMathType.h, AccumulateType.h, and everything of CUDA.
#pragma once
#include <ATen/DeviceGuard.h>
#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <ATen/core/Tensor.h>
#include <algorithm>
#include <c10/core/Scalar.h>
#include <c10/util/irange.h>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <kernelgate/printing.h>
#include <limits>
#include <string>
#include <tuple>
#include <vector>
