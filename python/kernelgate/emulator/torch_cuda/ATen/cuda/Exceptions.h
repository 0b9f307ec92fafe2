// AT_CUDA_CHECK and TORCH_CUDABLAS_CHECK.
#pragma once
#include <c10/cuda/CUDAException.h>
#include <c10/util/Exception.h>
#include <cublas_v2.h>

#define AT_CUDA_CHECK(EXPR) C10_CUDA_CHECK(EXPR)
#define TORCH_CUDABLAS_CHECK(EXPR)                                                                            \
  do {                                                                                                        \
    const cublasStatus_t status_of_call = EXPR;                                                               \
    TORCH_CHECK(status_of_call == CUBLAS_STATUS_SUCCESS, "CUDA error: ", cublasGetStatusName(status_of_call), \
                " when calling `" #EXPR "`");                                                                 \
  } while (0)
