#include "measurement.h"

#include <cctype>
#include <cmath>

#include "../../host/support/csv.h"
#include "../../host/support/text.h"

namespace {

// NVML's bits, in the order of their weight. The idle bit and settings by a user are no throttling.
struct ThrottleReason {
  uint64_t bits;
  const char* text;
};
constexpr ThrottleReason throttle_reasons[] = {{0x4, "power cap"},          {0x20 | 0x40, "heat"},
                                               {0x8, "hardware slowdown"},  {0x80, "power brake"},
                                               {0x10, "sync boost"},        {0x200, "board limit"},
                                               {0x400, "reliability limit"}};

std::vector<CsvColumn> columns_of(
    const Environment& environment,
    const ProblemSize& size,
    const Measurement& row) {
  const SteadyFigure* const steady = row.steady ? &*row.steady : nullptr;
  const auto in_steady = [steady](double SteadyFigure::*member) {
    return csv_number(steady ? std::optional(steady->*member) : std::nullopt);
  };
  const auto if_steady = [steady](std::optional<double> SteadyFigure::*member) {
    return csv_number(steady ? steady->*member : std::nullopt);
  };
  const std::string verified = row.verified ? (*row.verified ? "true" : "false") : "";
  return {
      {"date", csv_string(environment.date)},
      {"commit", csv_string(environment.commit)},
      {"kernel_hash", csv_string(row.kernel_hash)},
      {"stage", csv_string(row.contestant)},
      {"preset", csv_string(row.preset)},
      {"device", csv_string(environment.device.name)},
      {"arch", csv_string(environment.device.arch)},
      {"sms", std::to_string(environment.device.sm_count)},
      {"M", std::to_string(size.M)},
      {"N", std::to_string(size.N)},
      {"K", std::to_string(size.K)},
      {"config", csv_string(row.config)},
      {"inputs", name_of(environment.inputs)},
      {"seed", std::to_string(environment.seed)},
      {"verified", verified},
      {"max_rel_error", csv_number(row.max_rel_error)},
      {"tolerance", csv_number(row.tolerance)},
      {"tflops", csv_number(row.speed.median)},
      {"tflops_p20", csv_number(row.speed.p20)},
      {"tflops_p80", csv_number(row.speed.p80)},
      {"ms", csv_number(row.ms)},
      {"rounds", std::to_string(row.round_ms.size())},
      {"runs", std::to_string(row.runs)},
      {"registers", csv_integer(row.registers)},
      {"spill_bytes", csv_integer(row.spill_bytes)},
      {"smem_bytes", csv_integer(row.smem_bytes)},
      {"clock_mhz", csv_number(row.clock_mhz)},
      {"power_w", csv_number(row.power_w)},
      {"temperature_c", csv_number(row.temperature_c)},
      {"throttle", csv_string(throttle_text(row.throttle_reasons))},
      {"max_clock_mhz", csv_number(environment.max_clock_mhz)},
      {"power_limit_w", csv_number(environment.power_limit_w)},
      {"dram_gb_s", csv_number(environment.dram_gb_s)},
      {"l2_bytes", std::to_string(environment.device.l2_bytes)},
      {"flush_bytes", std::to_string(l2_flush_bytes)},
      {"driver", csv_string(environment.device.driver)},
      {"cuda", csv_string(environment.device.cuda)},
      {"cublas", csv_string(environment.device.cublas)},
      {"instruction", csv_string(name_of(row.instruction))},
      {"kernel", csv_string(row.kernel)},
      {"steady_tflops", in_steady(&SteadyFigure::tflops)},
      {"steady_slowest", in_steady(&SteadyFigure::slowest)},
      {"steady_fastest", in_steady(&SteadyFigure::fastest)},
      {"steady_ms", in_steady(&SteadyFigure::ms)},
      {"steady_rounds", steady ? std::to_string(steady->round_ms.size()) : ""},
      {"steady_settled", steady ? std::to_string(steady->settled) : ""},
      {"steady_heated_ms", in_steady(&SteadyFigure::heated_ms)},
      {"steady_clock_mhz", if_steady(&SteadyFigure::clock_mhz)},
      {"steady_power_w", if_steady(&SteadyFigure::power_w)},
      {"steady_joules", if_steady(&SteadyFigure::joules)},
      {"order_seed", csv_integer(row.order_seed)},
  };
}

}  // namespace

std::string size_text(const ProblemSize& size) {
  return format(
      "%lld x %lld x %lld", static_cast<long long>(size.M), static_cast<long long>(size.N),
      static_cast<long long>(size.K));
}

std::string twin_of(const std::string& stage) { return "again_" + stage; }

bool Measurement::is_twin() const { return contestant.rfind(twin_of(""), 0) == 0; }

bool Measurement::is_stage() const {
  return !contestant.empty() && std::isdigit(static_cast<unsigned char>(contestant[0]));
}

const Measurement* find_measurement(
    const std::vector<Measurement>& measurements,
    const std::string& contestant,
    const std::string& preset) {
  for (const Measurement& each : measurements) {
    if (each.contestant == contestant && each.preset == preset) return &each;
  }
  return nullptr;
}

std::optional<double> speed_ratio(const Measurement* one, const Measurement* other) {
  if (one == nullptr || other == nullptr || !(other->tflops() > 0)) return std::nullopt;
  return one->tflops() / other->tflops();
}

std::optional<double> twin_difference(const std::vector<Measurement>& measurements) {
  for (const Measurement& stage : measurements) {
    const Measurement* const twin = find_measurement(measurements, twin_of(stage.contestant));
    const auto ratio = speed_ratio(twin, find_measurement(measurements, stage.contestant));
    if (ratio) return std::abs(*ratio - 1);
  }
  return std::nullopt;
}

OrderCount count_ordered_rounds(
    const std::vector<Measurement>& measurements,
    const std::string& preset) {
  std::vector<const Measurement*> stages;
  for (const Measurement& each : measurements) {
    if (each.is_stage() && each.preset == preset) stages.push_back(&each);
  }
  OrderCount count = {0, 0};
  if (stages.size() < 2) return count;
  for (size_t round = 0; round < stages[0]->rounds_ms().size(); round++) {
    bool ordered = true;
    for (size_t i = 1; i < stages.size(); i++) {
      ordered = ordered && stages[i]->rounds_ms().at(round) < stages[i - 1]->rounds_ms().at(round);
    }
    count.rounds++;
    if (ordered) count.ordered++;
  }
  return count;
}

std::string throttle_text(uint64_t reasons) {
  std::string text;
  for (const ThrottleReason& reason : throttle_reasons) {
    if ((reasons & reason.bits) != 0) text += (text.empty() ? "" : ", ") + std::string(reason.text);
  }
  return text;
}

std::string bench_csv_header() { return csv_header_of(columns_of({}, {}, {})); }

std::string bench_csv_row(
    const Environment& environment,
    const ProblemSize& size,
    const Measurement& measurement) {
  return csv_row_of(columns_of(environment, size, measurement));
}
