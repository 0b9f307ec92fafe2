"""Linear, multiply and LeakyReLU as one product on tensor cores, at the accuracy of float32.

    layer = ModelNew(in_features, out_features, multiplier, negative_slope)
    y = layer(x)        # LeakyReLU(Linear(x) * multiplier); x (..., in_features), y (..., out_features)

Tensor cores multiply fp16, which has 11 bits of significand; float32 has 24. So every number is split into two fp16
numbers, v = hi + lo, and x w = hi hi + hi lo + lo hi takes three products instead of one; lo lo is below the
rounding of float32. A tensor core cuts off where it adds, so its sums are kept short: every 16 or 64 terms they are
added to a float32 sum that is rounded. Rows are scaled by powers of two, because fp16 has a narrow range. Where that
range does not suffice (`enough_bits`, decided on the device), and for Inf and NaN, plain float32 arithmetic is used.

float32 CUDA tensors take this way, also under torch.compile, torch.export, autograd and in CUDA graphs. Everything
else (CPU, other dtypes, autocast, tracing) runs PyTorch's linear and leaky_relu. Built on first use.

The split of the weight, as large as the weight, is kept between calls and made anew when the weight changes.
`ModelNew.keep_split = False` splits in every call instead; so does a captured CUDA graph in every replay.
KERNELGATE_GEMM_PATH=mma in the environment takes the kernel of the A100 (mma.sync) also on an H100 or H200 (wgmma).
Needs torch and a CUDA toolchain, nothing else.
"""

import functools
import hashlib
import inspect
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.cpp_extension import load_inline

# What the two halves of the program, C++ for PyTorch and CUDA without PyTorch, know of each other.
INTERFACE = r"""
#include <cstddef>

// y = leaky_relu((x w^T + bias) * multiplier): x (m, k), w (n, k), y (m, n) dense; bias (n), or null.
// A transposed operand lies in memory as (k, m) or (k, n), which the split products can take.
struct Product {
  const float* x;
  const float* w;
  const float* bias;
  float* y;
  int m, n, k;
  float multiplier, slope;
  bool x_transposed, w_transposed;
};

// A matrix split in two fp16 numbers an element. lines: (rows, slices, 64) fp16, facts: (4, rows) float.
struct Split {
  void* lines;
  float* facts;
};

// What is done beside the split of another matrix, with as many columns: all rows of `values` are split, or only those
// of which one slice is not what `split` has of it.
struct SplitBeside {
  const float* values;
  int rows, slice;  // kAllSlices: split all
  Split split;
};
constexpr int kAllSlices = -1;

enum Path { kFewRows, kMma, kWgmma };

// How a product is computed. parts: among how many blocks the sum over k is divided.
struct Plan {
  Path path;
  int parts;
};

#define INTERNAL __attribute__((visibility("hidden")))
INTERNAL int slices_of(int k);
INTERNAL Plan plan_product(int m, int n, int k);
// These queue work on a stream of the current device and return a cudaError_t.
INTERNAL int split_matrix(const float* values, int rows, int k, Split split, const SplitBeside& beside, void* stream);
// The same of a matrix that lies transposed in memory, as (k, rows).
INTERNAL int split_transposed(const float* values, int rows, int k, Split split, void* stream);
INTERNAL int multiply_few_rows(const Product& product, void* stream);
// partial_sums: parts * m * n floats, or null where parts is 1.
INTERNAL int multiply_split(const Plan& plan, const Product& product, Split x, Split w, float* partial_sums,
                            void* stream);
// Bit i % 32 of word i / 32: whether y[i] > 0. The last word may be partial, and is then filled up with 0.
INTERNAL int pack_signs(const float* y, unsigned* signs, long long count, void* stream);
// g[i] = upstream[i], times the slope where the bit of i is not set.
INTERNAL int scale_by_signs(const float* upstream, const unsigned* signs, float slope, float* g, long long count,
                            void* stream);
"""

CPP_SOURCE = r"""
#define AT_PER_OPERATOR_HEADERS  // the headers named below, and not those of all operators
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/linear.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/library.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// The namespace of the operators is the name of the extension, which holds a hash of this source: another version of
// the program, in the same process, has operators of its own.
#define EXPANDED(text) #text
#define QUOTED(text) EXPANDED(text)
#define OPERATOR(name) QUOTED(TORCH_EXTENSION_NAME) "::" name
// PyTorch's macros paste their arguments as they stand; one step more puts the extension's name in.
#define LIBRARY(name, m) TORCH_LIBRARY(name, m)
#define IMPLEMENTATIONS(name, key, m) TORCH_LIBRARY_IMPL(name, key, m)

namespace {

template <typename Signature>
c10::TypedOperatorHandle<Signature> op(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<Signature>();
}

// Whether forward-mode differentiation or a transform of torch.func is at work, which know PyTorch's operators alone.
bool transformed(const at::Tensor& x) {
  return c10::impl::tls_is_dispatch_key_included(c10::DispatchKey::FuncTorchDynamicLayerBackMode) ||
         (x.defined() && x._fw_grad(/*level=*/0).defined());
}

// A node of the autograd graph. Its owners are counted by shared_ptr up to PyTorch 2.12, by intrusive_ptr since.
// Nodes are written by hand: the templates of torch::autograd::Function would take g++ half as long again.
template <typename T, typename Owner = decltype(torch::autograd::Edge::function)>
auto make_node() {
  if constexpr (std::is_same_v<Owner, std::shared_ptr<torch::autograd::Node>>) {
    return std::shared_ptr<T>(new T, [](auto* node) { deleteNode(node); });
  } else {
    return c10::make_intrusive<T>();
  }
}

}  // namespace

#if __has_include(<c10/core/StorageImpl.h>)
#include <c10/core/StorageImpl.h>
#include <c10/cuda/CUDAGraphsC10Utils.h>

#include <map>
#define KEEPS_SPLITS 1
#endif

namespace {

struct SplitMatrix {
  at::Tensor lines;
  at::Tensor facts;
  Split raw() const { return {lines.data_ptr(), facts.mutable_data_ptr<float>()}; }
};

// Memory for the split of values (rows, k).
SplitMatrix room_for(const at::Tensor& values) {
  return {
      at::empty({values.size(0), slices_of(static_cast<int>(values.size(1))), 64}, values.options().dtype(at::kHalf)),
      at::empty({4, values.size(0)}, values.options())};
}

// values: (rows, k), dense or transposed. What is to do `beside` is done in the same kernel, where they are dense.
SplitMatrix split(const at::Tensor& values, const c10::cuda::CUDAStream& stream, const SplitBeside& beside = {}) {
  const int rows = static_cast<int>(values.size(0));
  const int k = static_cast<int>(values.size(1));
  SplitMatrix made = room_for(values);
  const float* from = values.const_data_ptr<float>();
  const int error = values.is_contiguous() ? split_matrix(from, rows, k, made.raw(), beside, stream.stream())
                                           : split_transposed(from, rows, k, made.raw(), stream.stream());
  C10_CUDA_CHECK(static_cast<cudaError_t>(error));
  return made;
}

// `columns`: the weight, as it can be split. Beside x, where that is dense, the same kernel can split it.
SplitMatrix split_anew(const at::Tensor& columns, const c10::cuda::CUDAStream& stream, bool x_dense,
                       SplitBeside& beside) {
  if (!x_dense || !columns.is_contiguous()) {
    return split(columns, stream);
  }
  SplitMatrix made = room_for(columns);
  beside = {columns.const_data_ptr<float>(), static_cast<int>(columns.size(0)), kAllSlices, made.raw()};
  return made;
}

bool is_transposed(const at::Tensor& matrix) { return !matrix.is_contiguous() && matrix.t().is_contiguous(); }

// As it is where it can be split so, or a dense copy.
at::Tensor splittable(const at::Tensor& matrix) { return is_transposed(matrix) ? matrix : matrix.contiguous(); }

#ifdef KEEPS_SPLITS
// Splits of weights, by address. One is used again only while the weight is the same: its memory is alive, PyTorch
// has counted no change of it, and work is queued on the stream that made the split. Changes that PyTorch does not
// count are looked for on the device, in another slice of all rows at each use.
struct Kept {
  c10::weak_intrusive_ptr<c10::StorageImpl> storage;
  int64_t version, rows, columns;
  c10::cuda::CUDAStream stream;
  SplitMatrix split;
  int64_t uses = 0;
};
std::mutex kept_mutex;
std::map<const void*, Kept>& kept() {
  static auto* all = new std::map<const void*, Kept>;  // never destroyed: at the end of a process CUDA goes first
  return *all;
}

// `columns`: the weight, as it can be split. `beside` gets what is left to be done for it beside the split of x.
SplitMatrix split_of_weight(const at::Tensor& weight, const at::Tensor& columns, const c10::cuda::CUDAStream& stream,
                            bool keep, bool x_dense, SplitBeside& beside) {
  // A captured graph reads the weight in every replay, so it has to split it there too.
  const bool capturing = c10::cuda::currentStreamCaptureStatusMayInitCtx() != c10::cuda::CaptureStatus::None;
  if (!keep || capturing || !weight.is_contiguous() || weight.is_inference()) {
    return split_anew(columns, stream, x_dense, beside);
  }
  const std::lock_guard<std::mutex> lock(kept_mutex);
  auto& all = kept();
  c10::StorageImpl* storage = weight.storage().unsafeGetStorageImpl();
  const auto version = static_cast<int64_t>(weight._version());
  const auto found = all.find(weight.const_data_ptr());
  if (found != all.end()) {
    Kept& k = found->second;
    const auto alive = k.storage.lock();
    if (alive.get() == storage && k.version == version && k.rows == weight.size(0) && k.columns == weight.size(1) &&
        k.stream == stream) {
      const int slice = static_cast<int>(k.uses++ % ((k.columns + 31) / 32));
      beside = {weight.const_data_ptr<float>(), static_cast<int>(k.rows), slice, k.split.raw()};
      return k.split;
    }
  }
  for (auto it = all.begin(); it != all.end();) {
    const bool gone = it->second.storage.use_count() == 0 || it->first == weight.const_data_ptr();
    it = gone ? all.erase(it) : std::next(it);
  }
  SplitMatrix made = split(weight, stream);
  all.emplace(weight.const_data_ptr(),
              Kept{weight.storage().getWeakStorageImpl(), version, weight.size(0), weight.size(1), stream, made});
  return made;
}

// Bytes of the splits that are kept, on all devices.
int64_t kept_bytes() {
  const std::lock_guard<std::mutex> lock(kept_mutex);
  int64_t bytes = 0;
  for (const auto& [address, each] : kept()) {
    bytes += static_cast<int64_t>(each.split.lines.nbytes() + each.split.facts.nbytes());
  }
  return bytes;
}

void forget_splits() {
  const std::lock_guard<std::mutex> lock(kept_mutex);
  kept().clear();
}
#else
SplitMatrix split_of_weight(const at::Tensor&, const at::Tensor& columns, const c10::cuda::CUDAStream& stream, bool,
                            bool x_dense, SplitBeside& beside) {
  return split_anew(columns, stream, x_dense, beside);
}
int64_t kept_bytes() { return 0; }
void forget_splits() {}
#endif

// x (..., k), weight (n, k), bias (n): float32, on one CUDA device. Returns (..., n).
at::Tensor linear_scale_leaky_relu(const at::Tensor& x, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                                   double multiplier, double negative_slope, bool keep_split) {
  TORCH_CHECK(weight.dim() == 2 && x.dim() >= 1 && x.size(-1) == weight.size(1),
              "linear_scale_leaky_relu: x must be (..., k) and weight (n, k)");
  TORCH_CHECK(x.scalar_type() == at::kFloat && weight.scalar_type() == at::kFloat && weight.device() == x.device(),
              "linear_scale_leaky_relu: x and weight must be float32 and on one device");
  TORCH_CHECK(!bias || (bias->scalar_type() == at::kFloat && bias->dim() == 1 && bias->size(0) == weight.size(0) &&
                        bias->device() == x.device()),
              "linear_scale_leaky_relu: bias must be float32 (n) on the device of weight");
  constexpr int64_t kMost = int64_t{1} << 30, kMostTerms = int64_t{1} << 22;
  const int64_t k = weight.size(1);
  const int64_t n = weight.size(0);
  std::vector<int64_t> shape = x.sizes().vec();
  shape.back() = n;
  const c10::cuda::CUDAGuard device_guard(x.device());
  const at::Tensor y = at::empty(shape, x.options());
  if (y.numel() == 0) {
    return y;
  }
  const int64_t m = y.numel() / n;
  TORCH_CHECK(k > 0 && k <= kMostTerms && m <= kMost && n <= kMost,
              "linear_scale_leaky_relu: k must be from 1 to 2^22, and x and weight have at most 2^30 rows");

  const c10::cuda::CUDAStream stream = c10::cuda::getCurrentCUDAStream();
  const Plan plan = plan_product(static_cast<int>(m), static_cast<int>(n), static_cast<int>(k));
  const bool few = plan.path == kFewRows;
  const at::Tensor flat = x.reshape({m, k});
  const at::Tensor columns = few ? weight.contiguous() : splittable(weight);
  SplitBeside beside{};
  SplitMatrix w_split;
  if (!few) {
    w_split = split_of_weight(weight, columns, stream, keep_split, flat.is_contiguous(), beside);
  }
  // Where there is something to do beside x, a dense copy of x is split.
  const at::Tensor rows = few || beside.rows ? flat.contiguous() : splittable(flat);
  const at::Tensor dense_bias = bias ? bias->contiguous() : at::Tensor();
  const Product product{rows.const_data_ptr<float>(),
                        columns.const_data_ptr<float>(),
                        bias ? dense_bias.const_data_ptr<float>() : nullptr,
                        y.mutable_data_ptr<float>(),
                        static_cast<int>(m),
                        static_cast<int>(n),
                        static_cast<int>(k),
                        static_cast<float>(multiplier),
                        static_cast<float>(negative_slope),
                        is_transposed(rows),
                        is_transposed(columns)};
  int error;
  if (few) {
    error = multiply_few_rows(product, stream.stream());
  } else {
    const SplitMatrix x_split = split(rows, stream, beside);
    const at::Tensor sums = plan.parts > 1 ? at::empty({plan.parts, m, n}, x.options()) : at::Tensor();
    error = multiply_split(plan, product, x_split.raw(), w_split.raw(),
                           plan.parts > 1 ? sums.mutable_data_ptr<float>() : nullptr, stream.stream());
  }
  C10_CUDA_CHECK(static_cast<cudaError_t>(error));
  return y;
}

// y: float32 on a CUDA device. Returns a bit an element, in the order in which they lie in memory.
at::Tensor signs_of(const at::Tensor& y) {
  const at::Tensor dense = y.contiguous();
  const at::Tensor signs = at::empty({(y.numel() + 31) / 32}, y.options().dtype(at::kInt));
  if (y.numel() > 0) {
    const c10::cuda::CUDAGuard device_guard(y.device());
    const int error = pack_signs(dense.const_data_ptr<float>(), static_cast<unsigned*>(signs.mutable_data_ptr()),
                                 y.numel(), c10::cuda::getCurrentCUDAStream().stream());
    C10_CUDA_CHECK(static_cast<cudaError_t>(error));
  }
  return signs;
}

// The gradient before the activation, dense.
at::Tensor by_signs(const at::Tensor& upstream, const at::Tensor& signs, double negative_slope) {
  const at::Tensor dense = upstream.contiguous();
  const at::Tensor g = at::empty(upstream.sizes(), upstream.options());
  if (g.numel() > 0) {
    const c10::cuda::CUDAGuard device_guard(g.device());
    const int error =
        scale_by_signs(dense.const_data_ptr<float>(), static_cast<const unsigned*>(signs.const_data_ptr()),
                       static_cast<float>(negative_slope), g.mutable_data_ptr<float>(), g.numel(),
                       c10::cuda::getCurrentCUDAStream().stream());
    C10_CUDA_CHECK(static_cast<cudaError_t>(error));
  }
  return g;
}

// ---- Through the dispatcher

at::Tensor call_operator(const at::Tensor& x, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                         double multiplier, double negative_slope, bool keep_split) {
  static const auto call = op<decltype(linear_scale_leaky_relu)>(OPERATOR("linear_scale_leaky_relu"));
  return call.call(x, weight, bias, multiplier, negative_slope, keep_split);
}

at::Tensor call_signs_of(const at::Tensor& y) {
  static const auto call = op<decltype(signs_of)>(OPERATOR("signs_of"));
  return call.call(y);
}

at::Tensor call_by_signs(const at::Tensor& upstream, const at::Tensor& signs, double negative_slope) {
  static const auto call = op<decltype(by_signs)>(OPERATOR("by_signs"));
  return call.call(upstream, signs, negative_slope);
}

// ---- PyTorch's own operators, where there is no kernel here: other devices, vmap, tracing

at::Tensor pytorchs_linear_scale_leaky_relu(const at::Tensor& x, const at::Tensor& weight,
                                            const std::optional<at::Tensor>& bias, double multiplier,
                                            double negative_slope, bool) {
  return at::leaky_relu(at::linear(x, weight, bias).mul(multiplier), negative_slope);
}

at::Tensor pytorchs_signs_of(const at::Tensor& y) { return y.gt(0); }

at::Tensor pytorchs_by_signs(const at::Tensor& upstream, const at::Tensor& signs, double negative_slope) {
  return upstream.where(signs, upstream.mul(negative_slope));
}

// ---- Autograd

// g is linear in the upstream gradient, so its derivative is the same once more.
struct SignsBackward : torch::autograd::Node {
  torch::autograd::SavedVariable signs;
  double negative_slope;

  std::string name() const override { return "LeakyReluBySigns"; }
  torch::autograd::variable_list apply(torch::autograd::variable_list&& upstream) override {
    const std::lock_guard lock(mutex_);
    return {upstream[0].defined() ? call_by_signs(upstream[0], signs.unpack(), negative_slope) : at::Tensor()};
  }
  void release_variables() override {
    const std::lock_guard lock(mutex_);
    signs.reset_data();
  }
};

at::Tensor by_signs_with_gradient(const at::Tensor& upstream, const at::Tensor& signs, double negative_slope) {
  const at::Tensor g = [&] {
    at::AutoDispatchBelowADInplaceOrView below;
    return call_by_signs(upstream, signs, negative_slope);
  }();
  if (torch::autograd::compute_requires_grad(upstream)) {
    const auto node = make_node<SignsBackward>();
    node->set_next_edges(torch::autograd::collect_next_edges(upstream));
    node->signs = torch::autograd::SavedVariable(signs, /*is_output=*/false);
    node->negative_slope = negative_slope;
    torch::autograd::set_history(g, node);
  }
  return g;
}

// a b^T times the multiplier; a (m, k), b (n, k), any strides.
at::Tensor product(const at::Tensor& a, const at::Tensor& b, double multiplier) {
  return call_operator(a, b, std::nullopt, multiplier, /*negative_slope=*/1.0, /*keep_split=*/false);
}

// Up to so many rows of x, splitting the weight takes longer than PyTorch's whole backward pass.
constexpr int64_t kPlainRows = 64;

// dx = g w, dw = g^T x, db = sum of g, each times the multiplier, with g = upstream times the slope at each output;
// negative_slope >= 0, so that the sign of an output tells the sign of what went into the activation.
struct Backward : torch::autograd::Node {
  torch::autograd::SavedVariable x, weight, signs;
  double multiplier, negative_slope;

  std::string name() const override { return "LinearScaleLeakyReluBackward"; }
  torch::autograd::variable_list apply(torch::autograd::variable_list&& upstream) override {
    const std::lock_guard lock(mutex_);
    at::Tensor dx, dw, db;
    if (!upstream[0].defined()) {
      return {dx, dw, db};
    }
    const at::Tensor input = x.unpack(), w = weight.unpack();
    const c10::SymInt n = w.sym_size(0), k = w.sym_size(1), m = input.sym_numel() / k;
    const at::Tensor rows = input.reshape_symint({m, k});
    at::Tensor g = call_by_signs(upstream[0], signs.unpack(), negative_slope).reshape_symint({m, n});
    const bool plain = m <= kPlainRows;
    if (plain) {
      g = g.mul(multiplier);
    }
    if (task_should_compute_output(2)) {
      db = plain ? g.sum(0) : g.sum(0).mul(multiplier);
    }
    if (task_should_compute_output(0)) {
      dx = (plain ? g.mm(w) : product(g, w.t(), multiplier)).view_symint(input.sym_sizes());
    }
    if (task_should_compute_output(1)) {
      dw = plain ? g.t().mm(rows) : product(g.t(), rows.t(), multiplier);
    }
    return {dx, dw, db};
  }
  void release_variables() override {
    const std::lock_guard lock(mutex_);
    x.reset_data();
    weight.reset_data();
    signs.reset_data();
  }
};

at::Tensor with_gradient(const at::Tensor& x, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                         double multiplier, double negative_slope, bool keep_split) {
  const at::Tensor shift = bias.value_or(at::Tensor());
  if (transformed(x) || transformed(weight) || transformed(shift)) {
    return pytorchs_linear_scale_leaky_relu(x, weight, bias, multiplier, negative_slope, keep_split);
  }
  const bool differentiates = torch::autograd::compute_requires_grad(x, weight, shift);
  const auto [y, signs] = [&] {
    at::AutoDispatchBelowADInplaceOrView below;
    const at::Tensor result = call_operator(x, weight, bias, multiplier, negative_slope, keep_split);
    return std::pair(result, differentiates ? call_signs_of(result) : at::Tensor());
  }();
  if (differentiates) {
    const auto node = make_node<Backward>();
    node->set_next_edges(torch::autograd::collect_next_edges(x, weight, shift));
    node->x = torch::autograd::SavedVariable(x, /*is_output=*/false);
    node->weight = torch::autograd::SavedVariable(weight, /*is_output=*/false);
    node->signs = torch::autograd::SavedVariable(signs, /*is_output=*/false);
    node->multiplier = multiplier;
    node->negative_slope = negative_slope;
    torch::autograd::set_history(y, node);
  }
  return y;
}

}  // namespace

LIBRARY(TORCH_EXTENSION_NAME, m) {
  m.def(
      "linear_scale_leaky_relu(Tensor x, Tensor weight, Tensor? bias, float multiplier, float negative_slope, "
      "bool keep_split) -> Tensor");
  m.def("signs_of(Tensor y) -> Tensor");
  m.def("by_signs(Tensor upstream, Tensor signs, float negative_slope) -> Tensor");
  m.def("kept_bytes() -> int", kept_bytes);
  m.def("forget_splits() -> ()", forget_splits);
}

IMPLEMENTATIONS(TORCH_EXTENSION_NAME, CUDA, m) {
  m.impl("linear_scale_leaky_relu", linear_scale_leaky_relu);
  m.impl("signs_of", signs_of);
  m.impl("by_signs", by_signs);
}

IMPLEMENTATIONS(TORCH_EXTENSION_NAME, Autograd, m) {
  m.impl("linear_scale_leaky_relu", with_gradient);
  m.impl("by_signs", by_signs_with_gradient);
}

IMPLEMENTATIONS(TORCH_EXTENSION_NAME, CompositeExplicitAutograd, m) {
  m.impl("linear_scale_leaky_relu", pytorchs_linear_scale_leaky_relu);
  m.impl("signs_of", pytorchs_signs_of);
  m.impl("by_signs", pytorchs_by_signs);
}

IMPLEMENTATIONS(TORCH_EXTENSION_NAME, FuncTorchBatched, m) {
  m.impl("linear_scale_leaky_relu", pytorchs_linear_scale_leaky_relu);
}

IMPLEMENTATIONS(TORCH_EXTENSION_NAME, Tracer, m) {
  m.impl("linear_scale_leaky_relu", pytorchs_linear_scale_leaky_relu);
}
"""

# Splitting, and what all products share.
CUDA_SPLIT = r"""
#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace {

constexpr int kSliceWidth = 32;    // values of a row in one line of 128 bytes: 32 times hi, then 32 times lo
constexpr int kSliceMultiple = 4;  // rows are padded with zeros to so many lines: 128 values
constexpr int kLine = 2 * kSliceWidth;

// What is known of each row of a split matrix; `facts` holds each for all rows.
enum Fact { kInverseScale, kHazard, kNear4, kNear32 };

__host__ __device__ inline bool aligned(const float* values, int k) {
  return k % 4 == 0 && reinterpret_cast<size_t>(values) % 16 == 0;
}

// Four values of a row from column c on; zero behind its end. kVector: where `aligned` holds.
template <bool kVector>
__device__ __forceinline__ float4 load4(const float* row, int c, int k) {
  if constexpr (kVector) {
    return c < k ? *reinterpret_cast<const float4*>(row + c) : make_float4(0.f, 0.f, 0.f, 0.f);
  }
  return make_float4(c < k ? row[c] : 0.f, c + 1 < k ? row[c + 1] : 0.f, c + 2 < k ? row[c + 2] : 0.f,
                     c + 3 < k ? row[c + 3] : 0.f);
}

template <bool kVector>
__device__ __forceinline__ void load8(float* to, const float* row, int c, int k) {
  *reinterpret_cast<float4*>(to) = load4<kVector>(row, c, k);
  *reinterpret_cast<float4*>(to + 4) = load4<kVector>(row, c + 4, k);
}

constexpr int kRowThreads = 256;  // that split a row
constexpr int kColumnThreads = 256;
constexpr int kScaledExponent = 14;  // the largest value of a row is scaled into [2^14, 2^15); fp16 ends at 2^16
constexpr int kMostShift = 120;      // beyond it, scaling back could leave the range of float32

// v * scale = hi + lo, but for what fp16 cannot hold.
struct Parts {
  __half2 hi, lo;
};
__device__ __forceinline__ Parts split2(float a, float b) {
  const __half2 hi = __floats2half2_rn(a, b);
  const float2 h = __half22float2(hi);
  return {hi, __floats2half2_rn(a - h.x, b - h.y)};
}

// The power of two that a row is multiplied by; `wanted` is its exponent before it was clamped.
struct Scaling {
  int wanted, shift;
  float scale;
};
__device__ __forceinline__ Scaling scaling_of(unsigned largest) {
  const int exponent = static_cast<int>(largest >> 23) - 127;
  const int wanted = largest ? kScaledExponent - exponent : 0;
  const int shift = min(max(wanted, -126), 126);
  return {wanted, shift, __uint_as_float(static_cast<unsigned>(shift + 127) << 23)};
}

// What was seen of a row, or of a thread's share of it.
struct Seen {
  float near4 = 0.f, near32 = 0.f;  // numbers of elements
  bool lossy = false;
};

// Eight values, scaled, as 16 bytes of hi and 16 of lo.
__device__ __forceinline__ void split8(const float* v, float scale, float mean, Seen& seen, uint4& hi, uint4& lo) {
  __half2 his[4], los[4];
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const float a = v[2 * j] * scale, b = v[2 * j + 1] * scale;
    const Parts parts = split2(a, b);
    his[j] = parts.hi;
    los[j] = parts.lo;
    const float2 h = __half22float2(parts.hi), l = __half22float2(parts.lo);
    seen.lossy |= fabsf(a - h.x - l.x) > fabsf(a) * 0x1p-22f || fabsf(b - h.y - l.y) > fabsf(b) * 0x1p-22f;
    seen.near4 += (fabsf(a) >= mean * 0.25f) + (fabsf(b) >= mean * 0.25f);
    seen.near32 += (fabsf(a) >= mean * 0.03125f) + (fabsf(b) >= mean * 0.03125f);
  }
  hi = *reinterpret_cast<uint4*>(his);
  lo = *reinterpret_cast<uint4*>(los);
}

__device__ __forceinline__ void write_facts(float* facts, int rows, int row, int k, const Scaling& scaling, float mean,
                                            const Seen& seen) {
  const size_t size = rows;
  const bool extreme = abs(scaling.wanted) > kMostShift || !(mean < INFINITY);
  facts[kInverseScale * size + row] = __uint_as_float(static_cast<unsigned>(127 - scaling.shift) << 23);
  facts[kHazard * size + row] = extreme ? INFINITY : seen.lossy ? 1.f / mean : 0.f;
  facts[kNear4 * size + row] = seen.near4 / k;
  facts[kNear32 * size + row] = seen.near32 / k;
}

// lines[row][slice] = hi x 32, lo x 32, with hi + lo = value * 2^shift, a shift for each row.
// One block works on it; thread t takes eight values from 8 t on, then from 8 (t + kRowThreads), ...; the first 8192
// values stay in registers between the two passes. Moves 8 bytes an element.
//
// An element below 2^-14, scaled, has its lo cut at 2^-25: its loss is no longer small beside itself, but may still be
// beside the sum it goes into. The facts of two rows tell (`enough_bits`): hazard, one over the mean scaled magnitude,
// or 0 where splitting lost nothing, or infinite where the row is not finite or its scale extreme; near4 and near32,
// the shares of the row's elements that are at least a quarter, and a 32nd, of its mean magnitude.
template <bool kVector>
__device__ __forceinline__ void split_row(const float* __restrict__ values, int row, int rows, int k, int slices,
                                          __half* __restrict__ lines, float* __restrict__ facts) {
  constexpr int kKept = 1024 / kRowThreads;
  const int t = threadIdx.x;
  const float* from = values + static_cast<size_t>(row) * k;
  __half* to = lines + static_cast<size_t>(row) * slices * kLine;
  const int octets = slices * (kSliceWidth / 8);
  __shared__ float shared[2][kRowThreads / 32];

  float kept[kKept][8];
  unsigned largest = 0;  // the bits of a magnitude order as it does, Inf and NaN on top
  float sum = 0.f;
  auto examine = [&](const float* v) {
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      largest = max(largest, __float_as_uint(v[j]) & 0x7fffffffu);
      sum += fabsf(v[j]);
    }
  };
#pragma unroll
  for (int i = 0; i < kKept; ++i) {
    load8<kVector>(kept[i], from, 8 * (t + i * kRowThreads), k);
  }
#pragma unroll
  for (int i = 0; i < kKept; ++i) {
    examine(kept[i]);
  }
  for (int o = t + kKept * kRowThreads; o < octets; o += kRowThreads) {
    float v[8];
    load8<kVector>(v, from, 8 * o, k);
    examine(v);
  }
#pragma unroll
  for (int d = 16; d; d /= 2) {
    largest = max(largest, __shfl_xor_sync(0xffffffffu, largest, d));
    sum += __shfl_xor_sync(0xffffffffu, sum, d);
  }
  if (t % 32 == 0) {
    shared[0][t / 32] = __uint_as_float(largest);
    shared[1][t / 32] = sum;
  }
  __syncthreads();
  largest = 0;
  sum = 0.f;
#pragma unroll
  for (int i = 0; i < kRowThreads / 32; ++i) {
    largest = max(largest, __float_as_uint(shared[0][i]));
    sum += shared[1][i];
  }
  __syncthreads();

  const Scaling scaling = scaling_of(largest);
  const float mean = sum * scaling.scale / k;
  Seen seen;
  auto write = [&](const float* v, int o) {
    __half* line = to + static_cast<size_t>(o / 4) * kLine + o % 4 * 8;
    split8(v, scaling.scale, mean, seen, *reinterpret_cast<uint4*>(line),
           *reinterpret_cast<uint4*>(line + kSliceWidth));
  };
#pragma unroll
  for (int i = 0; i < kKept; ++i) {
    if (t + i * kRowThreads < octets) {
      write(kept[i], t + i * kRowThreads);
    }
  }
  for (int o = t + kKept * kRowThreads; o < octets; o += kRowThreads) {
    float v[8];
    load8<kVector>(v, from, 8 * o, k);
    write(v, o);
  }
#pragma unroll
  for (int d = 16; d; d /= 2) {
    seen.near4 += __shfl_xor_sync(0xffffffffu, seen.near4, d);
    seen.near32 += __shfl_xor_sync(0xffffffffu, seen.near32, d);
  }
  if (t % 32 == 0) {
    shared[0][t / 32] = seen.near4;
    shared[1][t / 32] = seen.near32;
  }
  seen.lossy = __syncthreads_or(seen.lossy);
  if (t == 0) {
    seen.near4 = seen.near32 = 0.f;
    for (int i = 0; i < kRowThreads / 32; ++i) {
      seen.near4 += shared[0][i];
      seen.near32 += shared[1][i];
    }
    write_facts(facts, rows, row, k, scaling, mean, seen);
  }
}

// A matrix and its split. slice: of which a check looks at each row, or kAllSlices where there is none.
struct SplitTask {
  const float* values;
  int rows, slice;
  __half* lines;
  float* facts;
};

constexpr int kCheckLanes = kSliceWidth / 4;  // of a row: four values each
constexpr int kRowsChecked = kRowThreads / kCheckLanes;

// Whether four values' parts are, to the bit, what a line has of them.
__device__ __forceinline__ bool is_split(const Parts& first, const Parts& second, const __half* line) {
  const __half2* hi = reinterpret_cast<const __half2*>(line);
  const __half2* lo = reinterpret_cast<const __half2*>(line + kSliceWidth);
  auto bits = [](const __half2& pair) { return *reinterpret_cast<const unsigned*>(&pair); };
  return bits(first.hi) == bits(hi[0]) && bits(second.hi) == bits(hi[1]) && bits(first.lo) == bits(lo[0]) &&
         bits(second.lo) == bits(lo[1]);
}

// Looks at one slice of kRowsChecked rows from row0 on: whether one of them is not what was split, and which. Something
// changed it that PyTorch does not count, such as weight.data.mul_(), or an optimizer in a CUDA graph.
template <bool kVector>
__device__ __forceinline__ bool find_changed(const SplitTask& task, int row0, int k, int slices, int* changed) {
  const int r = threadIdx.x / kCheckLanes, row = row0 + r, c = threadIdx.x % kCheckLanes * 4;
  bool differs = false;
  if (row < task.rows) {
    const float4 v = load4<kVector>(task.values + static_cast<size_t>(row) * k, task.slice * kSliceWidth + c, k);
    const float scale = 1.f / task.facts[row];
    const __half* line = task.lines + (static_cast<size_t>(row) * slices + task.slice) * kLine + c;
    differs = !is_split(split2(v.x * scale, v.y * scale), split2(v.z * scale, v.w * scale), line);
  }
  if (threadIdx.x < kRowsChecked) {
    changed[threadIdx.x] = 0;
  }
  __syncthreads();
  if (differs) {
    changed[r] = 1;
  }
  return __syncthreads_or(differs);
}

// The first blocks split a row of one matrix each. The others do the same with another one, which may have no rows, or
// check its split, and split rows that changed.
template <bool kVector>
__global__ void __launch_bounds__(kRowThreads, 4)
    split_rows(const SplitTask first, const SplitTask beside, int k, int slices) {
  __shared__ int changed[kRowsChecked];
  const int block = blockIdx.x;
  const bool is_first = block < first.rows;
  const SplitTask task = is_first ? first : beside;
  const int unit = is_first ? block : block - first.rows;
  const bool checks = task.slice != kAllSlices;
  const int rows = checks ? kRowsChecked : 1, row0 = unit * rows;
  if (checks && !find_changed<kVector>(task, row0, k, slices, changed)) {
    return;
  }
  for (int i = 0; i < rows; ++i) {
    if (!checks || changed[i]) {
      split_row<kVector>(task.values, row0 + i, task.rows, k, slices, task.lines, task.facts);
      __syncthreads();  // before the next one writes to shared memory
    }
  }
}

// The same for rows that are the columns of `values` (k, rows). A block works on 32 of them, in two passes: lane l of
// each warp looks at row l, for the largest and the mean first; then it splits a slice of it, 32 values, and the warp
// turns 32 such lines in shared memory, so that it writes whole ones. The chunk c of row r lies there at c ^ (r % 8),
// so that both accesses meet every bank once.
__global__ void __launch_bounds__(kColumnThreads, 2)
    split_columns(const float* __restrict__ values, int rows, int k, int slices, __half* __restrict__ lines,
                  float* __restrict__ facts) {
  constexpr int kWarps = kColumnThreads / 32, kAtOnce = 16, kChunks = 8;
  __shared__ uint4 turned[kWarps][32][kChunks];
  __shared__ float shared[3][kWarps][32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row0 = blockIdx.x * 32, row = row0 + lane;
  const float* from = values + min(row, rows - 1);

  unsigned largest = 0;
  float sum = 0.f;
  for (int k0 = warp * kAtOnce; k0 < k; k0 += kWarps * kAtOnce) {
    float v[kAtOnce];
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      v[i] = k0 + i < k ? from[static_cast<size_t>(k0 + i) * rows] : 0.f;
    }
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      largest = max(largest, __float_as_uint(v[i]) & 0x7fffffffu);
      sum += fabsf(v[i]);
    }
  }
  shared[0][warp][lane] = __uint_as_float(largest);
  shared[1][warp][lane] = sum;
  __syncthreads();
  largest = 0;
  sum = 0.f;
#pragma unroll
  for (int i = 0; i < kWarps; ++i) {
    largest = max(largest, __float_as_uint(shared[0][i][lane]));
    sum += shared[1][i][lane];
  }
  __syncthreads();

  const Scaling scaling = scaling_of(largest);
  const float mean = sum * scaling.scale / k;
  Seen seen;
  for (int slice = warp; slice < slices; slice += kWarps) {
    float v[kSliceWidth];
#pragma unroll
    for (int i = 0; i < kSliceWidth; ++i) {
      const int c = slice * kSliceWidth + i;
      v[i] = c < k ? from[static_cast<size_t>(c) * rows] : 0.f;
    }
    __syncwarp();  // the lines before these have been read
#pragma unroll
    for (int c = 0; c < kChunks / 2; ++c) {
      split8(v + 8 * c, scaling.scale, mean, seen, turned[warp][lane][c ^ lane % 8],
             turned[warp][lane][(c + kChunks / 2) ^ lane % 8]);
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const int r = 4 * i + lane / 8, c = lane % 8;
      if (row0 + r < rows) {
        __half* line = lines + (static_cast<size_t>(row0 + r) * slices + slice) * kLine;
        *reinterpret_cast<uint4*>(line + 8 * c) = turned[warp][r][c ^ r % 8];
      }
    }
  }
  shared[0][warp][lane] = seen.near4;
  shared[1][warp][lane] = seen.near32;
  shared[2][warp][lane] = seen.lossy;
  __syncthreads();
  if (warp == 0 && row < rows) {
    seen = {};
    for (int i = 0; i < kWarps; ++i) {
      seen.near4 += shared[0][i][lane];
      seen.near32 += shared[1][i][lane];
      seen.lossy |= shared[2][i][lane] != 0.f;
    }
    write_facts(facts, rows, row, k, scaling, mean, seen);
  }
}

// What a row of x and a row of w, or the worst of several rows, are known to have.
struct RowFacts {
  float hazard, near4, near32;
};

// Whether the sum over k of x w has all the bits of float32 although elements below 2^-14 lost some.
// Lost is at most 2^-25 (mean |x| + mean |w|) k. Of all k, at least near_x + near_w - 1 (shares) have both factors
// near their means, so that the sum of |x w| is at least k (near_x + near_w - 1) mean |x| mean |w| / (4 or 32)^2.
// The quotient may be two units of 2^-24.
__device__ __forceinline__ bool enough_bits(const RowFacts& x, const RowFacts& w) {
  const float hazard = x.hazard + w.hazard;
  const float both = fmaxf(fmaxf((x.near4 + w.near4 - 1.f) / 16.f, (x.near32 + w.near32 - 1.f) / 1024.f),
                           (fmaxf(x.near4 + w.near32, x.near32 + w.near4) - 1.f) / 128.f);
  return hazard == 0.f || 0.5f * hazard <= 2.f * both;
}

// The fused rest, in the order in which PyTorch rounds: bias, multiplier, activation.
__device__ __forceinline__ float activate(const Product& p, float sum, float bias) {
  const float v = (sum + bias) * p.multiplier;
  return v > 0.f ? v : v * p.slope;
}

// A sum of scaled products, scaled back; the smaller factor first, so that nothing overflows on the way.
__device__ __forceinline__ float unscale(float sum, float x_inverse, float w_inverse) {
  return sum * fminf(x_inverse, w_inverse) * fmaxf(x_inverse, w_inverse);
}

// What the split products take. parts > 1: sums[part] (m, n) gets the sum over the part's slices, still scaled.
struct SplitProduct {
  Product p;
  const __half* x;
  const __half* w;
  const float* x_inverse;
  const float* w_inverse;
  float* sums;
  int slices, parts, part_slices;  // part p sums slices part_slices * p onwards
};

// Two neighbours of a row, columns c and c + 1; what is at or behind `end` is let be.
__device__ __forceinline__ float2 load2(const float* row, int c, int end, bool aligned_pair) {
  if (aligned_pair && c + 1 < end) {
    return *reinterpret_cast<const float2*>(row + c);
  }
  return make_float2(c < end ? row[c] : 0.f, c + 1 < end ? row[c + 1] : 0.f);
}

__device__ __forceinline__ void store2(float* row, int c, int end, bool aligned_pair, float a, float b) {
  if (aligned_pair && c + 1 < end) {
    __stcs(reinterpret_cast<float2*>(row + c), make_float2(a, b));
    return;
  }
  if (c < end) {
    row[c] = a;
  }
  if (c + 1 < end) {
    row[c + 1] = b;
  }
}

// A thread's share of a tile: kPairs pairs in each of two rows, 8 columns apart, in front of column `end`. at(pair, h)
// points to the pair's two sums in the row h, which is row + 8 h.
template <int kPairs, typename At>
__device__ __forceinline__ void store_pairs(const SplitProduct& s, int part, int row, int column, int end, At at) {
  const bool even = s.p.n % 2 == 0, even_bias = even && reinterpret_cast<size_t>(s.p.bias) % 8 == 0;
  if (s.parts > 1) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      if (row + 8 * h < s.p.m) {
        float* to = s.sums + (static_cast<size_t>(part) * s.p.m + row + 8 * h) * s.p.n;
#pragma unroll
        for (int j = 0; j < kPairs; ++j) {
          const float* pair = at(j, h);
          store2(to, column + 8 * j, end, even, pair[0], pair[1]);
        }
      }
    }
    return;
  }
  const float x_inverse[2] = {s.x_inverse[min(row, s.p.m - 1)], s.x_inverse[min(row + 8, s.p.m - 1)]};
#pragma unroll
  for (int j = 0; j < kPairs; ++j) {
    const int c = column + 8 * j;
    const float2 w_inverse = load2(s.w_inverse, c, end, even);
    const float2 bias = s.p.bias ? load2(s.p.bias, c, end, even_bias) : make_float2(0.f, 0.f);
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      if (row + 8 * h < s.p.m) {
        const float* pair = at(j, h);
        store2(s.p.y + static_cast<size_t>(row + 8 * h) * s.p.n, c, end, even,
               activate(s.p, unscale(pair[0], x_inverse[h], w_inverse.x), bias.x),
               activate(s.p, unscale(pair[1], x_inverse[h], w_inverse.y), bias.y));
      }
    }
  }
}

// A kernel of `launch_next` may start while the one before it ends; what that one wrote is there from here on.
__device__ __forceinline__ void wait_for_previous() {
#if defined(WITH_WGMMA) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

constexpr int kFinishThreads = 256;

// y from the partial sums, which are added in the order of their parts: the result is the same in every call.
// Block (i, row) does the columns 4 * kFinishThreads * i onwards, a thread four of them. kVector: n is a multiple of 4.
template <bool kVector>
__global__ void __launch_bounds__(kFinishThreads) add_parts(const SplitProduct s) {
  wait_for_previous();
  const int c = 4 * (blockIdx.x * kFinishThreads + threadIdx.x);
  const size_t size = static_cast<size_t>(s.p.m) * s.p.n;
  for (int row = blockIdx.y; row < s.p.m; row += gridDim.y) {
    const float* from = s.sums + static_cast<size_t>(row) * s.p.n;
    float sum[4] = {};
    for (int part = 0; part < s.parts; ++part) {
      const float4 more = load4<kVector>(from + part * size, c, s.p.n);
      sum[0] += more.x;
      sum[1] += more.y;
      sum[2] += more.z;
      sum[3] += more.w;
    }
    const float x_inverse = s.x_inverse[row];
    float* to = s.p.y + static_cast<size_t>(row) * s.p.n;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      if (c + e < s.p.n) {
        const float bias = s.p.bias ? s.p.bias[c + e] : 0.f;
        sum[e] = activate(s.p, unscale(sum[e], x_inverse, s.w_inverse[c + e]), bias);
      }
    }
    if (kVector && c < s.p.n) {
      *reinterpret_cast<float4*>(to + c) = make_float4(sum[0], sum[1], sum[2], sum[3]);
      continue;
    }
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      if (c + e < s.p.n) {
        to[c + e] = sum[e];
      }
    }
  }
}

}  // namespace
"""

# Plain float32: the tiles that the split cannot serve.
CUDA_FULL_RANGE = r"""
namespace {

constexpr int kPlainTile = 128;
constexpr int kPlainDepth = 16;
constexpr int kPlainThreads = 256;
constexpr int kPlainPromotion = 4;  // chunks of kPlainDepth in one running sum, before it is added to the whole

// The worst of the facts of kPlainTile rows from `first` on, for each lane of a warp.
__device__ __forceinline__ RowFacts worst_facts(const float* facts, int rows, int first) {
  RowFacts worst{0.f, 1.f, 1.f};
#pragma unroll
  for (int i = 0; i < kPlainTile / 32; ++i) {
    const size_t size = rows, row = min(first + 32 * i + static_cast<int>(threadIdx.x) % 32, rows - 1);
    worst.hazard = fmaxf(worst.hazard, facts[kHazard * size + row]);
    worst.near4 = fminf(worst.near4, facts[kNear4 * size + row]);
    worst.near32 = fminf(worst.near32, facts[kNear32 * size + row]);
  }
#pragma unroll
  for (int d = 16; d; d /= 2) {
    worst.hazard = fmaxf(worst.hazard, __shfl_xor_sync(0xffffffffu, worst.hazard, d));
    worst.near4 = fminf(worst.near4, __shfl_xor_sync(0xffffffffu, worst.near4, d));
    worst.near32 = fminf(worst.near32, __shfl_xor_sync(0xffffffffu, worst.near32, d));
  }
  return worst;
}

// Eight values of a row; kVector: where both operands are aligned, and neither is transposed.
template <bool kVector>
__device__ __forceinline__ void load_terms(float* to, const float* values, int row, int rows, int c, int k,
                                           bool transposed) {
  if (!kVector && transposed) {
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      to[e] = c + e < k ? values[static_cast<size_t>(c + e) * rows + row] : 0.f;
    }
    return;
  }
  load8<kVector>(to, values + static_cast<size_t>(row) * k, c, k);
}

// A tile of 128 x 128 by float32 multiply-adds.
// Thread (i, j) of 16 x 16 owns rows 4 i..4 i + 3 and 64 + 4 i.., columns 4 j.. and 64 + 4 j...
template <bool kVector>
__device__ __forceinline__ void multiply_plain_tile(const Product& p, int row0, int column0) {
  __shared__ __align__(16) float x_tile[kPlainDepth][kPlainTile + 4];
  __shared__ __align__(16) float w_tile[kPlainDepth][kPlainTile + 4];
  const int t = threadIdx.x, i = t / 16, j = t % 16;
  float whole[8][8] = {};
  float sum[8][8] = {};
  int chunk = 0;
  for (int k0 = 0; k0 < p.k; k0 += kPlainDepth) {
    const int r = t / 2, k = t % 2 * 8;
    float xs[8], ws[8];
    load_terms<kVector>(xs, p.x, min(row0 + r, p.m - 1), p.m, k0 + k, p.k, p.x_transposed);
    load_terms<kVector>(ws, p.w, min(column0 + r, p.n - 1), p.n, k0 + k, p.k, p.w_transposed);
    __syncthreads();
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      x_tile[k + e][r] = xs[e];
      w_tile[k + e][r] = ws[e];
    }
    __syncthreads();
#pragma unroll
    for (int d = 0; d < kPlainDepth; ++d) {
      float a[8], b[8];
      *reinterpret_cast<float4*>(a) = *reinterpret_cast<const float4*>(&x_tile[d][4 * i]);
      *reinterpret_cast<float4*>(a + 4) = *reinterpret_cast<const float4*>(&x_tile[d][64 + 4 * i]);
      *reinterpret_cast<float4*>(b) = *reinterpret_cast<const float4*>(&w_tile[d][4 * j]);
      *reinterpret_cast<float4*>(b + 4) = *reinterpret_cast<const float4*>(&w_tile[d][64 + 4 * j]);
#pragma unroll
      for (int u = 0; u < 8; ++u) {
#pragma unroll
        for (int v = 0; v < 8; ++v) {
          sum[u][v] = fmaf(a[u], b[v], sum[u][v]);
        }
      }
    }
    if (++chunk % kPlainPromotion == 0 || k0 + kPlainDepth >= p.k) {
#pragma unroll
      for (int u = 0; u < 8; ++u) {
#pragma unroll
        for (int v = 0; v < 8; ++v) {
          whole[u][v] += sum[u][v];
          sum[u][v] = 0.f;
        }
      }
    }
  }
#pragma unroll
  for (int u = 0; u < 8; ++u) {
    const int row = row0 + u / 4 * 64 + 4 * i + u % 4;
#pragma unroll
    for (int v = 0; v < 8; ++v) {
      const int c = column0 + v / 4 * 64 + 4 * j + v % 4;
      if (row < p.m && c < p.n) {
        p.y[static_cast<size_t>(row) * p.n + c] = activate(p, whole[u][v], p.bias ? p.bias[c] : 0.f);
      }
    }
  }
}

// Computes again each tile of y for which the split has not enough bits; usually none. A warp looks at a tile.
template <bool kVector>
__global__ void __launch_bounds__(kPlainThreads)
    multiply_full_range(const Product p, const float* __restrict__ x_facts, const float* __restrict__ w_facts) {
  constexpr int kWarps = kPlainThreads / 32;
  __shared__ int needed[kWarps];
  wait_for_previous();
  const int rows = (p.m + kPlainTile - 1) / kPlainTile, tiles = rows * ((p.n + kPlainTile - 1) / kPlainTile);
  for (int first = blockIdx.x; first < tiles; first += kWarps * gridDim.x) {
    const int warp = threadIdx.x / 32, mine = min(first + warp * static_cast<int>(gridDim.x), tiles - 1);
    const bool enough = enough_bits(worst_facts(x_facts, p.m, mine % rows * kPlainTile),
                                    worst_facts(w_facts, p.n, mine / rows * kPlainTile));
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
      needed[warp] = !enough;
    }
    __syncthreads();
    for (int i = 0; i < kWarps; ++i) {
      const int tile = first + i * gridDim.x;
      if (tile < tiles && needed[i]) {
        multiply_plain_tile<kVector>(p, tile % rows * kPlainTile, tile / rows * kPlainTile);
      }
    }
  }
}

}  // namespace
"""

# Few rows: bound by reading w once.
CUDA_FEW_ROWS = r"""
namespace {

constexpr int kFewThreads = 256;
constexpr int kFewWarps = kFewThreads / 32;
constexpr int kMostFewRows = 16;
// Where m is 1: outputs of a warp, which share what is loaded of x, and terms in one running sum. The fastest, with
// none more accurate, of those that bench/gemm.py tried on an H200 (variants).
constexpr int kOutputs = 2;
constexpr int kTerms = 8;

// The terms k.., 128 + k.., ... of kOutputs sums, four each; all of w is asked for before the first is used, to keep
// the memory busy. kInside: all these terms exist.
template <bool kVector, bool kInside>
__device__ __forceinline__ void add_terms(float (&whole)[kOutputs][4], const float* const (&row)[kOutputs],
                                          const float* x_row, int k, int end) {
  float4 w[kTerms][kOutputs];
#pragma unroll
  for (int u = 0; u < kTerms; ++u) {
#pragma unroll
    for (int o = 0; o < kOutputs; ++o) {
      if constexpr (kVector && kInside) {
        w[u][o] = __ldcs(reinterpret_cast<const float4*>(row[o] + k + 128 * u));
      } else {
        w[u][o] = load4<kVector>(row[o], k + 128 * u, end);
      }
    }
  }
  float sum[kOutputs][4] = {};
#pragma unroll
  for (int u = 0; u < kTerms; ++u) {
    float4 x;
    if constexpr (kVector && kInside) {
      x = __ldg(reinterpret_cast<const float4*>(x_row + k + 128 * u));
    } else {
      x = load4<kVector>(x_row, k + 128 * u, end);
    }
#pragma unroll
    for (int o = 0; o < kOutputs; ++o) {
      sum[o][0] = fmaf(w[u][o].x, x.x, sum[o][0]);
      sum[o][1] = fmaf(w[u][o].y, x.y, sum[o][1]);
      sum[o][2] = fmaf(w[u][o].z, x.z, sum[o][2]);
      sum[o][3] = fmaf(w[u][o].w, x.w, sum[o][3]);
    }
  }
#pragma unroll
  for (int o = 0; o < kOutputs; ++o) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      whole[o][i] += sum[o][i];
    }
  }
}

// m = 1. One warp computes kOutputs neighbours: lane l takes the terms 4 l.., 128 + 4 l.., ...
template <bool kVector>
__global__ void __launch_bounds__(kFewThreads) multiply_one_row(const Product p) {
  const int lane = threadIdx.x % 32, c0 = (blockIdx.x * kFewWarps + threadIdx.x / 32) * kOutputs;
  const float* row[kOutputs];
#pragma unroll
  for (int o = 0; o < kOutputs; ++o) {
    row[o] = p.w + static_cast<size_t>(min(c0 + o, p.n - 1)) * p.k;
  }
  float whole[kOutputs][4] = {};
  int k = 4 * lane;
#pragma unroll 1
  for (; k - 4 * lane + 128 * kTerms <= p.k; k += 128 * kTerms) {
    add_terms<kVector, true>(whole, row, p.x, k, p.k);
  }
  if (k < p.k) {
    add_terms<kVector, false>(whole, row, p.x, k, p.k);
  }
#pragma unroll
  for (int o = 0; o < kOutputs; ++o) {
    float sum = (whole[o][0] + whole[o][1]) + (whole[o][2] + whole[o][3]);
#pragma unroll
    for (int d = 16; d; d /= 2) {
      sum += __shfl_xor_sync(0xffffffffu, sum, d);
    }
    if (lane == 0 && c0 + o < p.n) {
      p.y[c0 + o] = activate(p, sum, p.bias ? p.bias[c0 + o] : 0.f);
    }
  }
}

// v = hi + lo in TF32, which has the range of float32 and 11 bits; hi is rounded, and the hardware cuts lo.
__device__ __forceinline__ void split_tf32(float v, unsigned& hi, unsigned& lo) {
  hi = (__float_as_uint(v) + 0x1000u) & 0xffffe000u;
  lo = __float_as_uint(v - __uint_as_float(hi)) + 0x1000u;
}

__device__ __forceinline__ void mma_tf32(float* d, const unsigned* a, const unsigned* b) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// m <= 8 * kTiles. y^T = w x^T, so that w is the operand with 16 rows: a block owns 32 columns of y, and its eight
// warps share k in steps of 32. w goes from memory to registers, once. Every 16 terms are summed on the tensor core,
// then added. In a fragment, k is permuted (lane q of four holds 4 q.. of 16 neighbours), alike for both operands.
template <int kTiles, bool kVector>
__global__ void __launch_bounds__(kFewThreads, 2) multiply_few(const Product p) {
  constexpr int kRows = 8 * kTiles, kColumns = 32, kStep = 32;
  __shared__ float sums[kFewWarps][kRows][kColumns + 1];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, q = lane % 4;
  const int column0 = blockIdx.x * kColumns;
  const float* w_row[4];
  const float* x_row[kTiles];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    w_row[i] = p.w + static_cast<size_t>(min(column0 + 8 * i + g, p.n - 1)) * p.k;
  }
#pragma unroll
  for (int j = 0; j < kTiles; ++j) {
    x_row[j] = p.x + static_cast<size_t>(min(8 * j + g, p.m - 1)) * p.k;
  }
  float whole[2][kTiles][4] = {};
  for (int k0 = warp * kStep; k0 < p.k; k0 += kFewWarps * kStep) {
    float w[kStep / 16][4][4];
#pragma unroll
    for (int h = 0; h < kStep / 16; ++h) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        *reinterpret_cast<float4*>(w[h][i]) = load4<kVector>(w_row[i], k0 + 16 * h + 4 * q, p.k);
      }
    }
#pragma unroll
    for (int h = 0; h < kStep / 16; ++h) {
      float x[kTiles][4];
#pragma unroll
      for (int j = 0; j < kTiles; ++j) {
        *reinterpret_cast<float4*>(x[j]) = load4<kVector>(x_row[j], k0 + 16 * h + 4 * q, p.k);
      }
      float sum[2][kTiles][4] = {};
#pragma unroll
      for (int e = 0; e < 4; e += 2) {
        unsigned x_hi[kTiles][2], x_lo[kTiles][2], w_hi[2][4], w_lo[2][4];
#pragma unroll
        for (int j = 0; j < kTiles; ++j) {
          split_tf32(x[j][e], x_hi[j][0], x_lo[j][0]);
          split_tf32(x[j][e + 1], x_hi[j][1], x_lo[j][1]);
        }
#pragma unroll
        for (int i = 0; i < 2; ++i) {
#pragma unroll
          for (int r = 0; r < 4; ++r) {
            split_tf32(w[h][2 * i + r % 2][e + r / 2], w_hi[i][r], w_lo[i][r]);
          }
        }
#pragma unroll
        for (int i = 0; i < 2; ++i) {
#pragma unroll
          for (int j = 0; j < kTiles; ++j) {
            mma_tf32(sum[i][j], w_lo[i], x_hi[j]);
            mma_tf32(sum[i][j], w_hi[i], x_lo[j]);
            mma_tf32(sum[i][j], w_hi[i], x_hi[j]);
          }
        }
      }
#pragma unroll
      for (int i = 0; i < 2; ++i) {
#pragma unroll
        for (int j = 0; j < kTiles; ++j) {
#pragma unroll
          for (int r = 0; r < 4; ++r) {
            whole[i][j][r] += sum[i][j][r];
          }
        }
      }
    }
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
#pragma unroll
    for (int j = 0; j < kTiles; ++j) {
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        sums[warp][8 * j + 2 * q + r % 2][16 * i + g + r / 2 * 8] = whole[i][j][r];
      }
    }
  }
  __syncthreads();
  for (int o = threadIdx.x; o < kColumns * min(p.m, kRows); o += kFewThreads) {
    const int c = column0 + o % kColumns, row = o / kColumns;
    if (c >= p.n) {
      continue;
    }
    float sum = 0.f;
#pragma unroll
    for (int i = 0; i < kFewWarps; ++i) {
      sum += sums[i][row][o % kColumns];
    }
    if (!(fabsf(sum) < INFINITY)) {  // Inf - Inf in a split is NaN: compute it as PyTorch does
      sum = 0.f;
      for (int k = 0; k < p.k; ++k) {
        sum = fmaf(p.x[static_cast<size_t>(row) * p.k + k], p.w[static_cast<size_t>(c) * p.k + k], sum);
      }
    }
    p.y[static_cast<size_t>(row) * p.n + c] = activate(p, sum, p.bias ? p.bias[c] : 0.f);
  }
}

}  // namespace
"""

# The split product for every tensor core since the A100.
CUDA_MMA = r"""
namespace {

constexpr int kMmaRows = 128;     // of a block
constexpr int kMmaColumns = 128;  // of a block
constexpr int kMmaBlocks = 1;     // of a multiprocessor
constexpr int kMmaThreads = 32 * (kMmaRows / 64) * (kMmaColumns / 32);
constexpr int kMmaStage = (kMmaRows + kMmaColumns) * 128;         // bytes: a line of each row of x and of w
constexpr int kMmaStages = (160 << 10) / kMmaBlocks / kMmaStage;  // as many as an A100's shared memory holds
constexpr int kShortSlices = 8;                                   // up to so many, sums are short

__device__ __forceinline__ void load_matrices(unsigned* r, unsigned from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(from));
}

// d = c + a b.
__device__ __forceinline__ void mma_f16(float* d, const unsigned* a, const unsigned* b, const float* c) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]));
}

// 16 bytes, or zeros and nothing is read: without a branch, the compiler can put it between products.
__device__ __forceinline__ void copy_async(unsigned to, const char* from, bool read) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(read ? 16 : 0) : "memory");
}

template <int kGroups>
__device__ __forceinline__ void wait_for_copies() {  // of all groups but the last kGroups
  asm volatile("cp.async.wait_group %0;" ::"n"(kGroups) : "memory");
}

// y or sums[part] = x w^T for one tile of 128 x 128; part = blockIdx.y. Eight warps own 64 x 32 each, as 4 x 4 products
// of 16 x 8. kStages slices are in shared memory: some are multiplied while the next ones arrive. A line of 128 bytes
// is stored with its 16-byte chunk c at c ^ (row % 8), so that ldmatrix meets every bank once.
// For each k16 step: lo hi, hi lo, hi hi, in one sum in the tensor core; the fragments of a product are loaded during
// the one before it. Sums have 64 terms: in each step another of the four rows of products ends its sums, adds them
// with rounding, and starts anew; all rows at once would leave the tensor cores idle meanwhile. kShort: sums of 16
// terms. Where k is small, little is rounded and what the tensor core cuts off weighs more; else it is the other way.
template <int kStages, bool kShort>
__global__ void __launch_bounds__(kMmaThreads, kMmaBlocks) multiply_mma(const SplitProduct s) {
  extern __shared__ __align__(1024) unsigned char shared_bytes[];
  const unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(shared_bytes));
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const int warp_row = warp % (kMmaRows / 64), warp_column = warp / (kMmaRows / 64);
  const int row_tiles = (s.p.m + kMmaRows - 1) / kMmaRows;
  int block = blockIdx.x;
  const int row0 = block % row_tiles * kMmaRows, column0 = block / row_tiles * kMmaColumns;
  const int first = blockIdx.y * s.part_slices, slices = min(s.part_slices, s.slices - first);

  // Thread t fetches 16 bytes, chunk t % 8, of rows t / 8 + kApart i of x, then of w; behind the last row, the last.
  constexpr int kApart = kMmaThreads / 8, kOfX = kMmaRows / kApart, kCopies = kOfX + kMmaColumns / kApart;
  const unsigned line = s.slices * kLine * sizeof(__half);
  const size_t offset = first * kLine * sizeof(__half) + t % 8 * 16;
  const char* x = reinterpret_cast<const char*>(s.x) + static_cast<size_t>(row0) * line + offset;
  const char* w = reinterpret_cast<const char*>(s.w) + static_cast<size_t>(column0) * line + offset;
  const int last_row = s.p.m - 1 - row0, last_column = s.p.n - 1 - column0;
  const unsigned to = t / 8 * 128 + ((t % 8 ^ t / 8 % 8) << 4);
  const char* from[kCopies];
#pragma unroll
  for (int i = 0; i < kCopies; ++i) {
    const unsigned row = i < kOfX ? min(t / 8 + kApart * i, last_row) : min(t / 8 + kApart * (i - kOfX), last_column);
    from[i] = (i < kOfX ? x : w) + row * line;
  }
  // One slice after the other.
  auto fetch = [&](int slice, int i) {
    copy_async(shared + slice % kStages * kMmaStage + to + i * kApart * 128, from[i], slice < slices);
    from[i] += 128;
  };
  auto commit = [] { asm volatile("cp.async.commit_group;" ::: "memory"); };

  // Of hi of k 0..15. Those of hi of k 16..31 and of lo are 32 and 64 bytes away, by exclusive or.
  const unsigned x_at = (warp_row * 64 + (lane & 15)) * 128 + (((lane >> 4) ^ (lane & 7)) << 4);
  const unsigned w_at =
      (kMmaRows + warp_column * 32 + (lane & 7) + ((lane >> 4) << 3)) * 128 + ((((lane >> 3) & 1) ^ (lane & 7)) << 4);
  float large[4][4][4] = {}, sum[4][4][4] = {};
  unsigned x_hi[4][4], x_lo[4][4], w_hi[2][2][4], w_lo[2][4];
  auto load_x = [&](unsigned (*x)[4], unsigned stage, int chunk) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      load_matrices(x[i], ((stage + x_at) ^ chunk) + i * 16 * 128);
    }
  };
  auto load_w = [&](unsigned (*w)[4], unsigned stage, int chunk) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      load_matrices(w[i], ((stage + w_at) ^ chunk) + i * 16 * 128);
    }
  };
  auto load_first = [&](unsigned stage, int step) {
    load_x(x_lo, stage, 64 + 32 * step);
    load_w(w_hi[kShort ? 0 : step], stage, 32 * step);
  };
  auto promote = [&](int i, int j) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      large[i][j][e] += sum[i][j][e];
    }
  };
  constexpr float kZero[4] = {};
  auto multiply_row = [&](int i, unsigned (*x)[4], unsigned (*w)[4], bool anew, bool ended) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      mma_f16(sum[i][j], x[i], w[j / 2] + 2 * (j % 2), anew ? kZero : sum[i][j]);
      if (ended) {
        promote(i, j);
      }
    }
  };
  // Before the products of row i comes beside(i). Row `anew` starts from zero, row `ended` is promoted.
  auto multiply = [&](unsigned (*x)[4], unsigned (*w)[4], int anew, int ended, auto beside) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      beside(i);
      multiply_row(i, x, w, i == anew, i == ended);
    }
  };
  constexpr int kNone = -1;

  // Where there are stages enough, the block waits for two slices at once.
  constexpr int kTogether = kStages < 4 ? 1 : 2, kAhead = kStages - kTogether;
  auto fetch_all = [&](int slice) {
#pragma unroll
    for (int i = 0; i < kCopies; ++i) {
      fetch(slice, i);
    }
  };
  for (int slice = 0; slice < kAhead; ++slice) {
    fetch_all(slice);
    commit();
  }
  wait_for_copies<kAhead - kTogether>();
  __syncthreads();
  load_first(shared, 0);
#pragma unroll 1
  for (int pair = 0; pair < slices; pair += 2) {
    // Short sums are not unrolled: the compiler would put their additions off, and has no registers for that.
#pragma unroll(kShort ? 1 : 4)
    for (int quarter = 0; quarter < 4; ++quarter) {
      const int slice = pair + quarter / 2, step = quarter % 2, now = kShort ? 0 : step;
      const unsigned stage = shared + slice % kStages * kMmaStage;
      // A fourth of the copies for a slice, a few at a time: many at once would make the products wait for them.
      auto fetch_part = [&](int part) {
        return [&, part](int i) {
#pragma unroll
          for (int n = 4 * part + i, copy = n * kCopies / 16; copy < (n + 1) * kCopies / 16; ++copy) {
            fetch(slice + kAhead, copy);
          }
        };
      };
      load_x(x_hi, stage, 32 * step);
      load_w(w_lo, stage, 64 + 32 * step);
      if (kShort) {
        if (step == 0) {
          fetch_all(slice + kAhead);
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          multiply_row(i, x_lo, w_hi[now], true, false);
          multiply_row(i, x_hi, w_lo, false, false);
          multiply_row(i, x_hi, w_hi[now], false, true);
        }
      } else {
        multiply(x_lo, w_hi[now], (4 - quarter) % 4, kNone, fetch_part(2 * step));
        multiply(x_hi, w_lo, kNone, kNone, fetch_part(2 * step + 1));
      }
      if (step == 0) {
        load_first(stage, 1);
      } else {
        commit();
        if (kTogether == 1 || quarter == 3) {
          wait_for_copies<kAhead - kTogether>();
          __syncthreads();
        }
        if (slice + 1 < slices) {
          load_first(shared + (slice + 1) % kStages * kMmaStage, 0);
        }
      }
      if (!kShort) {
        multiply(x_hi, w_hi[now], kNone, 3 - quarter, [](int) {});
      }
    }
  }

  asm volatile("" : "+r"(block));  // so that this is computed again, and takes no registers until here
  const int row = block % row_tiles * kMmaRows + warp_row * 64 + lane / 4;
  const int column = block / row_tiles * kMmaColumns + warp_column * 32 + lane % 4 * 2;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < 4 && i > 0 && !kShort; ++j) {  // row 0 has ended with the last slice
      promote(i, j);
    }
    store_pairs<4>(s, blockIdx.y, row + i * 16, column, s.p.n, [&](int j, int h) { return &large[i][j][2 * h]; });
  }
}

}  // namespace
"""

# The split product for Hopper (sm_90a): TMA brings the lines, wgmma multiplies them where they lie.
CUDA_WGMMA = r"""
#include <cuda.h>

namespace {

constexpr int kWgmmaRows = 128;      // of a block: two warpgroups of 64
constexpr int kWgmmaColumns = 256;   // of a block, computed as two halves
constexpr int kNarrowColumns = 248;  // of all column tiles but the first, where that saves work at the end
constexpr int kWgmmaThreads = 384;
constexpr int kWgmmaStages = 4;
constexpr int kWgmmaPromotion = 2;  // slices in one running sum: 64 terms
constexpr int kXBytes = kWgmmaRows * 128;
constexpr int kWBytes = kWgmmaColumns * 128;
constexpr int kWgmmaStage = kXBytes + kWBytes;
constexpr int kWgmmaShared = kWgmmaStages * kWgmmaStage + 1024;  // 1024: to align the first stage

template <int kColumns>
struct Columns {};

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
// wgmma for 64 x 128 and 64 x 120 sums: d = (add ? d : 0) + a b, 16 terms; a, b describe shared memory.
__device__ __forceinline__ void wgmma(Columns<128>, float* d, unsigned long long a, unsigned long long b, int add) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
      "%64, %65, p, 1, 1, 0, 0;\n}"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),
        "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),
        "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),
        "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]),
        "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]),
        "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]),
        "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]),
        "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
      : "l"(a), "l"(b), "r"(add));
}

__device__ __forceinline__ void wgmma(Columns<120>, float* d, unsigned long long a, unsigned long long b, int add) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %62, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n120k16.f32.f16.f16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59}, "
      "%60, %61, p, 1, 1, 0, 0;\n}"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),
        "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),
        "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),
        "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]),
        "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]),
        "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]),
        "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]),
        "+f"(d[57]), "+f"(d[58]), "+f"(d[59])
      : "l"(a), "l"(b), "r"(add));
}

// An mbarrier in shared memory is given by its address.
__device__ __forceinline__ void barrier_init(unsigned barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals));
}

__device__ __forceinline__ void barrier_wait(unsigned barrier, unsigned parity) {
  asm volatile(
      "{\n.reg .pred p;\n"
      "again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra done;\nbra again;\ndone:\n}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

__device__ __forceinline__ void barrier_expect(unsigned barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

// In a block of the cluster. Without .release.cluster, which compiles to a fence of the whole memory and costs a
// fifth of the time: what it would order, the reads of wgmma, has been waited for.
__device__ __forceinline__ void barrier_arrive(unsigned barrier, int block) {
  asm volatile(
      "{\n.reg .b32 r;\nmapa.shared::cluster.u32 r, %0, %1;\nmbarrier.arrive.shared::cluster.b64 _, [r];\n}" ::"r"(
          barrier),
      "r"(block)
      : "memory");
}

__device__ __forceinline__ void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// A box of lines to shared memory, in each block of the mask; `barrier` counts its bytes there.
template <bool kMulticast>
__device__ __forceinline__ void fetch_box(unsigned to, const CUtensorMap* map, unsigned barrier, int x, int y,
                                          unsigned short mask) {
  if constexpr (kMulticast) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%0], [%1, {%3, %4}], [%2], %5;" ::"r"(to),
        "l"(map), "r"(barrier), "r"(x), "r"(y), "h"(mask)
        : "memory");
  } else {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], "
        "[%2];" ::"r"(to),
        "l"(map), "r"(barrier), "r"(x), "r"(y)
        : "memory");
  }
}

// A matrix of 128-byte rows in shared memory, swizzled by 128 bytes; 16 more columns of fp16 are + 2.
__device__ __forceinline__ unsigned long long describe(unsigned address) {
  return static_cast<unsigned long long>((address & 0x3ffff) >> 4) | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

// The stage that is next, and the parity of its barriers in this round.
struct Cursor {
  int stage = 0;
  unsigned parity;
  __device__ explicit Cursor(unsigned p) : parity(p) {}
  __device__ void advance() {
    if (++stage == kWgmmaStages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

// sum = the terms of kWgmmaPromotion slices, for 64 x kColumns. hi lo and lo hi come first: while the sum is small,
// little is cut off.
template <int kColumns>
__device__ __forceinline__ void sum_slices(float* sum, const unsigned* x, const unsigned* w) {
  constexpr int kLo = 4;    // descriptor units from hi to lo
  constexpr int kStep = 2;  // and to the next 16 columns
  const Columns<kColumns> columns;
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
  for (int c = 0; c < kWgmmaPromotion; ++c) {
    const unsigned long long dx = describe(x[c]), dw = describe(w[c]);
    wgmma(columns, sum, dx + kLo, dw, c > 0);
    wgmma(columns, sum, dx + kLo + kStep, dw + kStep, 1);
    wgmma(columns, sum, dx, dw + kLo, 1);
    wgmma(columns, sum, dx + kStep, dw + kLo + kStep, 1);
  }
#pragma unroll
  for (int c = 0; c < kWgmmaPromotion; ++c) {
    const unsigned long long dx = describe(x[c]), dw = describe(w[c]);
    wgmma(columns, sum, dx, dw, 1);
    wgmma(columns, sum, dx + kStep, dw + kStep, 1);
  }
  asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
  for (int i = 0; i < kColumns / 2; ++i) {
    asm volatile("" : "+f"(sum[i])::"memory");  // no use of the sum moves before the wait
  }
}

// A warpgroup's 64 rows of a tile: whole[half] = the sum over all slices of the part, half of the columns each.
// One half is promoted with the registers of one running sum, while the other warpgroup keeps the tensor cores busy.
template <int kCluster, int kSecond>
__device__ __forceinline__ void multiply_tile(float (&whole)[2][64], Cursor& cursor, unsigned shared, unsigned full,
                                              unsigned empty, int slices, int warpgroup) {
  for (int slice = 0; slice < slices; slice += kWgmmaPromotion) {
    unsigned x[kWgmmaPromotion], w[2][kWgmmaPromotion];
    int stages[kWgmmaPromotion];
#pragma unroll
    for (int c = 0; c < kWgmmaPromotion; ++c) {
      barrier_wait(full + 8 * cursor.stage, cursor.parity);
      const unsigned stage = shared + cursor.stage * kWgmmaStage;
      stages[c] = cursor.stage;
      x[c] = stage + warpgroup * (kXBytes / 2);
      w[0][c] = stage + kXBytes;
      w[1][c] = stage + kXBytes + kWBytes / 2;
      cursor.advance();
    }
    float sum[64];
    sum_slices<128>(sum, x, w[0]);
#pragma unroll
    for (int i = 0; i < 64; ++i) {
      whole[0][i] += sum[i];
    }
    sum_slices<kSecond>(sum, x, w[1]);
    if (threadIdx.x % 128 < kCluster) {
#pragma unroll
      for (int c = 0; c < kWgmmaPromotion; ++c) {
        barrier_arrive(empty + 8 * stages[c], threadIdx.x % 128);
      }
    }
#pragma unroll
    for (int i = 0; i < kSecond / 2; ++i) {
      whole[1][i] += sum[i];
    }
  }
}
#endif  // __CUDA_ARCH_FEAT_SM90_ALL

// The tiles of y, rows first: neighbours share lines of w. Unit u is tile u % tiles of part u / tiles.
struct Tiling {
  int row_tiles, column_tiles, step;
  __host__ __device__ int tiles() const { return row_tiles * column_tiles; }
  __device__ int column(int tile) const {
    const int c = tile / row_tiles;
    return c ? kWgmmaColumns + (c - 1) * step : 0;
  }
};

// y or sums[part] = x w^T. A block takes 128 x 256, or 128 x 248, of y at a time: a producer warp fetches, and two
// warpgroups multiply. kCluster blocks, one above the other, share the lines of w: each fetches its share for all.
template <int kCluster>
__global__ void __cluster_dims__(kCluster, 1, 1) __launch_bounds__(kWgmmaThreads, 1)
    multiply_wgmma(const __grid_constant__ CUtensorMap x_map, const __grid_constant__ CUtensorMap w_map,
                   const SplitProduct s, const Tiling tiling) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  extern __shared__ unsigned char shared_bytes[];
  __shared__ __align__(8) unsigned long long barriers[2 * kWgmmaStages];
  const unsigned shared = (static_cast<unsigned>(__cvta_generic_to_shared(shared_bytes)) + 1023u) & ~1023u;
  const unsigned full = static_cast<unsigned>(__cvta_generic_to_shared(barriers)), empty = full + 8 * kWgmmaStages;
  const int rank = kCluster > 1 ? blockIdx.x % kCluster : 0;
  const int units = tiling.tiles() * s.parts;
  const int first_unit = blockIdx.x / kCluster, unit_step = gridDim.x / kCluster;

  if (threadIdx.x == 0) {
    for (int i = 0; i < kWgmmaStages; ++i) {
      barrier_init(full + 8 * i, 1);
      barrier_init(empty + 8 * i, 2 * kCluster);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  cluster_sync();
  wait_for_previous();

  if (threadIdx.x < 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 0) {
      Cursor cursor(1);
      for (int unit = first_unit; unit < units; unit += unit_step) {
        const int tile = unit % tiling.tiles();
        const int row = (tile % tiling.row_tiles * kCluster + rank) * kWgmmaRows, column = tiling.column(tile);
        const int first = unit / tiling.tiles() * s.part_slices, end = min(first + s.part_slices, s.slices);
        for (int slice = first; slice < end; ++slice, cursor.advance()) {
          barrier_wait(empty + 8 * cursor.stage, cursor.parity);
          const unsigned stage = shared + cursor.stage * kWgmmaStage, barrier = full + 8 * cursor.stage;
          barrier_expect(barrier, kWgmmaStage);
          fetch_box<false>(stage, &x_map, barrier, slice * kLine, row, 0);
          fetch_box<(kCluster > 1)>(stage + kXBytes + rank * (kWBytes / kCluster), &w_map, barrier, slice * kLine,
                                    column + rank * (kWgmmaColumns / kCluster), (1 << kCluster) - 1);
        }
      }
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    const int warpgroup = threadIdx.x / 128 - 1, lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
    Cursor cursor(0);
    for (int unit = first_unit; unit < units; unit += unit_step) {
      const int tile = unit % tiling.tiles(), part = unit / tiling.tiles();
      const int slices = min(s.part_slices, s.slices - part * s.part_slices);
      const bool narrow = tiling.step == kNarrowColumns && tile >= tiling.row_tiles;
      float whole[2][64];
#pragma unroll
      for (int i = 0; i < 128; ++i) {
        whole[i / 64][i % 64] = 0.f;
      }
      if (narrow) {
        multiply_tile<kCluster, kNarrowColumns - 128>(whole, cursor, shared, full, empty, slices, warpgroup);
      } else {
        multiply_tile<kCluster, 128>(whole, cursor, shared, full, empty, slices, warpgroup);
      }
      const int row = (tile % tiling.row_tiles * kCluster + rank) * kWgmmaRows + warpgroup * 64 + warp * 16 + lane / 4;
      const int column = tiling.column(tile) + lane % 4 * 2;
      const int end = min(s.p.n, tiling.column(tile) + (narrow ? kNarrowColumns : kWgmmaColumns));
      store_pairs<32>(s, part, row, column, end, [&](int j, int h) { return &whole[j / 16][j % 16 * 4 + 2 * h]; });
    }
  }
  cluster_sync();  // a block must not end while others still signal its barriers
#else
  __trap();  // built for another architecture than sm_90a: fail, rather than leave y as it was
#endif
}

}  // namespace
"""

# Queueing a kernel that begins with wait_for_previous: plainly, and on Hopper set up while the one before it ends.
CUDA_NEXT = r"""
#include <cuda_runtime.h>

namespace {

template <typename... Arguments>
cudaError_t launch_next(void (*kernel)(Arguments...), dim3 grid, int threads, int shared, cudaStream_t stream,
                        Arguments... arguments) {
  kernel<<<grid, threads, shared, stream>>>(arguments...);
  return cudaGetLastError();
}

}  // namespace
"""
CUDA_NEXT_EARLY = r"""
#include <cuda_runtime.h>

namespace {

template <typename... Arguments>
cudaError_t launch_next(void (*kernel)(Arguments...), dim3 grid, int threads, int shared, cudaStream_t stream,
                        Arguments... arguments) {
  int device = 0, major = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = shared;
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = major >= 9;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

}  // namespace
"""

# The branch of the activation at each output, for the gradient: 1/32 of the memory of y.
CUDA_SIGNS = r"""
namespace {

constexpr int kSignThreads = 256;
constexpr int kSignItems = 4;  // elements a thread, kSignThreads apart, so that as many loads are on their way

__global__ void __launch_bounds__(kSignThreads) pack_each_sign(const float* y, unsigned* signs, long long count) {
  const long long first = static_cast<long long>(blockIdx.x) * kSignThreads * kSignItems + threadIdx.x;
  bool positive[kSignItems];
#pragma unroll
  for (int j = 0; j < kSignItems; ++j) {
    const long long i = first + j * kSignThreads;
    positive[j] = i < count && y[i] > 0.0f;
  }
#pragma unroll
  for (int j = 0; j < kSignItems; ++j) {
    const long long i = first + j * kSignThreads;
    const unsigned word = __ballot_sync(0xffffffffu, positive[j]);
    if (threadIdx.x % 32 == 0 && i < count) {
      signs[i / 32] = word;
    }
  }
}

__global__ void __launch_bounds__(kSignThreads)
    scale_by_each_sign(const float* upstream, const unsigned* signs, float slope, float* g, long long count) {
  const long long first = static_cast<long long>(blockIdx.x) * kSignThreads * kSignItems + threadIdx.x;
  float value[kSignItems];
  unsigned word[kSignItems];
#pragma unroll
  for (int j = 0; j < kSignItems; ++j) {
    const long long i = first + j * kSignThreads;
    value[j] = i < count ? upstream[i] : 0.0f;
    word[j] = i < count ? signs[i / 32] : 0;
  }
#pragma unroll
  for (int j = 0; j < kSignItems; ++j) {
    const long long i = first + j * kSignThreads;
    if (i < count) {
      g[i] = word[j] >> (threadIdx.x % 32) & 1 ? value[j] : value[j] * slope;
    }
  }
}

}  // namespace
"""

# Choosing and launching.
CUDA_LAUNCH = r"""
#include <algorithm>

namespace {

int ceil_div(int a, int b) { return (a + b - 1) / b; }

int device_attribute(cudaDeviceAttr attribute) {
  int device = 0, value = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&value, attribute, device);
  return value;
}

int part_slices(int slices, int parts) { return ceil_div(slices / kSliceMultiple, parts) * kSliceMultiple; }

// Among how many blocks the sum is divided where `tiles` leave blocks idle; each sums 512 terms or more, none nothing.
int parts_for(int tiles, int blocks, int slices) {
  const int parts = std::max(1, std::min(blocks / tiles, slices / 16));
  return ceil_div(slices, part_slices(slices, parts));
}

#ifdef WITH_MMA
template <int kStages, bool kShort = false>
cudaError_t launch_mma(const SplitProduct& s, cudaStream_t stream) {
  constexpr int kShared = kStages * kMmaStage;
  const cudaError_t error =
      cudaFuncSetAttribute(multiply_mma<kStages, kShort>, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared);
  if (error != cudaSuccess) {
    return error;
  }
  const dim3 grid(ceil_div(s.p.m, kMmaRows) * ceil_div(s.p.n, kMmaColumns), s.parts);
  multiply_mma<kStages, kShort><<<grid, kMmaThreads, kShared, stream>>>(s);
  return cudaGetLastError();
}
#endif

#ifdef WITH_WGMMA
int cluster_for(int m) { return m > kWgmmaRows ? 2 : 1; }

// Narrower column tiles where they make better use of the last round of blocks.
Tiling tile_wgmma(int m, int n) {
  const int cluster = cluster_for(m), clusters = device_attribute(cudaDevAttrMultiProcessorCount) / cluster;
  const Tiling wide{ceil_div(m, kWgmmaRows * cluster), ceil_div(n, kWgmmaColumns), kWgmmaColumns};
  const Tiling narrow{wide.row_tiles, 1 + ceil_div(std::max(0, n - kWgmmaColumns), kNarrowColumns), kNarrowColumns};
  return ceil_div(narrow.tiles(), clusters) > ceil_div(wide.tiles(), clusters) ? wide : narrow;
}

// Describes lines (rows, slices * 64) for boxes of `box` rows and one line. The driver's function is found at run time,
// so that nothing has to be linked.
cudaError_t describe_lines(CUtensorMap* map, const __half* lines, int rows, int slices, int box) {
  using Encode = decltype(&cuTensorMapEncodeTiled);
  static Encode encode = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult status;
#if CUDART_VERSION >= 12050
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &status);
#else
    cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &found, cudaEnableDefault, &status);
#endif
    return reinterpret_cast<Encode>(found);
  }();
  if (!encode) {
    return cudaErrorNotSupported;
  }
  const cuuint64_t size[2] = {static_cast<cuuint64_t>(slices) * kLine, static_cast<cuuint64_t>(rows)};
  const cuuint64_t stride[1] = {size[0] * sizeof(__half)};
  const cuuint32_t box_size[2] = {kLine, static_cast<cuuint32_t>(box)}, step[2] = {1, 1};
  const CUresult result = encode(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, const_cast<__half*>(lines), size, stride,
                                 box_size, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                 CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

template <int kCluster>
cudaError_t launch_wgmma(const SplitProduct& s, cudaStream_t stream) {
  CUtensorMap x_map, w_map;
  cudaError_t error = describe_lines(&x_map, s.x, s.p.m, s.slices, kWgmmaRows);
  if (error == cudaSuccess) {
    error = describe_lines(&w_map, s.w, s.p.n, s.slices, kWgmmaColumns / kCluster);
  }
  if (error == cudaSuccess) {
    error = cudaFuncSetAttribute(multiply_wgmma<kCluster>, cudaFuncAttributeMaxDynamicSharedMemorySize, kWgmmaShared);
  }
  if (error != cudaSuccess) {
    return error;
  }
  const Tiling tiling = tile_wgmma(s.p.m, s.p.n);
  const int clusters = std::min(device_attribute(cudaDevAttrMultiProcessorCount) / kCluster, tiling.tiles() * s.parts);
  return launch_next(multiply_wgmma<kCluster>, clusters * kCluster, kWgmmaThreads, kWgmmaShared, stream, x_map, w_map,
                     s, tiling);
}
#endif

}  // namespace

int slices_of(int k) { return ceil_div(k, kSliceWidth * kSliceMultiple) * kSliceMultiple; }

// Up to 16 rows are bound by reading w, which is then not split. More rows take the split product, on a GPU of
// capability 9.0 by wgmma. Where y has fewer tiles than the device has multiprocessors, the sum over k is divided.
Plan plan_product(int m, int n, int k) {
  const int blocks = device_attribute(cudaDevAttrMultiProcessorCount), slices = slices_of(k);
  if (m <= kMostFewRows) {
    return {kFewRows, 1};
  }
#ifdef WITH_WGMMA
  if (device_attribute(cudaDevAttrComputeCapabilityMajor) == 9) {
    return {kWgmma, parts_for(tile_wgmma(m, n).tiles(), blocks / cluster_for(m), slices)};
  }
#endif
#ifdef WITH_MMA
  return {kMma, parts_for(ceil_div(m, kMmaRows) * ceil_div(n, kMmaColumns), kMmaBlocks * blocks, slices)};
#else
  return {kMma, 1};  // a device that this was not built for: its launch tells
#endif
}

int split_matrix(const float* values, int rows, int k, Split split, const SplitBeside& beside, void* stream) {
  const SplitTask first{values, rows, kAllSlices, static_cast<__half*>(split.lines), split.facts};
  const SplitTask other{beside.values, beside.rows, beside.slice, static_cast<__half*>(beside.split.lines),
                        beside.split.facts};
  const int blocks = rows + (beside.slice == kAllSlices ? beside.rows : ceil_div(beside.rows, kRowsChecked));
  const bool vector = aligned(values, k) && aligned(beside.values, k);
  const auto on = static_cast<cudaStream_t>(stream);
  if (vector) {
    split_rows<true><<<blocks, kRowThreads, 0, on>>>(first, other, k, slices_of(k));
  } else {
    split_rows<false><<<blocks, kRowThreads, 0, on>>>(first, other, k, slices_of(k));
  }
  return cudaGetLastError();
}

template <bool kVector>
cudaError_t launch_few_rows(const Product& p, cudaStream_t stream) {
  if (p.m == 1) {
    multiply_one_row<kVector><<<ceil_div(p.n, kFewWarps * kOutputs), kFewThreads, 0, stream>>>(p);
  } else if (p.m <= 8) {
    multiply_few<1, kVector><<<ceil_div(p.n, 32), kFewThreads, 0, stream>>>(p);
  } else {
    multiply_few<2, kVector><<<ceil_div(p.n, 32), kFewThreads, 0, stream>>>(p);
  }
  return cudaGetLastError();
}

int split_transposed(const float* values, int rows, int k, Split split, void* stream) {
  split_columns<<<ceil_div(rows, 32), kColumnThreads, 0, static_cast<cudaStream_t>(stream)>>>(
      values, rows, k, slices_of(k), static_cast<__half*>(split.lines), split.facts);
  return cudaGetLastError();
}

int multiply_few_rows(const Product& p, void* stream) {
  const auto on = static_cast<cudaStream_t>(stream);
  return aligned(p.x, p.k) && aligned(p.w, p.k) ? launch_few_rows<true>(p, on) : launch_few_rows<false>(p, on);
}

int multiply_split(const Plan& plan, const Product& p, Split x, Split w, float* sums, void* stream) {
  const auto on = static_cast<cudaStream_t>(stream);
  const int slices = slices_of(p.k);
  const SplitProduct s{p,
                       static_cast<const __half*>(x.lines),
                       static_cast<const __half*>(w.lines),
                       x.facts,  // kInverseScale comes first
                       w.facts,
                       sums,
                       slices,
                       plan.parts,
                       part_slices(slices, plan.parts)};
  cudaError_t error = cudaErrorInvalidValue;
#ifdef WITH_WGMMA
  if (plan.path == kWgmma) {
    error = cluster_for(p.m) == 2 ? launch_wgmma<2>(s, on) : launch_wgmma<1>(s, on);
  }
#endif
#ifdef WITH_MMA
  if (plan.path == kMma) {
    // An A100 or newer server part has room for all stages, others have 99 KB a block.
    const bool large = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) >= kMmaStages * kMmaStage;
    error = s.part_slices <= kShortSlices ? launch_mma<3, true>(s, on)
            : large                       ? launch_mma<kMmaStages>(s, on)
                                          : launch_mma<3>(s, on);
  }
#endif
  if (error != cudaSuccess) {
    return error;
  }
  if (plan.parts > 1) {
    const dim3 grid(ceil_div(p.n, 4 * kFinishThreads), std::min(p.m, 65535));
    error = launch_next(p.n % 4 ? add_parts<false> : add_parts<true>, grid, kFinishThreads, 0, on, s);
    if (error != cudaSuccess) {
      return error;
    }
  }
  const int tiles = ceil_div(p.m, kPlainTile) * ceil_div(p.n, kPlainTile);
  const int blocks = std::min(tiles, device_attribute(cudaDevAttrMultiProcessorCount));
  const bool vector = aligned(p.x, p.k) && aligned(p.w, p.k) && !p.x_transposed && !p.w_transposed;
  const auto multiply_again = vector ? multiply_full_range<true> : multiply_full_range<false>;
  return launch_next(multiply_again, blocks, kPlainThreads, 0, on, p, static_cast<const float*>(x.facts),
                     static_cast<const float*>(w.facts));
}

static unsigned sign_blocks(long long count) {
  constexpr long long kElements = kSignThreads * kSignItems;
  return static_cast<unsigned>((count + kElements - 1) / kElements);
}

int pack_signs(const float* y, unsigned* signs, long long count, void* stream) {
  pack_each_sign<<<sign_blocks(count), kSignThreads, 0, static_cast<cudaStream_t>(stream)>>>(y, signs, count);
  return cudaGetLastError();
}

int scale_by_signs(const float* upstream, const unsigned* signs, float slope, float* g, long long count, void* stream) {
  const auto on = static_cast<cudaStream_t>(stream);
  scale_by_each_sign<<<sign_blocks(count), kSignThreads, 0, on>>>(upstream, signs, slope, g, count);
  return cudaGetLastError();
}
"""


def _build_plan() -> tuple[list[str], list[str]]:
    """The CUDA sources and nvcc's flags for the devices of this process."""
    flags = ["-O3"]
    chosen = os.environ.get("TORCH_CUDA_ARCH_LIST")  # PyTorch turns it into flags itself
    capabilities = {torch.cuda.get_device_capability(i) for i in range(torch.cuda.device_count())}
    path = os.environ.get("KERNELGATE_GEMM_PATH", "")
    if path not in ("", "mma", "wgmma"):
        raise ValueError(f"KERNELGATE_GEMM_PATH is {path!r}; it can be mma, wgmma, or unset")
    wgmma = path != "mma" and ("9.0a" in chosen if chosen else (9, 0) in capabilities)
    # What only runs on an H100 or H200 always takes wgmma there, and nvcc takes a fifth less time without the other.
    mma = not wgmma or (chosen != "9.0a" if chosen else len(capabilities) > 1)
    if path == "mma":
        flags.append("-gencode=arch=compute_80,code=compute_80")
    elif not chosen:
        for major, minor in sorted(capabilities):
            arch = f"{major}{minor}" + ("a" if (major, minor) == (9, 0) else "")
            flags.append(f"-gencode=arch=compute_{arch},code=sm_{arch}")
    kernels = [CUDA_SPLIT, CUDA_FULL_RANGE, CUDA_FEW_ROWS, CUDA_SIGNS]
    if mma:
        flags.append("-DWITH_MMA")
        kernels.append(CUDA_MMA)
    if wgmma:
        flags.append("-DWITH_WGMMA")
        kernels.append(CUDA_WGMMA)
    kernels.append(CUDA_NEXT_EARLY if wgmma else CUDA_NEXT)
    return [INTERFACE, *kernels, CUDA_LAUNCH], flags


@torch.compiler.assume_constant_result
def _operators() -> str:
    """The namespace of the operators, which are built at the first call; torch.compile calls it while it traces."""
    return _registered()


@functools.lru_cache(maxsize=1)
def _registered() -> str:
    """Builds and registers the operators, once a process."""
    cuda_sources, cuda_flags = _build_plan()
    text = "\0".join([INTERFACE, CPP_SOURCE, *cuda_sources, *cuda_flags])
    name = "kernelgate_gemm_" + hashlib.sha256(text.encode()).hexdigest()[:12]
    if hasattr(getattr(torch.ops, name), "linear_scale_leaky_relu"):
        return name  # inserted twice: the same sources are registered already
    # PyTorch before 2.8 always includes torch/extension.h: the build then takes half a minute, not seconds.
    slim = "no_implicit_headers" in inspect.signature(load_inline).parameters
    load_inline(
        name=name,
        cpp_sources=[INTERFACE, CPP_SOURCE],
        cuda_sources=cuda_sources,
        # In KiB: g++ then collects no garbage, which takes a tenth of its time.
        extra_cflags=["-O1", "--param", "ggc-min-heapsize=2097152"],
        extra_cuda_cflags=cuda_flags,
        is_python_module=False,
        **({"no_implicit_headers": True} if slim else {}),
    )
    torch.library.register_fake(f"{name}::linear_scale_leaky_relu", _shape_of_result)
    torch.library.register_fake(f"{name}::signs_of", _shape_of_signs)
    torch.library.register_fake(f"{name}::by_signs", _shape_of_upstream)
    return name


def _shape_of_result(x, weight, bias, multiplier, negative_slope, keep_split):
    return x.new_empty((*x.shape[:-1], weight.shape[0]))


def _shape_of_signs(y):
    return y.new_empty((y.numel() + 31) // 32, dtype=torch.int32)


def _shape_of_upstream(upstream, signs, negative_slope):
    return upstream.new_empty(upstream.shape)


class ModelNew(nn.Module):
    """Linear, multiply, LeakyReLU; parameters and state_dict as the module it replaces."""

    keep_split = True
    """Whether the split of the weight is kept between calls: as much memory again as the weight has."""

    def __init__(self, in_features: int, out_features: int, multiplier: float, negative_slope: float):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.multiplier = multiplier
        self.negative_slope = negative_slope

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not self._fits(x):
            return F.leaky_relu(self.gemm(x) * self.multiplier, self.negative_slope)
        operators = getattr(torch.ops, _operators())
        return operators.linear_scale_leaky_relu(
            x, self.gemm.weight, self.gemm.bias, self.multiplier, self.negative_slope, self.keep_split
        )

    def _fits(self, x: torch.Tensor) -> bool:
        weight = self.gemm.weight
        return (
            x.is_cuda
            and weight.device == x.device
            and x.dtype == weight.dtype == torch.float32
            and x.dim() >= 1
            and x.shape[-1] == weight.shape[1] > 0
            and self.negative_slope >= 0
            and not torch.is_autocast_enabled("cuda")
            and not torch.jit.is_tracing()
        )
