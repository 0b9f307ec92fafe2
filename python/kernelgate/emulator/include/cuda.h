// The driver API's header: only its types are here, because launching through the driver is refused.
#pragma once
#define CUDA_VERSION 13000
typedef struct CUstream_st* CUstream;
typedef struct CUevent_st* CUevent;
typedef unsigned long long CUdeviceptr;
typedef int CUdevice;
