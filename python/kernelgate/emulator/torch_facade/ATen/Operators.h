// In PyTorch at::_ops, which nothing here has: who needs them is compiled with PyTorch's own headers.
#pragma once
#include <ATen/core/Tensor.h>
#include <c10/core/SymInt.h>
