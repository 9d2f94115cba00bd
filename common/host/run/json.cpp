#include "json.h"

#include <type_traits>
#include <vector>

#include "../support/csv.h"
#include "../support/text.h"

namespace {

constexpr int schema_version = 1;

// A key and its value in both notations.
struct Entry {
  std::string key, json, csv;
};

Entry entry(const char* key, const std::string& text) {
  return {key, json_string(text), csv_string(text)};
}

Entry entry(const char* key, bool value) {
  const char* text = value ? "true" : "false";
  return {key, text, text};
}

template <class Integer, class = std::enable_if_t<std::is_integral<Integer>::value>>
Entry entry(const char* key, Integer value) {
  const std::string text = std::to_string(value);
  return {key, text, text};
}

// JSON has no NaN and no infinity: they are as good as unknown.
Entry entry(const char* key, double value) {
  const std::string text = csv_number(value);
  return {key, text.empty() ? "null" : text, text};
}

template <class Value>
Entry entry(const char* key, const std::optional<Value>& value) {
  if (!value) return {key, "null", ""};
  return entry(key, *value);
}

Entry entry(const char* key, const ConfigDescription& config) {
  std::string json;
  for (const ConfigField& field : config.fields) {
    const char* comma = json.empty() ? "" : ", ";
    json += comma + json_string(field.name) + ": " + std::to_string(field.value);
  }
  return {key, "{" + json + "}", csv_string(config_text(config))};
}

// A member of a part of the record; nothing where the part, or the member, is not known.
template <class Part, class Value>
std::optional<Value> of(const std::optional<Part>& part, Value Part::*member) {
  if (!part) return std::nullopt;
  return (*part).*member;
}
template <class Part, class Value>
std::optional<Value> of(const std::optional<Part>& part, std::optional<Value> Part::*member) {
  if (!part) return std::nullopt;
  return (*part).*member;
}

// The counters of counters.inc that have a key, in its order.
std::vector<Entry> counter_entries(const std::optional<EmulatedLaunch>& emulated) {
  std::vector<Entry> all;
  for (const emulator::CounterRow& row : emulator::counter_rows) {
    std::optional<uint64_t> value;
    if (emulated) value = emulated->counters.*row.value;
    if (row.in_json) all.push_back(entry(row.name, value));
  }
  return all;
}

// Why the run is not verified; nothing if it is, or if that is not known.
std::optional<std::string> error_of(const RunRecord& record) {
  if (!record.refusal.empty()) return record.refusal;
  if (!record.verification || record.verification->passed) return std::nullopt;
  return record.verification->fault;
}

// All keys, in the order of the JSON object.
std::vector<Entry> entries(const RunRecord& record) {
  const auto& [config, options, device, verification, benchmark, refusal] = record;
  using V = Verification;
  using B = Benchmark;
  const bool on_gpu = this_backend() == Backend::cuda;
  const auto gpu = on_gpu ? device : std::nullopt;
  const auto stage = of(benchmark, &B::stage);
  const auto speed = of(stage, &Timing::speed);
  const auto tflops_of = [&](Timing B::*peer) {
    return of(of(of(benchmark, peer), &Timing::speed), &Speed::median);
  };
  const auto emulated = on_gpu ? std::nullopt : of(verification, &V::emulated);
  std::optional<bool> deadlock;
  if (emulated) deadlock = emulated->deadlocks > 0;
  std::optional<std::string> inputs, schedule;
  if (options) inputs = name_of(options->inputs);
  if (options && !on_gpu) schedule = name_of(options->schedule);

  std::vector<Entry> all = {
      entry("schema", int64_t{schema_version}),
      entry("stage", config.stage),
      entry("backend", std::string(name_of(this_backend()))),
      entry("device", of(device, &Device::name)),
      entry("arch", of(device, &Device::arch)),
      entry("M", config.M),
      entry("N", config.N),
      entry("K", config.K),
      entry("config", config),
      entry("inputs", inputs),
      entry("seed", of(options, &Options::seed)),
      entry("schedule", schedule),
      entry("failing_seed", of(verification, &V::failing_seed)),
      entry("verified", refusal.empty() ? of(verification, &V::passed) : std::nullopt),
      entry("max_rel_error", of(verification, &V::max_rel_error)),
      entry("tolerance", of(verification, &V::tolerance)),
      entry("launches", of(verification, &V::launches)),
      entry("wrong_launches", of(verification, &V::wrong_launches)),
  };
  for (Entry& each : counter_entries(emulated)) all.push_back(std::move(each));
  const std::vector<Entry> rest = {
      entry("war_hazards", of(emulated, &EmulatedLaunch::war_hazards)),
      entry("raw_hazards", of(emulated, &EmulatedLaunch::raw_hazards)),
      entry("other_hazards", of(emulated, &EmulatedLaunch::other_hazards)),
      entry("deadlock", deadlock),
      entry("smem_bytes", config.smem_bytes),
      entry("error", error_of(record)),
      entry("tflops", tflops_of(&B::stage)),
      entry("tflops_p20", of(speed, &Speed::p20)),
      entry("tflops_p80", of(speed, &Speed::p80)),
      entry("cublas_tflops", tflops_of(&B::cublas)),
      entry("cublas_bf16out_tflops", tflops_of(&B::cublas_bf16out)),
      entry("mma_peak_tflops", tflops_of(&B::mma_peak)),
      entry("registers", of(device, &Device::registers)),
      entry("spill_bytes", of(device, &Device::spill_bytes)),
      entry("clock_mhz", of(stage, &Timing::clock_mhz)),
      entry("power_w", of(stage, &Timing::power_w)),
      entry("driver", of(gpu, &Device::driver)),
      entry("cuda", of(gpu, &Device::cuda)),
  };
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

// Whether JSON may hold the bytes as they are. (Overlong forms and surrogates pass: nobody sends
// them.)
bool is_utf8(const std::string& text) {
  for (size_t i = 0; i < text.size();) {
    const unsigned char lead = static_cast<unsigned char>(text[i]);
    const int length = lead < 0x80                   ? 1
                       : lead >= 0xc2 && lead < 0xe0 ? 2
                       : lead >= 0xe0 && lead < 0xf0 ? 3
                       : lead >= 0xf0 && lead < 0xf5 ? 4
                                                     : 0;
    if (length == 0 || i + length > text.size()) return false;
    for (int k = 1; k < length; k++) {
      if ((static_cast<unsigned char>(text[i + k]) & 0xc0) != 0x80) return false;
    }
    i += length;
  }
  return true;
}

std::vector<CsvColumn> columns_of(
    const RunRecord& record,
    const std::string& date,
    const std::string& commit) {
  std::vector<CsvColumn> columns = {
      {"date", csv_string(date)},
      {"commit", csv_string(commit)},
      {"kernel_hash", csv_string(record.config.kernel_hash)}};
  for (const Entry& each : entries(record)) columns.push_back({each.key, each.csv});
  return columns;
}

}  // namespace

std::string json_string(const std::string& text) {
  const bool utf8 = is_utf8(text);
  std::string quoted = "\"";
  for (const char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    switch (c) {
      case '"': quoted += "\\\""; break;
      case '\\': quoted += "\\\\"; break;
      case '\n': quoted += "\\n"; break;
      case '\t': quoted += "\\t"; break;
      default:
        if (byte < 0x20 || (byte >= 0x80 && !utf8)) {
          quoted += format("\\u%04x", byte);
        } else {
          quoted += c;
        }
    }
  }
  return quoted + "\"";
}

std::string to_json(const RunRecord& record) {
  std::string text;
  for (const Entry& each : entries(record)) {
    text += (text.empty() ? "{\n  " : ",\n  ") + json_string(each.key) + ": " + each.json;
  }
  return text + "\n}\n";
}

std::string csv_header() { return csv_header_of(columns_of(RunRecord(), "", "")); }

std::string csv_row(const RunRecord& record, const std::string& date, const std::string& commit) {
  return csv_row_of(columns_of(record, date, commit));
}
