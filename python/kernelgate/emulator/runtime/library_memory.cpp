// The part of the runtime library that holds memory, and the units and libraries that copy and multiply.
#include "memory.cpp"
#include "heap.cpp"
#include "blas.cpp"
#include "async_copy.cpp"
#include "mbarrier.cpp"
#include "bulk.cpp"
#include "wgmma.cpp"
