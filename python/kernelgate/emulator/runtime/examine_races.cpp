// Rule: two accesses of the same bytes, one of them a write, race unless something orders them:
//   in one block: a barrier between them; in one warp also a collective that both lanes took part in;
//   between launches: what orders their streams (examine_streams.cpp);
//   between blocks of one launch: nothing, except that both are atomic or volatile, or that the earlier block fenced
//   and then wrote an atomic or volatile word, and the later one has met such a word since (the "last block" pattern).
// A plain write of what is there already is let pass: every outcome is the same.
#include "memory_check.h"
#include <algorithm>
#include <map>
#include <set>
#include <string.h>
#include <utility>
#include <vector>

namespace kernelgate {

namespace memory_check {

namespace {

constexpr uint16_t most_fences = 0xffff >> mark_bits;
uint32_t known[most_cluster_threads][lanes_of_warp];  // [t][l]: up to which clock t has met lane l of its warp

// A plain write that changes nothing conflicts with nothing, which shows once it has been made.
struct Unsettled {
  Line line;
  char before[64];
  const char* address;
  size_t bytes;
  const void* codes[2];
};
std::vector<Unsettled> unsettled;  // of the latest access

// A plain read of a word that others change by atomics alone is a guess where some thread goes on from it with an atomic
// on the word that it read; those that leave there have skipped the work. A compare and swap checks the guess, and no race
// is left. Any other atomic does not: the read was a guard, which is harmless only where the result is the same without it.
enum class Guess { none, guard, checked };
std::map<const void*, Guess> guesses;                      // by the line that reads
std::set<std::pair<const void*, const void*>> read_again;  // by a thread, of one word: the first line, and the next
struct HeldBack {
  Line line;  // without its kind
  const void* read;
  const void* codes[2];
};
std::vector<HeldBack> held_back;  // until the last thread has shown how it goes on

bool races(const Access& earlier, const Access& now, const Memory& memory) {
  if (!earlier.run || (earlier.marks & now.marks & atomic_mark)) return false;
  if (earlier.run == now.run && has_agents()) return !happened_before(earlier, now);
  if (earlier.run == now.run) {
    if (earlier.thread == now.thread || earlier.epoch != now.epoch) return false;
    if (earlier.thread / lanes_of_warp != now.thread / lanes_of_warp) return true;
    return known[now.thread][earlier.thread % lanes_of_warp] < earlier.clock;
  }
  if (memory.kind == MemoryKind::shared) return false;
  if (earlier.run < first_run) return is_unordered(earlier);
  constexpr unsigned either = atomic_mark | volatile_mark;
  if ((earlier.marks & either) && (now.marks & either)) return false;
  return !(runs[earlier.run - first_run].published > earlier.marks >> mark_bits && runs.back().acquired);
}

// The one of two accesses that may be a guess: it reads, the other one is an atomic.
const Access* guess_of(const Access& earlier, bool earlier_wrote, const Access& now, bool write) {
  if (write && earlier_wrote) return nullptr;
  const Access& read = write ? earlier : now;
  const Access& other = write ? now : earlier;
  return other.marks & atomic_mark && !(has_agents() && is_agent(read.thread)) ? &read : nullptr;
}

// One read looks whether an atomic is worth while, and the next one may begin the loop.
Guess guess_at(const void* code) {
  Guess found = Guess::none;
  auto note = [&found](const void* line) {
    const auto known = guesses.find(line);
    if (known != guesses.end()) found = std::max(found, known->second);
  };
  note(code);
  for (const auto& [first, next] : read_again)
    if (first == code) note(next);
  return found;
}

enum class Made { now, later };  // when a write changes its memory

void report_race(const Memory& memory, const Access& earlier, bool earlier_wrote, const Access& now, bool write,
                 size_t cell, size_t bytes, Made made = Made::now) {
  const auto [first, second] = std::minmax(now.code, earlier.code);
  const Access* guess = guess_of(earlier, earlier_wrote, now, write);
  if (guess && guess_at(guess->code) == Guess::checked) return;
  if (!is_new(Kind::race, first, second)) return;
  const Worker& worker = *static_cast<const Thread*>(kernelgate_current)->owner().worker;
  const char* address = memory.region.begin + (cell << memory.shift);
  const bool of_agent = earlier.run == current_run() && is_agent(earlier.thread);
  const bool by_agent = is_agent(now.thread) && has_agents();
  Line line;
  const bool of_launch = earlier.run >= first_run;
  if (!guess)
    line.text("kind", !of_launch ? "unordered" : !of_agent ? "race" : earlier_wrote ? "early_access" : "overwritten");
  if (of_agent) line.text("detail", unit_of(earlier.thread) == Unit::copy ? "copy" : "wgmma");
  describe_access(line, memory, address, bytes, write, now.code);
  line.text("other_access", earlier_wrote ? "write" : "read");
  if (of_launch) {
    const unsigned other = earlier.run == current_run() ? issuer_of(earlier.thread) : earlier.thread;
    const unsigned threads = worker.numbers();
    const Worker& owner = *worker.cluster->members[other / threads];
    const uint3 thread = owner.threads[other % threads].index;
    const uint3 block = earlier.run == current_run() ? owner.block.index : runs[earlier.run - first_run].block;
    line.triple("other_block", block.x, block.y, block.z);
    line.triple("other_thread", thread.x, thread.y, thread.z);
  }
  if (earlier.code) describe_code(line, "other_", call_site(earlier.code));
  else line.text("detail", "an operator of PyTorch's");
  const bool plain = !((earlier.marks | now.marks) & atomic_mark);
  if (guess) return held_back.push_back({line, guess->code, {first, second}});
  const bool shows = write && plain && made == Made::now && bytes <= sizeof Unsettled::before;
  if (of_agent || by_agent || !shows) return add_finding(line);
  Unsettled& race = unsettled.emplace_back(Unsettled{line, {}, address, bytes, {first, second}});
  memcpy(race.before, address, bytes);
}

// What a thread has written, and the asynchronous units may not see yet: nothing has fenced it for them.
void check_fenced(const Memory& memory, const Access& earlier, const Access& now, size_t cell, size_t bytes) {
  if (earlier.run != now.run || is_agent(earlier.thread) || is_fenced(earlier, now)) return;
  if (!is_new(Kind::unfenced, now.code, earlier.code)) return;
  Line line;
  line.text("kind", "proxy_fence");
  describe_access(line, memory, memory.region.begin + (cell << memory.shift), bytes, false, now.code);
  describe_code(line, "other_", call_site(earlier.code));
  line.text("detail", unit_of(now.thread) == Unit::copy ? "copy" : "wgmma");
  add_finding(line);
}

bool same_thread(const Access& a, const Access& b) { return a.run == b.run && a.thread == b.thread; }

// An atomic begins. What its thread has read between two atomics of its own is a result rather than a guess, and so is
// what it has read of shared memory before a barrier.
void note_guess(const Memory& memory, const Cell& cell, const Access& now) {
  const Access& read = cell.read;
  if (!read.run || read.marks & atomic_mark || !same_thread(read, now)) return;
  if (memory.kind == MemoryKind::shared && read.epoch != now.epoch) return;
  if (cell.write.marks & atomic_mark && same_thread(cell.write, now)) return;
  Guess& known = guesses[read.code];
  known = std::max(known, now.marks & swap_mark ? Guess::checked : Guess::guard);
}

}  // namespace

void check_races(Memory& memory, size_t offset, size_t bytes, bool write, const Access& now) {
  for (size_t i = offset >> memory.shift; i <= (offset + bytes - 1) >> memory.shift; i++) {
    Cell& cell = memory.cells[i];
    if (now.marks & atomic_mark && !write) note_guess(memory, cell, now);
    if (races(cell.write, now, memory)) report_race(memory, cell.write, true, now, write, i, bytes);
    else if (!write && has_agents() && is_agent(now.thread)) check_fenced(memory, cell.write, now, i, bytes);
    if (write) {
      for (Access* read : {&cell.read, &cell.other_read, &cell.foreign_read}) {
        // An atomic that follows another on the same word has seen it, and so has what follows this one.
        if (now.marks & read->marks & atomic_mark) *read = {};
        if (races(*read, now, memory)) report_race(memory, *read, false, now, true, i, bytes);
      }
      cell.write = now;
    } else {
      if (cell.write.marks & atomic_mark && same_thread(cell.read, now) && cell.read.code != now.code)
        read_again.insert({cell.read.code, now.code});
      if (cell.read.run && !same_thread(cell.read, now))
        (cell.read.run == now.run ? cell.other_read : cell.foreign_read) = cell.read;
      cell.read = now;
    }
  }
}

void check_reads(Memory& memory, size_t offset, size_t bytes, const Access& now) {
  for (size_t i = offset >> memory.shift; i <= (offset + bytes - 1) >> memory.shift; i++)
    for (const Access* read : {&memory.cells[i].read, &memory.cells[i].other_read, &memory.cells[i].foreign_read})
      if (races(*read, now, memory)) report_race(memory, *read, false, now, true, i, bytes, Made::later);
}

uint32_t known_of_warp(unsigned thread, unsigned lane) { return known[thread][lane]; }

void start_block(int threads) {
  epoch = 0;
  for (int t = 0; t < threads; t++) clocks[t] = 1;
  memset(known, 0, static_cast<size_t>(threads) * sizeof known[0]);
}

}  // namespace memory_check

using namespace memory_check;

void settle_all() {
  settle();
  for (HeldBack& race : held_back) {
    const Guess guess = guess_at(race.read);
    if (guess == Guess::checked) {
      forget(Kind::race, race.codes[0], race.codes[1]);
      continue;
    }
    race.line.text("kind", guess == Guess::guard ? "guard" : "race");
    add_finding(race.line);
  }
  held_back.clear();
}

void settle() {
  if (unsettled.empty()) return;
  for (Unsettled& race : unsettled)
    if (memcmp(race.before, race.address, race.bytes) != 0) add_finding(race.line);
    else forget(Kind::race, race.codes[0], race.codes[1]);
  unsettled.clear();
}

void examine_collective(unsigned first, unsigned lanes) {
  if (!on) return;
  if (has_agents()) {
    unsigned numbers[lanes_of_warp];
    size_t count = 0;
    for (unsigned l = 0; l < lanes_of_warp; l++)
      if (lanes >> l & 1) numbers[count++] = first + l;
    return meet(numbers, count);
  }
  uint32_t met[lanes_of_warp] = {};
  for (unsigned l = 0; l < lanes_of_warp; l++) {
    if (!(lanes >> l & 1)) continue;
    for (unsigned k = 0; k < lanes_of_warp; k++) met[k] = std::max(met[k], known[first + l][k]);
    met[l] = std::max(met[l], clocks[first + l]);
  }
  for (unsigned l = 0; l < lanes_of_warp; l++) {
    if (!(lanes >> l & 1)) continue;
    memcpy(known[first + l], met, sizeof met);
    clocks[first + l]++;
  }
}

void examine_fence() {
  if (on && kernelgate_current && !runs.empty() && runs.back().fences < most_fences) runs.back().fences++;
}

}  // namespace kernelgate
