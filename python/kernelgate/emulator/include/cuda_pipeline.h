// __pipeline_*: asynchronous copies into shared memory, made when they are waited for.
#pragma once
#include <cuda_pipeline_primitives.h>
