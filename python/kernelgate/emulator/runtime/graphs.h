// Graphs: what a program records on a stream, to be run later as often as it likes.
// A GPU only records. Here what is recorded is run as well, because the shape of one work's results may be what the
// next one asks for; at the end memory is put back to what it held, and what was allocated meanwhile is poisoned.
#pragma once
#include <stddef.h>
#include <functional>
#include <map>
#include <vector>

namespace kernelgate {

class Graph {
 public:
  bool spoiled = false;

  ~Graph();
  void add(std::function<void(void* stream)> work) { works_.push_back(std::move(work)); }
  void keep(const char* address);  // the tensor there is going to be written to
  void undo();
  void run(void* stream) const;
  size_t count() const { return works_.size(); }

 private:
  std::vector<std::function<void(void*)>> works_;
  std::map<const char*, std::vector<char>> before_;  // what tensors held, by their first byte
};

struct LaunchArguments;
struct LaunchShape;
struct LaunchSite;
void record_launch(const LaunchSite& site, const LaunchShape& shape, void (*run_thread)(void*),
                   const LaunchArguments& arguments);  // where its stream is recorded

}  // namespace kernelgate
