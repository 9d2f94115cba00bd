#include "../../emulator/emulator.h"
#include "../support/refusal.h"
#include "../support/system.h"
#include "../support/text.h"
#include "device.h"
#include "device_rules.h"
#include "launch.h"
#include "tensor_map.h"

Backend this_backend() { return Backend::emulator; }

Device open_device(const Options& options, const ConfigDescription& config, const void*) {
  const double needed = device_bytes_needed(options, config);
  refuse_if(find_memory_fault(config, needed, memory_limit(), "memory"));
  Device device;
  device.backend = Backend::emulator;
  device.name = "emulator";
  device.arch = format("sm_%d", config.archs.at(0));
  return device;
}

namespace {

EmulatedLaunch summary(const emulator::LaunchResult& result) {
  using Kind = emulator::Report::Kind;
  EmulatedLaunch launch;
  launch.counters = result.counters;
  launch.raw_hazards = result.count(Kind::raw);
  launch.war_hazards = result.count(Kind::war);
  launch.other_hazards = result.count(Kind::other);
  launch.deadlocks = result.count(Kind::deadlock);
  for (const emulator::Report& report : result.reports) {
    const std::string times =
        report.count > 1 ? format("\n(seen %s times)", with_commas(report.count).c_str()) : "";
    launch.reports.push_back(report.text + times);
  }
  return launch;
}

// The timeline as CSV; what an event does not have is an empty field.
std::string trace_csv(const std::vector<emulator::TraceEvent>& events) {
  const auto field = [](int value) { return value < 0 ? "" : std::to_string(value); };
  std::string text = "depth,warp,kind,operand,stage,k_tile,k\n";
  for (const emulator::TraceEvent& event : events) {
    text += std::to_string(event.depth) + ',' + std::to_string(event.warp) + ',' + event.kind + ',';
    if (event.operand != 0) text += event.operand;
    text += ',' + field(event.buffer) + ',' + field(event.k_tile) + ',' + field(event.k) + '\n';
  }
  return text;
}

}  // namespace

void launch_on_emulator(
    Device& device,
    int64_t blocks,
    int threads,
    size_t smem_bytes,
    const std::function<void()>& thread) {
  refuse_if(find_grid_fault(blocks));
  emulator::LaunchOptions options;
  options.schedule = device.schedule;
  options.seed = device.schedule_seed;
  std::vector<emulator::TraceEvent> events;
  if (device.trace) options.trace = &events;
  device.last_launch = summary(emulator::launch(
      static_cast<unsigned>(blocks), static_cast<unsigned>(threads), smem_bytes, options, thread));
  if (device.trace) device.last_launch.trace = trace_csv(events);
}

std::function<void()> matmul_launch(
    const void* kernel,
    const ConfigValues& config,
    Device& device,
    const Matrices& matrices) {
  using Kernel = void (*)(CUtensorMap, CUtensorMap, float*);
  const Kernel function = reinterpret_cast<Kernel>(const_cast<void*>(kernel));
  const TensorMaps maps = make_tensor_maps(matrices.A(), matrices.B(), config);
  return [function, config, &device, maps, C = matrices.C()] {
    launch_kernel(
        device, function, config.blocks(), static_cast<int>(config.threads()), config.smem_bytes,
        maps.A, maps.B, C);
  };
}
