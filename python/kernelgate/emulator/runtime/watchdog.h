// A limit on the time of one launch; the handler is in report.cpp.
#pragma once
#include <time.h>

namespace kernelgate {

double launch_limit_s();  // 0: none

class Watchdog {
 public:
  Watchdog();
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  timer_t timer_{};
  bool armed_ = false;
};

}  // namespace kernelgate
