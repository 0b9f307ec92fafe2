// Streams, events, and which of them are recorded into a graph: see streams.h. The legacy stream waits for all others
// that are made with cudaStreamCreate, and they for it; those of PyTorch's pool are made without.
#include "streams.h"
#include "graphs.h"
#include <kernelgate/abi.h>
#include <algorithm>
#include <deque>
#include <mutex>
#include <utility>

namespace kernelgate {

namespace {

using Clock = std::vector<uint32_t>;  // by stream: how many of its works have been waited for

struct Stream {
  bool waits_for_legacy;
  Clock seen;  // its own works included
  Graph* graph;
};
struct Event {
  Clock seen;
  Graph* graph;
};

constexpr int unsupported_in_capture = 900, invalidated = 901, unjoined = 904, implicit_in_capture = 906;
constexpr int illegal_state = 401, no_event = 1;
constexpr uintptr_t handle_shift = 8;  // a handle is the stream's number times 256
constexpr size_t most_of_pool = 32, own_streams = 3;

std::recursive_mutex lock;
std::deque<Stream> streams{{false, {}, nullptr}, {false, {}, nullptr}, {true, {}, nullptr}};
Clock host;    // what the host has waited for
Clock latest;  // what the work that was begun last comes after
size_t used = 0;
std::vector<uintptr_t> pool;
size_t taken_of_pool = 0;
const void* current = nullptr;  // PyTorch's
Graph* recorded = nullptr;
uint32_t recorded_from = 0;
void (*on_second_stream)() = nullptr;

uint32_t number_of(const void* handle) {
  const uintptr_t value = reinterpret_cast<uintptr_t>(handle);
  if (value <= stream_of_thread) return value ? static_cast<uint32_t>(value) : static_cast<uint32_t>(legacy_stream);
  const uintptr_t number = value >> handle_shift;
  return number < streams.size() ? static_cast<uint32_t>(number) : static_cast<uint32_t>(legacy_stream);
}

void join(Clock& to, const Clock& from) {
  if (to.size() < from.size()) to.resize(from.size());
  for (size_t i = 0; i < from.size(); i++) to[i] = std::max(to[i], from[i]);
}

// What the next work of a stream comes after.
void wait_for_others(uint32_t number) {
  Stream& stream = streams[number];
  join(stream.seen, host);
  if (number == legacy_stream) {
    for (const Stream& other : streams)
      if (other.waits_for_legacy) join(stream.seen, other.seen);
  } else if (stream.waits_for_legacy) {
    join(stream.seen, streams[legacy_stream].seen);
  }
}

void* make_stream(bool waits_for_legacy) {
  if (on_second_stream) on_second_stream();
  streams.push_back({waits_for_legacy, {}, nullptr});
  return reinterpret_cast<void*>((streams.size() - 1) << handle_shift);
}

}  // namespace

Work begin_work(const void* handle) {
  std::lock_guard<std::recursive_mutex> hold(lock);
  const uint32_t number = number_of(handle);
  Stream& stream = streams[number];
  wait_for_others(number);
  if (stream.seen.size() <= number) stream.seen.resize(number + 1);
  used += stream.seen[number] == 0;
  latest = stream.seen;
  return {number, ++stream.seen[number]};
}

bool several_streams() { return used > 1 || streams.size() > own_streams; }

bool comes_first(Work earlier) { return earlier.stream < latest.size() && latest[earlier.stream] >= earlier.time; }

Graph* captured_into(const void* handle) {
  std::lock_guard<std::recursive_mutex> hold(lock);
  if (!recorded) return nullptr;
  const uint32_t number = number_of(handle);
  // It would wait for what is only recorded.
  if (number == legacy_stream && streams[recorded_from].waits_for_legacy) {
    recorded->spoiled = true;
    kernelgate_set_error(implicit_in_capture);
  }
  return streams[number].graph;
}

Graph* graph_in_progress() { return recorded; }

int refused_by_capture() {
  std::lock_guard<std::recursive_mutex> hold(lock);
  if (!recorded) return 0;
  recorded->spoiled = true;
  kernelgate_set_error(unsupported_in_capture);
  return unsupported_in_capture;
}

}  // namespace kernelgate

using namespace kernelgate;

extern "C" {

void* kernelgate_stream_create(int waits_for_legacy) {
  std::lock_guard<std::recursive_mutex> hold(lock);
  return make_stream(waits_for_legacy != 0);
}

void* kernelgate_stream_of_pool() {
  std::lock_guard<std::recursive_mutex> hold(lock);
  if (pool.size() < most_of_pool) {
    void* made = make_stream(false);
    pool.push_back(reinterpret_cast<uintptr_t>(made));
    return made;
  }
  return reinterpret_cast<void*>(pool[taken_of_pool++ % most_of_pool]);
}

void* kernelgate_current_stream() { return const_cast<void*>(current); }
void kernelgate_use_stream(const void* stream) { current = stream; }

int kernelgate_stream_synchronize(const void* handle) {
  std::lock_guard<std::recursive_mutex> hold(lock);
  if (const int refused = refused_by_capture()) return refused;
  wait_for_others(number_of(handle));
  join(host, streams[number_of(handle)].seen);
  return 0;
}

int kernelgate_device_synchronize() {
  std::lock_guard<std::recursive_mutex> hold(lock);
  if (const int refused = refused_by_capture()) return refused;
  for (const Stream& stream : streams) join(host, stream.seen);
  return 0;
}

void* kernelgate_event_create() { return new Event{}; }
void kernelgate_event_destroy(void* event) { delete static_cast<Event*>(event); }

int kernelgate_event_record(void* event, const void* stream) {
  std::lock_guard<std::recursive_mutex> hold(lock);
  if (!event) return no_event;
  wait_for_others(number_of(stream));
  *static_cast<Event*>(event) = {streams[number_of(stream)].seen, streams[number_of(stream)].graph};
  return 0;
}

int kernelgate_event_synchronize(const void* event) {
  std::lock_guard<std::recursive_mutex> hold(lock);
  if (!event) return no_event;
  if (const int refused = refused_by_capture()) return refused;
  join(host, static_cast<const Event*>(event)->seen);
  return 0;
}

int kernelgate_stream_wait(const void* stream, const void* event) {
  std::lock_guard<std::recursive_mutex> hold(lock);
  if (!event) return no_event;
  const Event& waited = *static_cast<const Event*>(event);
  Stream& waiting = streams[number_of(stream)];
  join(waiting.seen, waited.seen);
  if (waited.graph && waited.graph == recorded) waiting.graph = waited.graph;
  return 0;
}

// --- graphs ---

int kernelgate_begin_capture(const void* stream) {
  std::lock_guard<std::recursive_mutex> hold(lock);
  const uint32_t number = number_of(stream);
  if (number == legacy_stream) return unsupported_in_capture;
  if (recorded) return illegal_state;
  wait_for_others(number);
  recorded_from = number;
  recorded = streams[number].graph = new Graph;
  return 0;
}

int kernelgate_end_capture(const void* stream, void** graph) {
  std::lock_guard<std::recursive_mutex> hold(lock);
  const uint32_t number = number_of(stream);
  *graph = nullptr;
  if (!recorded || streams[number].graph != recorded) return illegal_state;
  Graph* ended = std::exchange(recorded, nullptr);
  int error = ended->spoiled ? invalidated : 0;
  const Clock& seen = streams[number].seen;
  for (uint32_t i = 0; i < streams.size(); i++) {
    if (streams[i].graph != ended) continue;
    const uint32_t done = i < streams[i].seen.size() ? streams[i].seen[i] : 0;
    if (!error && done > (i < seen.size() ? seen[i] : 0)) error = unjoined;
    streams[i].graph = nullptr;
    join(host, streams[i].seen);  // nothing of it has been done, so that nobody has to wait for it
  }
  ended->undo();
  if (error) {
    delete ended;
    kernelgate_set_error(error);
  } else {
    *graph = ended;
  }
  return error;
}

// 0: the stream is not recorded; 1: it is; 2: it was, and that has failed.
int kernelgate_capture_status(const void* stream) {
  std::lock_guard<std::recursive_mutex> hold(lock);
  const Graph* graph = streams[number_of(stream)].graph;
  return !graph ? 0 : graph->spoiled ? 2 : 1;
}

int kernelgate_refuse_in_capture() { return refused_by_capture(); }
void kernelgate_on_second_stream(void (*call)()) { on_second_stream = call; }

}  // extern "C"
