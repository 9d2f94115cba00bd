// The words of the reports: what happened, why that is a fault, how it is mended. A message of
// messages.inc is told the facts that it has places for, and knows no more.
#pragma once

#include <cstring>
#include <ostream>
#include <sstream>
#include <string>

#include "../ptx/ptx.cuh"

namespace emulator {

struct Transfer;

// --- Facts

// "02_warp_specialized/kernel.cuh:85"
std::string where(CallSite at);
inline bool same_place(CallSite a, CallSite b) {
  return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}

// "block 0, warp 1, lane 2"
struct Who {
  unsigned block;
  int thread;
};

// "the mbarrier initialised at 00_naive/kernel.cuh:49 (number 0 of that line)"
struct BarrierName {
  CallSite init_at;
  int number;
};

// 16 bytes, and which part of a copy they are, if there is one:
// "A, buffer 1, row 16, columns 8 to 15, k-tile 3; shared memory 0x2410 to 0x241f"
struct Bytes {
  uint32_t addr;
  const Transfer* copy;
};

std::ostream& operator<<(std::ostream& out, CallSite at);
std::ostream& operator<<(std::ostream& out, Who who);
std::ostream& operator<<(std::ostream& out, BarrierName name);
std::ostream& operator<<(std::ostream& out, Bytes bytes);

// --- Messages

// The hazard rules of docs/emulator.md.
enum class HazardRule {
  none,
  read_too_early,
  refill_too_early,
  overlap,
  protocol,
  divergence,
  fragments,
  address,
  deadlock,
};

// Text with a '%' in the place of each fact.
template <size_t facts>
struct Message {
  HazardRule rule;  // that is broken, of a report
  const char* text;
};

constexpr size_t count_places(const char* text) {
  size_t places = 0;
  for (; *text != 0; text++) places += *text == '%';
  return places;
}

namespace messages {
#define REPORT(rule, name, text) \
  inline constexpr Message<count_places(text)> name = {HazardRule::rule, text};
#define MESSAGE(name, text) REPORT(none, name, text)
#include "messages.inc"
#undef MESSAGE
#undef REPORT
}  // namespace messages

// The message with its facts; one too many or too few does not compile.
template <class... Facts>
std::string say(Message<sizeof...(Facts)> message, const Facts&... facts) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  const char* rest = message.text;
  [[maybe_unused]] const auto tell = [&](const auto& fact) {
    while (*rest != '%') out << *rest++;
    out << fact;
    rest++;
  };
  (tell(facts), ...);
  out << rest;
  return out.str();
}

}  // namespace emulator
