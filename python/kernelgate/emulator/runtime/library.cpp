// The runtime library in one unit: each part would parse the same standard headers again.
#include "fiber.cpp"
#include "memory.cpp"
#include "report.cpp"
#include "warp.cpp"
#include "async_copy.cpp"
#include "scheduler.cpp"
#include "launch.cpp"
