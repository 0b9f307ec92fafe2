// What orders the work of streams on a GPU, kept as vector clocks: here all work is done when a call returns.
#pragma once
#include <stdint.h>
#include <vector>

namespace kernelgate {

class Graph;

struct Work {  // a launch, a copy or an operator
  uint32_t stream, time;
};

constexpr uintptr_t legacy_stream = 1, stream_of_thread = 2;  // CUDA's numbers; 0 is the legacy one as well

Work begin_work(const void* stream);
bool several_streams();  // whether there is a second one that work may go to
// Whether the work that was begun last comes after this by some order.
bool comes_first(Work earlier);
// The graph that work of a stream goes into; null where it is none.
Graph* captured_into(const void* stream);
Graph* graph_in_progress();
// What the program asks for now must not be asked for while a graph is recorded, and spoils that.
int refused_by_capture();

}  // namespace kernelgate
