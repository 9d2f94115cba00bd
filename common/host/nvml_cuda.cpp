#include "nvml.h"

#include <dlfcn.h>

namespace {

// From nvml.h, which is not part of every toolkit.
using nvmlReturn_t = int;
constexpr nvmlReturn_t NVML_SUCCESS = 0;
constexpr int NVML_CLOCK_SM = 1;
constexpr int NVML_TEMPERATURE_GPU = 0;

using Call = nvmlReturn_t();
using FindDevice = nvmlReturn_t(const char* pci_bus_id, void** device);
using ReadNumber = nvmlReturn_t(void* device, unsigned* value);
using ReadNumberOfKind = nvmlReturn_t(void* device, int kind, unsigned* value);
using ReadText = nvmlReturn_t(char* text, unsigned length);

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

std::optional<double> Nvml::power_w() const {
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

std::optional<std::string> Nvml::driver_version() const {
  ReadText* const read = find<ReadText>("nvmlSystemGetDriverVersion");
  char text[96] = "";
  if (device_ == nullptr || read == nullptr) return std::nullopt;
  if (read(text, sizeof text) != NVML_SUCCESS) return std::nullopt;
  return std::string(text);
}
