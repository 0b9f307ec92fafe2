// Clusters: blocks that run side by side, reach each other's shared memory, and have a barrier of their own.
#include "examine.h"
#include "hopper.h"

namespace kernelgate {

namespace {

// Once all threads that have not ended are there. A thread waits at most for one phase, which it has arrived for.
bool release_cluster_barrier(Cluster& cluster) {
  // A cluster's barrier counts who has ended as arrived; the grid's, which CUDA makes of atomics, waits for every block.
  for (Worker* worker : cluster.members)
    if (cluster.is_grid && worker->has_ended()) return false;
  unsigned alive = 0;
  for (Worker* worker : cluster.members) alive += static_cast<unsigned>(worker->threads_alive());
  unsigned ended_after_arrival = 0;
  for (Worker* worker : cluster.members)
    for (int i = 0; i < worker->thread_count(); i++)
      ended_after_arrival +=
          worker->threads[i].status == Status::done && worker->threads[i].cluster_phase == cluster.phase + 1;
  if (!cluster.arrived || cluster.arrived - ended_after_arrival != alive) return false;
  cluster.arrived = 0;
  cluster.phase++;
  examine_cluster_barrier();
  for (Worker* worker : cluster.members)
    for (int i = 0; i < worker->thread_count(); i++)
      if (worker->threads[i].status == Status::at_cluster_barrier) {
        examine_cluster_wait(worker->threads[i]);
        worker->wake(worker->threads[i]);
      }
  return true;
}

}  // namespace

void Cluster::run(uint3 first) {
  phase = arrived = 0;
  forget_async_copies();
  forget_mbarriers();
  forget_bulk_copies();
  forget_wgmma();
  for (Worker* worker : members) {
    const unsigned r = worker->rank;
    worker->begin_block({first.x + r % shape.x, first.y + r / shape.x % shape.y, first.z + r / shape.x / shape.y});
    for (int i = 0; i < worker->thread_count(); i++) worker->threads[i].cluster_phase = 0;
  }
  examine_cluster(*this);
  while (!stopping()) {
    bool ran = false, alive = false;
    for (Worker* worker : members) {
      ran = worker->advance() || ran;
      alive = alive || !worker->has_ended();
    }
    if (!alive) break;
    if (ran || stopping() || release_cluster_barrier(*this) || answer_tests()) continue;
    for (Worker* worker : members)
      if (!worker->has_ended()) return worker->report_deadlock();
  }
  if (!stopping()) check_bulk_copies_done();
}

SharedObject& shared_at(uint64_t address, unsigned bytes, int line, Worker** owner) {
  Thread& thread = current_thread();
  for (Worker* worker : thread.owner().worker->cluster->members) {
    SharedObject* object = worker->object_at(address);
    if (!object) continue;
    const char* begin = reinterpret_cast<const char*>(address);
    if (begin < object->region.begin || begin + bytes > object->region.begin + object->region.bytes) break;
    if (owner) *owner = worker;
    return *object;
  }
  end_here("shared_address", line, std::to_string(bytes) + " bytes");
}

uint64_t place_in(Worker& worker, uint64_t address, int line) {
  Worker* owner = nullptr;
  const SharedObject& object = shared_at(address, 1, line, &owner);
  if (owner == &worker) return address;
  const uint64_t offset = address - reinterpret_cast<uint64_t>(object.region.begin);
  return reinterpret_cast<uint64_t>(worker.shared_memory(object.slot, object.region.bytes)) + offset;
}

}  // namespace kernelgate

using namespace kernelgate;

extern "C" void kernelgate_cluster_barrier(int arrives, int waits, int line) {
  Thread& thread = current_thread();
  Cluster& cluster = *thread.owner().worker->cluster;
  if (arrives) {
    if (thread.cluster_phase == cluster.phase + 1)
      end_here("cluster_barrier", line, "it has arrived before, and not waited");
    thread.cluster_phase = cluster.phase + 1;
    cluster.arrived++;
    examine_cluster_arrival(thread);
  }
  if (!waits) return;
  if (!thread.cluster_phase) end_here("cluster_barrier", line, "it waits and has not arrived");
  thread.line = line;
  if (thread.cluster_phase > cluster.phase) thread.owner().worker->wait(thread, Status::at_cluster_barrier);
  else examine_cluster_wait(thread);
}

extern "C" void kernelgate_grid_barrier(int line) {
  const Cluster& cluster = *current_thread().owner().worker->cluster;
  if (!cluster.is_grid) end_here("grid_barrier", line, "the kernel was not launched by cudaLaunchCooperativeKernel");
  kernelgate_cluster_barrier(1, 1, line);
}

extern "C" bool kernelgate_is_cooperative() { return current_thread().owner().worker->cluster->is_grid; }

extern "C" uint64_t kernelgate_map_shared(uint64_t address, unsigned rank, int line) {
  Cluster& cluster = *current_thread().owner().worker->cluster;
  if (rank >= cluster.members.size())
    end_here("cluster_rank", line,
             "block " + std::to_string(rank) + " of a cluster of " + std::to_string(cluster.members.size()));
  return place_in(*cluster.members[rank], address, line);
}

extern "C" unsigned kernelgate_rank_of(uint64_t address) {
  for (Worker* worker : current_thread().owner().worker->cluster->members)
    if (worker->object_at(address)) return worker->rank;
  return current_thread().owner().worker->rank;
}

extern "C" unsigned kernelgate_cluster_place(int what, int dimension) {
  const Worker& worker = *current_thread().owner().worker;
  const dim3 shape = worker.cluster->shape, grid = worker.block.grid_dim;
  const unsigned size[] = {shape.x, shape.y, shape.z}, blocks[] = {grid.x, grid.y, grid.z};
  const unsigned index[] = {worker.block.index.x, worker.block.index.y, worker.block.index.z};
  switch (what) {
    case 0: return index[dimension] % size[dimension];
    case 1: return size[dimension];
    case 2: return index[dimension] / size[dimension];
    case 3: return blocks[dimension] / size[dimension];
    case 4: return worker.rank;
    default: return static_cast<unsigned>(worker.cluster->members.size());
  }
}

// The lower 18 bits name a place in the block's own shared memory: its objects are kept apart by them.
extern "C" uint64_t kernelgate_described(unsigned address, int line) {
  constexpr uint64_t window = 1 << 18;
  for (const SharedObject& object : current_thread().owner().worker->shared) {
    if (!object.in_use) continue;
    const uint64_t begin = reinterpret_cast<uint64_t>(object.region.begin);
    uint64_t at = (begin & ~(window - 1)) | address;
    if (at < begin) at += window;
    if (at < begin + object.region.bytes) return at;
  }
  end_here("shared_address", line, "16 bytes");
}
