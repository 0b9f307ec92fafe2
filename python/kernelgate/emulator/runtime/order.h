// What orders single threads: mbarriers, named barriers and barriers of a cluster. A memory check then knows of each thread
// how much of what every other one has done has happened before (a vector clock), also of the copying and multiplying
// units, each of which counts as an agent. A block that has none of these pays nothing.
#pragma once
#include <stdint.h>
#include <vector>

namespace kernelgate {

struct Thread;
struct Mbarrier;
class Worker;
struct Cluster;

struct History {
  std::vector<uint32_t> met;     // up to which clock of each thread and agent
  std::vector<uint32_t> fenced;  // the same, and visible to the asynchronous proxy
  uint32_t fenced_epochs = 0;    // what was done in so many epochs is visible to it
};

enum class Unit { copy, wgmma };  // "the copying unit"

void examine_cluster(const Cluster& cluster);  // begins
void examine_release(const Thread& thread, History& into);
void examine_acquire(const Thread& thread, const History& from);
void examine_release(const Thread& thread, Mbarrier& barrier);
void examine_acquire(const Thread& thread, const Mbarrier& barrier);
void examine_phase(Mbarrier& barrier);  // is complete
void examine_mbarrier_init(Mbarrier& barrier, const void* code);
void examine_mbarrier_use(const Mbarrier& barrier, const void* code);
void examine_cluster_arrival(const Thread& thread);
void examine_cluster_barrier();
void examine_cluster_wait(const Thread& thread);

uint32_t new_agent(Unit unit);
// An access of an agent, which the current thread has asked for; returns the agent's clock.
uint32_t examine_agent(uint32_t agent, const char* address, size_t bytes, bool write, const void* code);
// The thread has waited for all that the agent did up to that clock.
void examine_waited(const Thread& thread, uint32_t agent, uint32_t clock);

}  // namespace kernelgate
