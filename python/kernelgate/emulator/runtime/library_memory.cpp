// The part of the runtime library that holds memory and the units that copy and multiply.
#include "memory.cpp"
#include "heap.cpp"
#include "async_copy.cpp"
#include "mbarrier.cpp"
#include "bulk.cpp"
#include "wgmma.cpp"
