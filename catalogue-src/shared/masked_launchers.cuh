#pragma once

#include "masked_kernels.cuh"
#include "masked_launch.h"

// The operator defines forward_of<T>(Arguments) and backward_of<T>(Arguments), which make the kernels' arguments.

static unsigned blocks_for(int64_t n, int64_t elements_per_block) {
  return static_cast<unsigned>((n + elements_per_block - 1) / elements_per_block);
}

template <typename T, bool kWithMask>
static void forward(const void* from, void* to, uint32_t* mask, int64_t n, const Walk* walk, const Arguments& arguments,
                    cudaStream_t stream) {
  const T* x = static_cast<const T*>(from);
  T* y = static_cast<T*>(to);
  const Forward<T> given = forward_of<T>(arguments);
  if (walk == nullptr) {
    const unsigned blocks = blocks_for(n, kThreads * Pack<T>::size);
    forward_dense<T, kWithMask><<<blocks, kThreads, 0, stream>>>(x, y, mask, n, given);
  } else {
    const unsigned blocks = blocks_for(n, kThreads * kItems);
    if (walk->narrow) {
      forward_strided<T, kWithMask, uint32_t>
          <<<blocks, kThreads, 0, stream>>>(x, y, mask, static_cast<uint32_t>(n), *walk, given);
    } else {
      forward_strided<T, kWithMask, uint64_t><<<blocks, kThreads, 0, stream>>>(x, y, mask, n, *walk, given);
    }
  }
}

template <typename T>
static int forward(const void* x, void* y, uint32_t* mask, int64_t n, const Walk* walk, const Arguments& arguments,
                   void* stream) {
  if (mask != nullptr) {
    forward<T, true>(x, y, mask, n, walk, arguments, static_cast<cudaStream_t>(stream));
  } else {
    forward<T, false>(x, y, mask, n, walk, arguments, static_cast<cudaStream_t>(stream));
  }
  return cudaGetLastError();
}

template <typename T>
static int backward(const void* from, const uint32_t* mask, void* to, int64_t n, const Walk* walk,
                    const Arguments& arguments, void* on) {
  const T* grad = static_cast<const T*>(from);
  T* grad_x = static_cast<T*>(to);
  const Backward<T> given = backward_of<T>(arguments);
  const cudaStream_t stream = static_cast<cudaStream_t>(on);
  if (walk == nullptr) {
    const unsigned blocks = blocks_for(n, kThreads * Pack<T>::size);
    backward_dense<T><<<blocks, kThreads, 0, stream>>>(grad, mask, grad_x, n, given);
  } else {
    const unsigned blocks = blocks_for(n, kThreads * kItems);
    if (walk->narrow) {
      backward_strided<T, uint32_t>
          <<<blocks, kThreads, 0, stream>>>(grad, mask, grad_x, static_cast<uint32_t>(n), *walk, given);
    } else {
      backward_strided<T, uint64_t><<<blocks, kThreads, 0, stream>>>(grad, mask, grad_x, n, *walk, given);
    }
  }
  return cudaGetLastError();
}

int launch_forward(Kind kind, const void* x, void* y, uint32_t* mask, int64_t n, const Walk* walk,
                   const Arguments& arguments, void* stream) {
  switch (kind) {
    case Kind::Float: return forward<float>(x, y, mask, n, walk, arguments, stream);
    case Kind::Double: return forward<double>(x, y, mask, n, walk, arguments, stream);
    case Kind::Half: return forward<__half>(x, y, mask, n, walk, arguments, stream);
    case Kind::BFloat16: return forward<__nv_bfloat16>(x, y, mask, n, walk, arguments, stream);
  }
  return cudaErrorInvalidValue;
}

int launch_backward(Kind kind, const void* grad, const uint32_t* mask, void* grad_x, int64_t n, const Walk* walk,
                    const Arguments& arguments, void* stream) {
  switch (kind) {
    case Kind::Float: return backward<float>(grad, mask, grad_x, n, walk, arguments, stream);
    case Kind::Double: return backward<double>(grad, mask, grad_x, n, walk, arguments, stream);
    case Kind::Half: return backward<__half>(grad, mask, grad_x, n, walk, arguments, stream);
    case Kind::BFloat16: return backward<__nv_bfloat16>(grad, mask, grad_x, n, walk, arguments, stream);
  }
  return cudaErrorInvalidValue;
}
