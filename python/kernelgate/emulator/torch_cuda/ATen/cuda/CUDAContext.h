// Current stream, device properties, checks; guards are not here, as in torch (c10/cuda/CUDAGuard.h).
#pragma once
#include <ATen/cuda/CUDAContextLight.h>
#include <ATen/cuda/Exceptions.h>
#include <c10/cuda/CUDAStream.h>
