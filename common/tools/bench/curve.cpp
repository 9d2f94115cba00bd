#include "curve.h"

#include "../../host/support/csv.h"
#include "../../host/support/statistics.h"
#include "../../host/support/text.h"

namespace {

double tflops_of(const CurveRecord& record, const Bin& bin) {
  return record.flops / (bin.ms * 1e-3) * 1e-12;
}

std::vector<CsvColumn> columns_of(
    const Environment& environment,
    const CurveRecord& record,
    uint64_t order_seed,
    const Curve& curve,
    const Bin& bin) {
  return {
      {"stage", csv_string(record.contestant)},
      {"after", csv_string(curve.after)},
      {"from_ms", csv_number(bin.from_ms)},
      {"to_ms", csv_number(bin.to_ms)},
      {"tflops", csv_number(tflops_of(record, bin))},
      {"clock_mhz", csv_number(bin.clock_mhz)},
      {"power_w", csv_number(bin.power_w)},
      {"repetitions", std::to_string(record.repetitions)},
      {"order_seed", std::to_string(order_seed)},
      {"M", std::to_string(record.size.M)},
      {"N", std::to_string(record.size.N)},
      {"K", std::to_string(record.size.K)},
      {"config", csv_string(record.config)},
      {"inputs", name_of(environment.inputs)},
      {"date", csv_string(environment.date)},
      {"commit", csv_string(environment.commit)},
      {"device", csv_string(environment.device.name)},
      {"driver", csv_string(environment.device.driver)},
      {"cuda", csv_string(environment.device.cuda)},
      {"power_limit_w", csv_number(environment.power_limit_w)},
      {"command", "make curve"},
  };
}

}  // namespace

std::string curve_csv(
    const Environment& environment,
    const CurveRecord& record,
    uint64_t order_seed) {
  std::string text = csv_header_of(columns_of({}, {}, 0, {}, {}));
  for (const Curve& curve : record.curves) {
    for (const Bin& bin : curve.bins) {
      text += csv_row_of(columns_of(environment, record, order_seed, curve, bin));
    }
  }
  return text;
}

std::string curve_report(const CurveRecord& record) {
  constexpr double ends[] = {20, 60, 100, 200, 500, curve_ms};
  std::string text = format("  %-32s", ("TFLOP/s of " + record.contestant).c_str());
  double from = 0;
  for (const double to : ends) {
    text += format(" %10s", format("%.0f-%.0f ms", from, to).c_str());
    from = to;
  }
  for (const Curve& curve : record.curves) {
    text += format("\n  %-32s", ("after " + curve.after).c_str());
    from = 0;
    for (const double to : ends) {
      std::vector<double> tflops;
      for (const Bin& bin : curve.bins) {
        if (bin.from_ms >= from && bin.from_ms < to) tflops.push_back(tflops_of(record, bin));
      }
      text += format(" %10s", tflops.empty() ? "" : format("%.1f", median(tflops)).c_str());
      from = to;
    }
  }
  return text + "\n";
}
