// Ends a launch that takes too long, so that the line at which it hangs can be reported.
#include "watchdog.h"
#include "report.h"
#include <math.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

namespace kernelgate {

namespace {

double limit_s = 0;  // 0: none

}  // namespace

double launch_limit_s() { return limit_s; }

Watchdog::Watchdog() {
  if (limit_s <= 0) return;
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = time_over_signal;
  event._sigev_un._tid = gettid();
  armed_ = timer_create(CLOCK_MONOTONIC, &event, &timer_) == 0;
  itimerspec when{};
  when.it_value.tv_sec = static_cast<time_t>(limit_s);
  when.it_value.tv_nsec = static_cast<long>(fmod(limit_s, 1.0) * 1e9);
  if (armed_) timer_settime(timer_, 0, &when, nullptr);
}

Watchdog::~Watchdog() {
  if (armed_) timer_delete(timer_);
}

}  // namespace kernelgate

extern "C" void kernelgate_limit_launches(double seconds) { kernelgate::limit_s = seconds; }
