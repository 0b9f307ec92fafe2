// Cooperative groups of one device: the grid, the cluster, the block, tiles of a warp, lanes that stand together.
#pragma once
#include <cuda_runtime.h>
#include <kernelgate/barriers.h>
#include <kernelgate/groups.h>

namespace cooperative_groups {

namespace details {
inline dim3 block_dim() { return kernelgate_current->block->block_dim; }
inline unsigned block_threads() { return block_dim().x * block_dim().y * block_dim().z; }
inline void block_barrier(int line) { kernelgate_barrier(static_cast<int>(kernelgate::BarrierOp::plain), 0, line); }
}  // namespace details

// A group whose kind is known at run time only: the block (mask 0) or lanes of a warp.
class thread_group {
 public:
  explicit thread_group(unsigned mask) : mask_(mask) {}
  void sync(int line = __builtin_LINE()) const {
    if (mask_) __syncwarp(mask_, line);
    else details::block_barrier(line);
  }
  unsigned size() const { return mask_ ? __popc(mask_) : details::block_threads(); }
  unsigned num_threads() const { return size(); }
  unsigned thread_rank() const {
    return mask_ ? __popc(mask_ & kernelgate::lanes_below()) : kernelgate_current->linear;
  }
  unsigned kernelgate_mask() const { return mask_; }

 protected:
  unsigned mask_;
};

class thread_block : public thread_group {
 public:
  thread_block() : thread_group(0) {}
  static void sync(int line = __builtin_LINE()) { details::block_barrier(line); }
  static unsigned thread_rank() { return kernelgate_current->linear; }
  static dim3 group_index() { return kernelgate_current->block->index; }
  static dim3 thread_index() { return kernelgate_current->index; }
  static dim3 group_dim() { return details::block_dim(); }
  static dim3 dim_threads() { return details::block_dim(); }
  static unsigned size() { return details::block_threads(); }
  static unsigned num_threads() { return size(); }
};
inline thread_block this_thread_block() { return {}; }

class cluster_group {
 public:
  struct arrival_token {};
  static void sync(int line = __builtin_LINE()) { kernelgate_cluster_barrier(1, 1, line); }
  static arrival_token barrier_arrive(int line = __builtin_LINE()) {
    kernelgate_cluster_barrier(1, 0, line);
    return {};
  }
  static void barrier_wait(arrival_token&&, int line = __builtin_LINE()) { kernelgate_cluster_barrier(0, 1, line); }
  static unsigned num_blocks() { return kernelgate_cluster_place(5, 0); }
  static unsigned block_rank() { return kernelgate_cluster_place(4, 0); }
  static dim3 block_index() {
    return {kernelgate_cluster_place(0, 0), kernelgate_cluster_place(0, 1), kernelgate_cluster_place(0, 2)};
  }
  static dim3 dim_blocks() {
    return {kernelgate_cluster_place(1, 0), kernelgate_cluster_place(1, 1), kernelgate_cluster_place(1, 2)};
  }
  static unsigned num_threads() { return num_blocks() * details::block_threads(); }
  static unsigned size() { return num_threads(); }
  static unsigned thread_rank() { return block_rank() * details::block_threads() + kernelgate_current->linear; }
  template <typename T>
  static T* map_shared_rank(T* address, unsigned rank, int line = __builtin_LINE()) {
    return reinterpret_cast<T*>(kernelgate_map_shared(reinterpret_cast<uint64_t>(address), rank, line));
  }
  static unsigned query_shared_rank(const void* address) {
    return kernelgate_rank_of(reinterpret_cast<uint64_t>(address));
  }
};
inline cluster_group this_cluster() { return {}; }

// Its barrier is for kernels of cudaLaunchCooperativeKernel; its ranks are for all.
class grid_group {
 public:
  static void sync(int line = __builtin_LINE()) { kernelgate_grid_barrier(line); }
  static bool is_valid() { return kernelgate_is_cooperative(); }
  static dim3 dim_blocks() { return kernelgate_current->block->grid_dim; }
  static dim3 group_dim() { return dim_blocks(); }
  static unsigned long long num_blocks() {
    return static_cast<unsigned long long>(dim_blocks().x) * dim_blocks().y * dim_blocks().z;
  }
  static dim3 block_index() { return kernelgate_current->block->index; }
  static unsigned long long block_rank() {
    const dim3 b = block_index(), g = dim_blocks();
    return (static_cast<unsigned long long>(b.z) * g.y + b.y) * g.x + b.x;
  }
  static unsigned long long num_threads() { return num_blocks() * details::block_threads(); }
  static unsigned long long size() { return num_threads(); }
  static unsigned long long thread_rank() {
    return block_rank() * details::block_threads() + kernelgate_current->linear;
  }
};
inline grid_group this_grid() { return {}; }

// What tiles and coalesced groups share: lanes of one warp, ranked in their order.
class coalesced_group : public thread_group {
 public:
  explicit coalesced_group(unsigned mask, unsigned rank = 0, unsigned count = 1)
      : thread_group(mask), rank_(rank), count_(count) {}
  template <typename T>
  T shfl(T value, int source, int line = __builtin_LINE()) const {
    return kernelgate::exchange(mask_, value, kernelgate::lane_of_rank(mask_, static_cast<unsigned>(source)), line);
  }
  template <typename T>
  T shfl_down(T value, unsigned delta, int line = __builtin_LINE()) const {
    return from_rank(value, thread_rank() + delta < size() ? thread_rank() + delta : thread_rank(), line);
  }
  template <typename T>
  T shfl_up(T value, unsigned delta, int line = __builtin_LINE()) const {
    return from_rank(value, thread_rank() >= delta ? thread_rank() - delta : thread_rank(), line);
  }
  template <typename T>
  T shfl_xor(T value, unsigned other, int line = __builtin_LINE()) const {
    return from_rank(value, (thread_rank() ^ other) < size() ? thread_rank() ^ other : thread_rank(), line);
  }
  int any(int predicate, int line = __builtin_LINE()) const { return __any_sync(mask_, predicate, line); }
  int all(int predicate, int line = __builtin_LINE()) const { return __all_sync(mask_, predicate, line); }
  unsigned ballot(int predicate, int line = __builtin_LINE()) const {
    return packed(__ballot_sync(mask_, predicate, line));
  }
  template <typename T>
  unsigned match_any(T value, int line = __builtin_LINE()) const {
    return packed(__match_any_sync(mask_, value, line));
  }
  template <typename T>
  unsigned match_all(T value, int& predicate, int line = __builtin_LINE()) const {
    return packed(__match_all_sync(mask_, value, &predicate, line));
  }
  unsigned meta_group_rank() const { return rank_; }
  unsigned meta_group_size() const { return count_; }

 private:
  template <typename T>
  T from_rank(T value, unsigned rank, int line) const {
    return kernelgate::exchange(mask_, value, kernelgate::lane_of_rank(mask_, rank), line);
  }
  unsigned packed(unsigned lanes) const {
    unsigned result = 0;
    for (unsigned rank = 0; rank < size(); rank++)
      result |= (lanes >> kernelgate::lane_of_rank(mask_, rank) & 1u) << rank;
    return result;
  }
  unsigned rank_, count_;
};
inline coalesced_group coalesced_threads(int line = __builtin_LINE()) {
  return coalesced_group(kernelgate_converged_lanes(line));
}

template <unsigned Size, typename Parent = void>
class thread_block_tile : public coalesced_group {
  static_assert(Size <= 32 && (Size & (Size - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads");

 public:
  thread_block_tile() : coalesced_group(lanes(), kernelgate_current->linear / Size, details::block_threads() / Size) {}
  thread_block_tile(unsigned rank, unsigned count) : coalesced_group(lanes(), rank, count) {}
  template <typename Other>
  thread_block_tile(const thread_block_tile<Size, Other>& other)
      : coalesced_group(other.kernelgate_mask(), other.meta_group_rank(), other.meta_group_size()) {}
  static constexpr unsigned size() { return Size; }
  static constexpr unsigned num_threads() { return Size; }
  static unsigned thread_rank() { return kernelgate_current->linear % Size; }

 private:
  static unsigned lanes() { return (Size == 32 ? ~0u : (1u << Size % 32) - 1u) << (kernelgate::lane() & ~(Size - 1)); }
};

template <unsigned Size>
inline thread_block_tile<Size, thread_block> tiled_partition(const thread_block&) {
  return {};
}
template <unsigned Size, unsigned ParentSize, typename Parent>
inline thread_block_tile<Size, thread_block_tile<ParentSize, Parent>> tiled_partition(
    const thread_block_tile<ParentSize, Parent>&) {
  static_assert(Size <= ParentSize);
  return {kernelgate_current->linear % ParentSize / Size, ParentSize / Size};
}
inline thread_group tiled_partition(const thread_group&, unsigned size) {
  const unsigned lanes = size >= 32 ? ~0u : (1u << size) - 1u;
  return thread_group(lanes << (kernelgate::lane() & ~(size - 1)));
}
template <typename Label>
inline coalesced_group labeled_partition(const coalesced_group& group, Label label, int line = __builtin_LINE()) {
  return coalesced_group(__match_any_sync(group.kernelgate_mask(), label, line));
}
inline coalesced_group binary_partition(const coalesced_group& group, bool predicate, int line = __builtin_LINE()) {
  const unsigned yes = __ballot_sync(group.kernelgate_mask(), predicate, line);
  return coalesced_group(predicate ? yes : group.kernelgate_mask() & ~yes, predicate, 2);
}

template <typename Group>
inline void sync(const Group& group, int line = __builtin_LINE()) {
  group.sync(line);
}
template <typename Group>
inline unsigned thread_rank(const Group& group) {
  return group.thread_rank();
}
template <typename Group>
inline unsigned group_size(const Group& group) {
  return group.size();
}

}  // namespace cooperative_groups
