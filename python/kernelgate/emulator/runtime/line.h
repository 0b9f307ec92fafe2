// One JSON line, built in place: a signal handler may neither allocate nor call stdio.
// The reader is faults/fault_line.py; the fields are those of its `FaultLine`.
#pragma once
#include <stddef.h>
#include <string>

namespace kernelgate {

class Line {
 public:
  Line() { raw("{"); }
  void text(const char* name, const char* value) { text(name, value, ~size_t{0}); }
  void text(const char* name, const char* value, size_t length) {
    begin(name);
    raw("\"");
    for (size_t i = 0; i < length && value[i] && used_ < sizeof buffer_ - 64; i++) {
      const char c = value[i];
      if (c == '"' || c == '\\') put('\\');
      put(static_cast<unsigned char>(c) < 32 ? ' ' : c);
    }
    raw("\"");
  }
  void number(const char* name, long value) { begin(name), digits(value); }
  void triple(const char* name, unsigned x, unsigned y, unsigned z) {
    begin(name);
    raw("[");
    digits(x), raw(","), digits(y), raw(","), digits(z);
    raw("]");
  }
  void end() { raw("}\n"); }
  const char* data() const { return buffer_; }
  size_t size() const { return used_; }
  std::string string() const { return {buffer_, used_}; }

 private:
  void begin(const char* name) {
    if (used_ > 1) raw(",");
    raw("\""), raw(name), raw("\":");
  }
  void raw(const char* s) {
    while (*s) put(*s++);
  }
  void put(char c) {
    if (used_ < sizeof buffer_) buffer_[used_++] = c;
  }
  void digits(long value) {
    char reversed[24];
    int count = 0;
    unsigned long left = value < 0 ? 0ul - static_cast<unsigned long>(value) : static_cast<unsigned long>(value);
    do reversed[count++] = static_cast<char>('0' + left % 10);
    while (left /= 10);
    if (value < 0) put('-');
    while (count) put(reversed[--count]);
  }
  char buffer_[4096];
  size_t used_ = 0;
};

}  // namespace kernelgate
