// Clock, power and temperature, from the driver's management library.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

// NVML, opened at run time: it comes with the driver and may be missing, and then nothing is known.
// It stays loaded to the end of the process, since it may have started threads.
class Nvml {
 public:
  // `pci_bus_id` as cudaDeviceGetPCIBusId gives it.
  explicit Nvml(const std::string& pci_bus_id);

  std::optional<double> sm_clock_mhz() const;
  std::optional<double> max_sm_clock_mhz() const;
  std::optional<double> power_w() const;  // now, or where the GPU cannot say, over the last second
  std::optional<double> power_limit_w() const;
  std::optional<double> temperature_c() const;
  std::optional<uint64_t> throttle_reasons() const;   // bits: why the clock is not the highest
  std::optional<double> utilization_percent() const;  // share of the last second that it was busy
  std::optional<unsigned> count_processes() const;    // that compute on it, this one included
  std::optional<std::string> driver_version() const;  // "580.95.05"

 private:
  // The function `name` of the library, nullptr if it is not there.
  template <class Function>
  Function* find(const char* name) const;
  // What that function says of the device, into its last parameter; nothing where it does not.
  template <class Value, class... Arguments>
  std::optional<Value> ask(const char* name, Arguments... arguments) const;
  std::optional<unsigned> instant_power_mw() const;

  void* library_ = nullptr;
  void* device_ = nullptr;  // nvmlDevice_t
};
