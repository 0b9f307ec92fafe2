// The types of data that CUDA's libraries are told of. Those that no library here computes with are left out.
#pragma once
typedef enum cudaDataType_t {
  CUDA_R_32F = 0,
  CUDA_R_64F = 1,
  CUDA_R_16F = 2,
  CUDA_R_16BF = 14,
} cudaDataType;
