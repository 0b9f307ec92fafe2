// cuBLAS: products of matrices and vectors, by columns, in real numbers. All of them are one call of the runtime
// (runtime/blas.cpp). A name that is not here is refused at its line (translate/refusals.py reads this file for it).
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>
#include <kernelgate/abi.h>
#include <library_types.h>
#include <stdint.h>

#define CUBLAS_VERSION 130000
typedef enum {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16,
} cublasStatus_t;
typedef enum { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 } cublasOperation_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 } cublasAtomicsMode_t;
typedef enum {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_TENSOR_OP_MATH = 1,  // without effect since CUDA 11
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3,
} cublasMath_t;
typedef enum {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_16F_PEDANTIC = 65,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_PEDANTIC = 69,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_64F_PEDANTIC = 71,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
} cublasComputeType_t;
typedef enum { CUBLAS_GEMM_DFALT = -1, CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99 } cublasGemmAlgo_t;

struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasMath_t math = CUBLAS_DEFAULT_MATH;
  cublasPointerMode_t pointers = CUBLAS_POINTER_MODE_HOST;
};
typedef cublasContext* cublasHandle_t;

inline cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  return *handle = new cublasContext, CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasDestroy(cublasHandle_t handle) { return delete handle, CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasGetVersion(cublasHandle_t, int* v) { return *v = CUBLAS_VERSION, CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasSetWorkspace(cublasHandle_t, void*, size_t) { return CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasSetAtomicsMode(cublasHandle_t, cublasAtomicsMode_t) { return CUBLAS_STATUS_SUCCESS; }
#define KERNELGATE_SETTING(Name, Type, field)                                                        \
  inline cublasStatus_t cublasSet##Name(cublasHandle_t handle, Type value) {                         \
    return handle ? (handle->field = value, CUBLAS_STATUS_SUCCESS) : CUBLAS_STATUS_NOT_INITIALIZED;  \
  }                                                                                                  \
  inline cublasStatus_t cublasGet##Name(cublasHandle_t handle, Type* value) {                        \
    return handle ? (*value = handle->field, CUBLAS_STATUS_SUCCESS) : CUBLAS_STATUS_NOT_INITIALIZED; \
  }
KERNELGATE_SETTING(Stream, cudaStream_t, stream)                // also cublasSetStream, cublasGetStream
KERNELGATE_SETTING(MathMode, cublasMath_t, math)                // cublasSetMathMode, cublasGetMathMode
KERNELGATE_SETTING(PointerMode, cublasPointerMode_t, pointers)  // cublasSetPointerMode, cublasGetPointerMode
#undef KERNELGATE_SETTING
inline const char* cublasGetStatusString(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS: return "success";
    case CUBLAS_STATUS_NOT_INITIALIZED: return "the library was not initialized";
    case CUBLAS_STATUS_INVALID_VALUE: return "an unsupported value or parameter was passed to the function";
    case CUBLAS_STATUS_NOT_SUPPORTED: return "the functionality requested is not supported";
    default: return "an internal operation failed";
  }
}
inline const char* cublasGetStatusName(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS: return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_INITIALIZED: return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_INVALID_VALUE: return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_NOT_SUPPORTED: return "CUBLAS_STATUS_NOT_SUPPORTED";
    default: return "CUBLAS_STATUS_INTERNAL_ERROR";
  }
}

// So that a fault has the line of the program that calls.
#define KERNELGATE_HERE const char *unit = __builtin_FILE(), int line = __builtin_LINE()
namespace kernelgate {
inline Number number_of(cudaDataType type) {
  return type == CUDA_R_64F    ? Number::f64
         : type == CUDA_R_16F  ? Number::f16
         : type == CUDA_R_16BF ? Number::bf16
                               : Number::f32;
}
inline Product::Arithmetic arithmetic_of(cublasComputeType_t type, cublasMath_t math) {
  switch (type) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC: return Product::sums_in_half;
    case CUBLAS_COMPUTE_32F_FAST_16F: return Product::factors_in_half;
    case CUBLAS_COMPUTE_32F_FAST_16BF: return Product::factors_in_bfloat16;
    case CUBLAS_COMPUTE_32F_FAST_TF32: return Product::factors_in_tf32;
    default:
      return math == CUBLAS_TF32_TENSOR_OP_MATH && type == CUBLAS_COMPUTE_32F ? Product::factors_in_tf32
                                                                              : Product::plain;
  }
}
inline Number scale_of(cublasComputeType_t type) {
  return type == CUBLAS_COMPUTE_64F || type == CUBLAS_COMPUTE_64F_PEDANTIC   ? Number::f64
         : type == CUBLAS_COMPUTE_16F || type == CUBLAS_COMPUTE_16F_PEDANTIC ? Number::f16
                                                                             : Number::f32;
}
// The factors of a batch: `many` points to a pointer for each, on the device, or `stride` leads from one to the next.
struct Batch {
  long long stride_a = 0, stride_b = 0, stride_c = 0;
  int count = 1;
  bool many = false;
};
KERNELGATE_AT_CALLER cublasStatus_t multiply(cublasHandle_t handle, cublasOperation_t a_is, cublasOperation_t b_is,
                                             int m, int n, int k, const void* alpha, const void* a, cudaDataType a_type,
                                             int lda, const void* b, cudaDataType b_type, int ldb, const void* beta,
                                             void* c, cudaDataType c_type, int ldc, cublasComputeType_t compute,
                                             Batch batch, LaunchSite site) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
#ifdef KERNELGATE_TORCH
  constexpr bool knows_devices = false;
#else
  constexpr bool knows_devices = true;
#endif
  const Product product{m,
                        n,
                        k,
                        batch.count,
                        batch.many,
                        {a, number_of(a_type), lda, batch.stride_a, a_is != CUBLAS_OP_N},
                        {b, number_of(b_type), ldb, batch.stride_b, b_is != CUBLAS_OP_N},
                        {c, number_of(c_type), ldc, batch.stride_c, false},
                        alpha,
                        beta,
                        scale_of(compute),
                        handle->pointers == CUBLAS_POINTER_MODE_DEVICE,
                        arithmetic_of(compute, handle->math),
                        knows_devices,
                        handle->stream};
  return static_cast<cublasStatus_t>(kernelgate_multiply(&site, &product));
}
}  // namespace kernelgate

// cublasSgemm, cublasDgemm, cublasHgemm; cublasSgemmStridedBatched, cublasDgemmStridedBatched, cublasHgemmStridedBatched;
// cublasSgemmBatched, cublasDgemmBatched, cublasHgemmBatched
#define KERNELGATE_GEMM(Name, T, type, compute)                                                                        \
  KERNELGATE_AT_CALLER cublasStatus_t Name(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, \
                                           int k, const T* alpha, const T* a, int lda, const T* b, int ldb,            \
                                           const T* beta, T* c, int ldc, KERNELGATE_HERE) {                            \
    return kernelgate::multiply(h, ta, tb, m, n, k, alpha, a, type, lda, b, type, ldb, beta, c, type, ldc, compute,    \
                                {}, {#Name, unit, line});                                                              \
  }                                                                                                                    \
  KERNELGATE_AT_CALLER cublasStatus_t Name##StridedBatched(                                                            \
      cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const T* alpha, const T* a,   \
      int lda, long long sa, const T* b, int ldb, long long sb, const T* beta, T* c, int ldc, long long sc, int count, \
      KERNELGATE_HERE) {                                                                                               \
    return kernelgate::multiply(h, ta, tb, m, n, k, alpha, a, type, lda, b, type, ldb, beta, c, type, ldc, compute,    \
                                {sa, sb, sc, count}, {#Name "StridedBatched", unit, line});                            \
  }                                                                                                                    \
  KERNELGATE_AT_CALLER cublasStatus_t Name##Batched(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb,      \
                                                    int m, int n, int k, const T* alpha, const T* const a[], int lda,  \
                                                    const T* const b[], int ldb, const T* beta, T* const c[], int ldc, \
                                                    int count, KERNELGATE_HERE) {                                      \
    return kernelgate::multiply(h, ta, tb, m, n, k, alpha, a, type, lda, b, type, ldb, beta, const_cast<T**>(c), type, \
                                ldc, compute, {0, 0, 0, count, true}, {#Name "Batched", unit, line});                  \
  }
KERNELGATE_GEMM(cublasSgemm, float, CUDA_R_32F, CUBLAS_COMPUTE_32F)
KERNELGATE_GEMM(cublasDgemm, double, CUDA_R_64F, CUBLAS_COMPUTE_64F)
KERNELGATE_GEMM(cublasHgemm, __half, CUDA_R_16F, CUBLAS_COMPUTE_16F)
#undef KERNELGATE_GEMM

KERNELGATE_AT_CALLER cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m,
                                                 int n, int k, const void* alpha, const void* a, cudaDataType at,
                                                 int lda, const void* b, cudaDataType bt, int ldb, const void* beta,
                                                 void* c, cudaDataType ct, int ldc, cublasComputeType_t compute,
                                                 cublasGemmAlgo_t, KERNELGATE_HERE) {
  return kernelgate::multiply(h, ta, tb, m, n, k, alpha, a, at, lda, b, bt, ldb, beta, c, ct, ldc, compute, {},
                              {"cublasGemmEx", unit, line});
}
KERNELGATE_AT_CALLER cublasStatus_t
cublasGemmStridedBatchedEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                           const void* alpha, const void* a, cudaDataType at, int lda, long long sa, const void* b,
                           cudaDataType bt, int ldb, long long sb, const void* beta, void* c, cudaDataType ct, int ldc,
                           long long sc, int count, cublasComputeType_t compute, cublasGemmAlgo_t, KERNELGATE_HERE) {
  return kernelgate::multiply(h, ta, tb, m, n, k, alpha, a, at, lda, b, bt, ldb, beta, c, ct, ldc, compute,
                              {sa, sb, sc, count}, {"cublasGemmStridedBatchedEx", unit, line});
}
// As before CUDA 11: a type of data names the arithmetic.
inline cublasComputeType_t kernelgate_compute_of(cudaDataType type) {
  return type == CUDA_R_16F ? CUBLAS_COMPUTE_16F : type == CUDA_R_64F ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F;
}
KERNELGATE_AT_CALLER cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m,
                                                 int n, int k, const void* alpha, const void* a, cudaDataType at,
                                                 int lda, const void* b, cudaDataType bt, int ldb, const void* beta,
                                                 void* c, cudaDataType ct, int ldc, cudaDataType compute,
                                                 cublasGemmAlgo_t algorithm, KERNELGATE_HERE) {
  return cublasGemmEx(h, ta, tb, m, n, k, alpha, a, at, lda, b, bt, ldb, beta, c, ct, ldc,
                      kernelgate_compute_of(compute), algorithm, unit, line);
}

// A vector is a matrix of one row, its increment from column to column; negative increments are not covered.
// cublasSgemv, cublasDgemv, cublasSger, cublasDger
#define KERNELGATE_VECTORS(Gemv, Ger, T, type, compute)                                                                \
  KERNELGATE_AT_CALLER cublasStatus_t Gemv(cublasHandle_t h, cublasOperation_t ta, int m, int n, const T* alpha,       \
                                           const T* a, int lda, const T* x, int incx, const T* beta, T* y, int incy,   \
                                           KERNELGATE_HERE) {                                                          \
    const int rows = ta == CUBLAS_OP_N ? m : n, sum = ta == CUBLAS_OP_N ? n : m;                                       \
    const cublasOperation_t turned = ta == CUBLAS_OP_N ? CUBLAS_OP_T : CUBLAS_OP_N;                                    \
    return kernelgate::multiply(h, CUBLAS_OP_N, turned, 1, rows, sum, alpha, x, type, incx, a, type, lda, beta, y,     \
                                type, incy, compute, {}, {#Gemv, unit, line});                                         \
  }                                                                                                                    \
  KERNELGATE_AT_CALLER cublasStatus_t Ger(cublasHandle_t h, int m, int n, const T* alpha, const T* x, int incx,        \
                                          const T* y, int incy, T* a, int lda, KERNELGATE_HERE) {                      \
    return kernelgate::multiply(h, CUBLAS_OP_T, CUBLAS_OP_N, m, n, 1, alpha, x, type, incx, y, type, incy, nullptr, a, \
                                type, lda, compute, {}, {#Ger, unit, line});                                           \
  }
KERNELGATE_VECTORS(cublasSgemv, cublasSger, float, CUDA_R_32F, CUBLAS_COMPUTE_32F)
KERNELGATE_VECTORS(cublasDgemv, cublasDger, double, CUDA_R_64F, CUBLAS_COMPUTE_64F)
#undef KERNELGATE_VECTORS
#undef KERNELGATE_HERE
