// What all lanes of a warp do as one: each brings a record, the last to arrive does the work for all.
#pragma once
#include <kernelgate/abi.h>

namespace kernelgate {

// Record derives from Together and has `static void work(Record* const* lanes, unsigned mask)`.
template <typename Record>
inline void together(unsigned mask, Record& record, int line) {
  record.run = [](Together* const* lanes, unsigned present) {
    Record* records[32];
    for (int l = 0; l < 32; l++) records[l] = static_cast<Record*>(lanes[l]);
    Record::work(records, present);
  };
  kernelgate_warp(static_cast<int>(WarpOp::together), mask, reinterpret_cast<uint64_t>(static_cast<Together*>(&record)),
                  0, 32, line);
}

inline unsigned lane() { return kernelgate_current->linear % 32; }

}  // namespace kernelgate
