#include "nvml.h"

#include <dlfcn.h>

namespace {

// From nvml.h, which is not part of every toolkit.
using nvmlReturn_t = int;
constexpr nvmlReturn_t NVML_SUCCESS = 0;
constexpr int NVML_CLOCK_SM = 1;
constexpr int NVML_TEMPERATURE_GPU = 0;
constexpr unsigned NVML_FI_DEV_POWER_INSTANT = 186;

struct nvmlFieldValue_t {
  unsigned fieldId, scopeId;
  long long timestamp, latencyUsec;
  int valueType;
  nvmlReturn_t nvmlReturn;
  union {
    double dVal;
    unsigned uiVal;
    unsigned long long ullVal;
  } value;
};

struct nvmlUtilization_t {
  unsigned gpu, memory;  // percent
};

struct nvmlProcessInfo_t {
  unsigned pid;
  unsigned long long usedGpuMemory;
  unsigned gpuInstanceId, computeInstanceId;
};

using Call = nvmlReturn_t();
using FindDevice = nvmlReturn_t(const char* pci_bus_id, void** device);
using ReadText = nvmlReturn_t(char* text, unsigned length);
using ReadFields = nvmlReturn_t(void* device, int count, nvmlFieldValue_t* values);
using ReadProcesses = nvmlReturn_t(void* device, unsigned* count, nvmlProcessInfo_t* processes);

std::optional<double> watts(const std::optional<unsigned>& milliwatts) {
  if (!milliwatts) return std::nullopt;
  return *milliwatts / 1000.0;
}

}  // namespace

template <class Function>
Function* Nvml::find(const char* name) const {
  if (library_ == nullptr) return nullptr;
  return reinterpret_cast<Function*>(::dlsym(library_, name));
}

template <class Value, class... Arguments>
std::optional<Value> Nvml::ask(const char* name, Arguments... arguments) const {
  using Read = nvmlReturn_t(void* device, Arguments..., Value* value);
  Read* const read = find<Read>(name);
  Value value = {};
  if (device_ == nullptr || read == nullptr) return std::nullopt;
  if (read(device_, arguments..., &value) != NVML_SUCCESS) return std::nullopt;
  return value;
}

Nvml::Nvml(const std::string& pci_bus_id) {
  library_ = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  Call* const init = find<Call>("nvmlInit_v2");
  FindDevice* const find_device = find<FindDevice>("nvmlDeviceGetHandleByPciBusId_v2");
  if (init == nullptr || find_device == nullptr || init() != NVML_SUCCESS) return;
  if (find_device(pci_bus_id.c_str(), &device_) != NVML_SUCCESS) device_ = nullptr;
}

std::optional<double> Nvml::sm_clock_mhz() const {
  return ask<unsigned>("nvmlDeviceGetClockInfo", NVML_CLOCK_SM);
}

std::optional<double> Nvml::max_sm_clock_mhz() const {
  return ask<unsigned>("nvmlDeviceGetMaxClockInfo", NVML_CLOCK_SM);
}

std::optional<double> Nvml::temperature_c() const {
  return ask<unsigned>("nvmlDeviceGetTemperature", NVML_TEMPERATURE_GPU);
}

std::optional<double> Nvml::power_limit_w() const {
  return watts(ask<unsigned>("nvmlDeviceGetEnforcedPowerLimit"));
}

std::optional<double> Nvml::power_w() const {
  // The plain call averages over a second on some GPUs, which is longer than a round takes.
  if (const std::optional<unsigned> instant = instant_power_mw()) return watts(instant);
  return watts(ask<unsigned>("nvmlDeviceGetPowerUsage"));
}

std::optional<unsigned> Nvml::instant_power_mw() const {
  ReadFields* const read = find<ReadFields>("nvmlDeviceGetFieldValues");
  nvmlFieldValue_t field = {};
  field.fieldId = NVML_FI_DEV_POWER_INSTANT;
  if (device_ == nullptr || read == nullptr) return std::nullopt;
  if (read(device_, 1, &field) != NVML_SUCCESS) return std::nullopt;
  if (field.nvmlReturn != NVML_SUCCESS || field.value.uiVal == 0) return std::nullopt;
  return field.value.uiVal;
}

std::optional<uint64_t> Nvml::throttle_reasons() const {
  // The name changed, and the old one goes with CUDA 14.
  using Bits = unsigned long long;
  if (const auto bits = ask<Bits>("nvmlDeviceGetCurrentClocksEventReasons")) return *bits;
  return ask<Bits>("nvmlDeviceGetCurrentClocksThrottleReasons");
}

std::optional<double> Nvml::utilization_percent() const {
  const auto utilization = ask<nvmlUtilization_t>("nvmlDeviceGetUtilizationRates");
  if (!utilization) return std::nullopt;
  return utilization->gpu;
}

std::optional<unsigned> Nvml::count_processes() const {
  ReadProcesses* const read = find<ReadProcesses>("nvmlDeviceGetComputeRunningProcesses_v3");
  nvmlProcessInfo_t processes[64];
  unsigned count = 64;
  if (device_ == nullptr || read == nullptr) return std::nullopt;
  if (read(device_, &count, processes) != NVML_SUCCESS) return std::nullopt;
  return count;
}

std::optional<std::string> Nvml::driver_version() const {
  ReadText* const read = find<ReadText>("nvmlSystemGetDriverVersion");
  char text[96] = "";
  if (device_ == nullptr || read == nullptr) return std::nullopt;
  if (read(text, sizeof text) != NVML_SUCCESS) return std::nullopt;
  return std::string(text);
}
