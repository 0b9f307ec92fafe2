// Comes with the runtime API; this header exists to be included.
#pragma once
#include <cuda_runtime_api.h>
