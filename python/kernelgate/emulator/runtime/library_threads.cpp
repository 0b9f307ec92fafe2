// The part of the runtime library that runs threads. Each part is a unit: they are compiled side by side, and what calls
// each other most is in one, so that it may be inlined.
#include "fiber.cpp"
#include "watchdog.cpp"
#include "warp.cpp"
#include "scheduler.cpp"
#include "cluster.cpp"
#include "launch.cpp"
