// Graphs: see graphs.h.
#include "graphs.h"
#include "memory.h"
#include "streams.h"
#include <kernelgate/abi.h>
#include <string.h>

namespace kernelgate {

namespace {

void (*on_replay)(uint64_t work) = nullptr;

}  // namespace

void Graph::keep(const char* address) {
  const Region* region = find_tensor(address);
  if (!region || is_of_graph(*region, this) || before_.count(region->begin)) return;
  before_[region->begin].assign(region->begin, region->begin + region->bytes);
}

void Graph::undo() {
  for (const auto& [begin, bytes] : before_) {
    const Region* region = find_tensor(begin);
    if (region && region->begin == begin) memcpy(region->begin, bytes.data(), bytes.size());
  }
  before_.clear();
  poison_graph(this);
}

void Graph::run(void* stream) const {
  for (const auto& work : works_) work(stream);
}

Graph::~Graph() { release_graph(this); }

void record_launch(const LaunchSite& site, const LaunchShape& shape, void (*run_thread)(void*),
                   const LaunchArguments& arguments) {
  Graph* graph = captured_into(shape.stream);
  if (!graph) return;
  const char* begin = static_cast<const char*>(arguments.call);
  for (size_t at = 0; at + sizeof(char*) <= arguments.bytes; at += sizeof(char*)) {
    const char* address;
    memcpy(&address, begin + at, sizeof address);
    graph->keep(address);
  }
  const std::vector<const void*> pointers(arguments.pointers, arguments.pointers + arguments.count);
  LaunchArguments kept = arguments;
  kept.call = arguments.copy(arguments.call);  // for good: how it ends is the program's own
  graph->add([=](void* stream) {
    LaunchShape again = shape;
    again.stream = stream;
    LaunchArguments given = kept;
    given.pointers = pointers.data();
    kernelgate_launch(&site, &again, run_thread, &given);
  });
}

}  // namespace kernelgate

using namespace kernelgate;

extern "C" {

void kernelgate_launch_graph(const void* graph, void* stream) { static_cast<const Graph*>(graph)->run(stream); }
void kernelgate_release_graph(void* graph) { delete static_cast<Graph*>(graph); }
size_t kernelgate_graph_works(const void* graph) { return static_cast<const Graph*>(graph)->count(); }

// Work that is not the runtime's: whoever asks for it is called with its number when the graph runs. `written` are the
// tensors that it writes to, with a null behind them. Whether it is recorded.
int kernelgate_record(const void* stream, uint64_t work, const void* const* written) {
  Graph* graph = captured_into(stream);
  if (!graph) return 0;
  for (; *written; written++) graph->keep(static_cast<const char*>(*written));
  if (work) graph->add([work](void*) { on_replay(work); });
  return 1;
}
void kernelgate_on_replay(void (*call)(uint64_t)) { on_replay = call; }

}  // extern "C"
