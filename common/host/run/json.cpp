#include "json.h"

#include <cmath>

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

template <class Integer>
Entry integer_entry(const char* key, Integer value) {
  const std::string text = std::to_string(value);
  return {key, text, text};
}
Entry entry(const char* key, int64_t value) { return integer_entry(key, value); }
Entry entry(const char* key, uint64_t value) { return integer_entry(key, value); }

// JSON has no NaN and no infinity: they are as good as unknown.
Entry entry(const char* key, double value) {
  if (!std::isfinite(value)) return {key, "null", ""};
  const std::string text = format("%.7g", value);
  return {key, text, text};
}

template <class Value>
Entry entry(const char* key, const std::optional<Value>& value) {
  if (!value) return {key, "null", ""};
  return entry(key, *value);
}

Entry entry(const char* key, const std::vector<ConfigField>& fields) {
  std::string json, csv;
  for (const ConfigField& field : fields) {
    const char* comma = json.empty() ? "" : ", ";
    json += comma + json_string(field.name) + ": " + std::to_string(field.value);
    csv += (csv.empty() ? "" : " ") + field.name + "=" + std::to_string(field.value);
  }
  return {key, "{" + json + "}", csv_string(csv)};
}

// The counters of counters.inc that have a key, in its order.
std::vector<Entry> counter_entries(const std::optional<emulator::Counters>& counters) {
  std::vector<Entry> all;
  for (const emulator::CounterRow& row : emulator::counter_rows) {
    std::optional<uint64_t> value;
    if (counters) value = (*counters).*row.value;
    if (row.in_json) all.push_back(entry(row.name, value));
  }
  return all;
}

// All keys, in the order of the JSON object.
std::vector<Entry> entries(const RunRecord& record) {
  std::vector<Entry> all = {
      entry("schema", int64_t{schema_version}),
      entry("stage", record.stage),
      entry("backend", record.backend),
      entry("device", record.device),
      entry("arch", record.arch),
      entry("M", record.M),
      entry("N", record.N),
      entry("K", record.K),
      entry("config", record.config),
      entry("inputs", record.inputs),
      entry("seed", record.seed),
      entry("schedule", record.schedule),
      entry("failing_seed", record.failing_seed),
      entry("verified", record.verified),
      entry("max_rel_error", record.max_rel_error),
      entry("tolerance", record.tolerance),
      entry("launches", record.launches),
      entry("wrong_launches", record.wrong_launches),
  };
  for (Entry& each : counter_entries(record.counters)) all.push_back(std::move(each));
  const std::vector<Entry> rest = {
      entry("war_hazards", record.war_hazards),
      entry("raw_hazards", record.raw_hazards),
      entry("other_hazards", record.other_hazards),
      entry("deadlock", record.deadlock),
      entry("smem_bytes", record.smem_bytes),
      entry("error", record.error),
      entry("tflops", record.tflops),
      entry("tflops_p20", record.tflops_p20),
      entry("tflops_p80", record.tflops_p80),
      entry("cublas_tflops", record.cublas_tflops),
      entry("cublas_bf16out_tflops", record.cublas_bf16out_tflops),
      entry("mma_peak_tflops", record.mma_peak_tflops),
      entry("registers", record.registers),
      entry("spill_bytes", record.spill_bytes),
      entry("clock_mhz", record.clock_mhz),
      entry("power_w", record.power_w),
      entry("driver", record.driver),
      entry("cuda", record.cuda),
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

std::string csv_string(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string to_json(const RunRecord& record) {
  std::string text;
  for (const Entry& each : entries(record)) {
    text += (text.empty() ? "{\n  " : ",\n  ") + json_string(each.key) + ": " + each.json;
  }
  return text + "\n}\n";
}

std::string csv_header() {
  std::string text = "date,commit,kernel_hash";
  for (const Entry& each : entries(RunRecord())) text += "," + each.key;
  return text + "\n";
}

std::string csv_row(
    const RunRecord& record,
    const std::string& date,
    const std::string& commit,
    const std::string& kernel_hash) {
  std::string text = csv_string(date) + "," + csv_string(commit) + "," + csv_string(kernel_hash);
  for (const Entry& each : entries(record)) text += "," + each.csv;
  return text + "\n";
}
