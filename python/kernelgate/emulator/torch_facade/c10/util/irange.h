// for (const auto i : c10::irange(n)).
#pragma once

namespace c10 {
template <typename Int>
struct integer_range {
  struct iterator {
    Int value;
    Int operator*() const { return value; }
    iterator& operator++() { return ++value, *this; }
    bool operator!=(const iterator& other) const { return value < other.value; }
  };
  Int first, last;
  iterator begin() const { return {first}; }
  iterator end() const { return {last < first ? first : last}; }
};
template <typename Int>
integer_range<Int> irange(Int last) {
  return {Int(0), last};
}
template <typename First, typename Last>
integer_range<Last> irange(First first, Last last) {
  return {static_cast<Last>(first), last};
}
}  // namespace c10
