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
using ReadNumber = nvmlReturn_t(void* device, unsigned* value);
using ReadNumberOfKind = nvmlReturn_t(void* device, int kind, unsigned* value);
using ReadText = nvmlReturn_t(char* text, unsigned length);
using ReadBits = nvmlReturn_t(void* device, unsigned long long* bits);
using ReadFields = nvmlReturn_t(void* device, int count, nvmlFieldValue_t* values);
using ReadUtilization = nvmlReturn_t(void* device, nvmlUtilization_t* utilization);
using ReadProcesses = nvmlReturn_t(void* device, unsigned* count, nvmlProcessInfo_t* processes);

}  // namespace

template <class Function>
Function* Nvml::find(const char* name) const {
  if (library_ == nullptr) return nullptr;
  return reinterpret_cast<Function*>(::dlsym(library_, name));
}

Nvml::Nvml(const std::string& pci_bus_id) {
  library_ = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  Call* const init = find<Call>("nvmlInit_v2");
  FindDevice* const find_device = find<FindDevice>("nvmlDeviceGetHandleByPciBusId_v2");
  if (init == nullptr || find_device == nullptr || init() != NVML_SUCCESS) return;
  if (find_device(pci_bus_id.c_str(), &device_) != NVML_SUCCESS) device_ = nullptr;
}

std::optional<double> Nvml::sm_clock_mhz() const {
  ReadNumberOfKind* const read = find<ReadNumberOfKind>("nvmlDeviceGetClockInfo");
  unsigned mhz = 0;
  if (device_ == nullptr || read == nullptr) return std::nullopt;
  if (read(device_, NVML_CLOCK_SM, &mhz) != NVML_SUCCESS) return std::nullopt;
  return mhz;
}

std::optional<double> Nvml::max_sm_clock_mhz() const {
  ReadNumberOfKind* const read = find<ReadNumberOfKind>("nvmlDeviceGetMaxClockInfo");
  unsigned mhz = 0;
  if (device_ == nullptr || read == nullptr) return std::nullopt;
  if (read(device_, NVML_CLOCK_SM, &mhz) != NVML_SUCCESS) return std::nullopt;
  return mhz;
}

std::optional<double> Nvml::instant_power_w() const {
  ReadFields* const read = find<ReadFields>("nvmlDeviceGetFieldValues");
  nvmlFieldValue_t field = {};
  field.fieldId = NVML_FI_DEV_POWER_INSTANT;
  if (device_ == nullptr || read == nullptr) return std::nullopt;
  if (read(device_, 1, &field) != NVML_SUCCESS) return std::nullopt;
  if (field.nvmlReturn != NVML_SUCCESS || field.value.uiVal == 0) return std::nullopt;
  return field.value.uiVal / 1000.0;
}

std::optional<double> Nvml::power_w() const {
  // The plain call averages over a second on some GPUs, which is longer than a round takes.
  if (const std::optional<double> instant = instant_power_w()) return instant;
  ReadNumber* const read = find<ReadNumber>("nvmlDeviceGetPowerUsage");
  unsigned milliwatts = 0;
  if (device_ == nullptr || read == nullptr) return std::nullopt;
  if (read(device_, &milliwatts) != NVML_SUCCESS) return std::nullopt;
  return milliwatts / 1000.0;
}

std::optional<double> Nvml::power_limit_w() const {
  ReadNumber* const read = find<ReadNumber>("nvmlDeviceGetEnforcedPowerLimit");
  unsigned milliwatts = 0;
  if (device_ == nullptr || read == nullptr) return std::nullopt;
  if (read(device_, &milliwatts) != NVML_SUCCESS) return std::nullopt;
  return milliwatts / 1000.0;
}

std::optional<double> Nvml::temperature_c() const {
  ReadNumberOfKind* const read = find<ReadNumberOfKind>("nvmlDeviceGetTemperature");
  unsigned celsius = 0;
  if (device_ == nullptr || read == nullptr) return std::nullopt;
  if (read(device_, NVML_TEMPERATURE_GPU, &celsius) != NVML_SUCCESS) return std::nullopt;
  return celsius;
}

std::optional<uint64_t> Nvml::throttle_reasons() const {
  // The name changed, and the old one goes with CUDA 14.
  ReadBits* read = find<ReadBits>("nvmlDeviceGetCurrentClocksEventReasons");
  if (read == nullptr) read = find<ReadBits>("nvmlDeviceGetCurrentClocksThrottleReasons");
  unsigned long long bits = 0;
  if (device_ == nullptr || read == nullptr) return std::nullopt;
  if (read(device_, &bits) != NVML_SUCCESS) return std::nullopt;
  return bits;
}

std::optional<double> Nvml::utilization_percent() const {
  ReadUtilization* const read = find<ReadUtilization>("nvmlDeviceGetUtilizationRates");
  nvmlUtilization_t utilization = {};
  if (device_ == nullptr || read == nullptr) return std::nullopt;
  if (read(device_, &utilization) != NVML_SUCCESS) return std::nullopt;
  return utilization.gpu;
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
