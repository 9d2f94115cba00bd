#include <cuda_runtime.h>

#include "../support/system.h"
#include "cublas_matmul.h"
#include "cuda_check.h"
#include "device.h"
#include "device_rules.h"
#include "launch.h"
#include "nvml.h"
#include "tensor_map.h"

namespace {

void refuse_old_driver() {
  int driver = 0, toolkit = 0, count = 0;
  CUDA_CHECK(cudaDriverGetVersion(&driver));
  CUDA_CHECK(cudaRuntimeGetVersion(&toolkit));
  const bool insufficient = cudaGetDeviceCount(&count) == cudaErrorInsufficientDriver;
  refuse_if(find_driver_fault(driver, toolkit, insufficient));
}

void select_device(int device) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaErrorNoDevice || (status == cudaSuccess && count == 0)) {
    throw Refusal(
        "no GPU is visible to CUDA; the emulator is the way on, as in make 02 "
        "BACKEND=emulator");
  }
  CUDA_CHECK(status);
  if (device >= count) {
    throw Refusal(format(
        "--device %d: GPUs are numbered from 0, and there %s; give a smaller number", device,
        count == 1 ? "is 1" : format("are %d", count).c_str()));
  }
  CUDA_CHECK(cudaSetDevice(device));
}

// The kernel's attributes on this GPU; refused if the binary holds no code for it.
cudaFuncAttributes kernel_attributes(
    const GpuKind& gpu,
    const ConfigDescription& config,
    const void* kernel) {
  cudaFuncAttributes attributes = {};
  const cudaError_t status = cudaFuncGetAttributes(&attributes, kernel);
  const bool no_code = status == cudaErrorNoKernelImageForDevice ||
                       status == cudaErrorInvalidDeviceFunction ||
                       status == cudaErrorUnsupportedPtxVersion;
  if (no_code) throw Refusal(no_code_fault(gpu, config));
  CUDA_CHECK(status);
  return attributes;
}

void refuse_shared_memory(size_t needed) {
  int device = 0, limit = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  refuse_if(find_shared_memory_fault(needed, limit));
}

void refuse_device_memory(
    const Options& options,
    const ConfigDescription& config,
    bool integrated) {
  size_t free = 0, total = 0;
  CUDA_CHECK(cudaMemGetInfo(&free, &total));
  const double needed = device_bytes_needed(options, config);
  const double usable =
      usable_gpu_memory(integrated, static_cast<double>(free), available_memory());
  refuse_if(find_memory_fault(config, needed, usable, "free GPU memory"));
}

std::string pci_bus_id_of(int device) {
  char text[32] = "";
  CUDA_CHECK(cudaDeviceGetPCIBusId(text, sizeof text, device));
  return text;
}

std::string driver_text(const std::string& pci_bus_id) {
  const std::optional<std::string> version = Nvml(pci_bus_id).driver_version();
  if (version) return *version;
  int cuda = 0;
  CUDA_CHECK(cudaDriverGetVersion(&cuda));
  return format("for CUDA %s", cuda_version_text(cuda).c_str());
}

}  // namespace

Backend this_backend() { return Backend::cuda; }

Device open_device(const Options& options, const ConfigDescription& config, const void* kernel) {
  refuse_old_driver();
  select_device(options.device);
  cudaDeviceProp gpu;
  CUDA_CHECK(cudaGetDeviceProperties(&gpu, options.device));
  const GpuKind kind = {gpu.name, gpu.major, gpu.minor};
  refuse_if(find_gpu_fault(kind));
  const cudaFuncAttributes attributes = kernel_attributes(kind, config, kernel);
  refuse_shared_memory(config.smem_bytes + attributes.sharedSizeBytes);
  refuse_device_memory(options, config, gpu.integrated != 0);

  int toolkit = 0;
  CUDA_CHECK(cudaRuntimeGetVersion(&toolkit));
  Device device;
  device.backend = Backend::cuda;
  device.name = gpu.name;
  device.arch = format("sm_%d%d", gpu.major, gpu.minor);
  device.sm_count = gpu.multiProcessorCount;
  device.l2_bytes = gpu.l2CacheSize;
  device.pci_bus_id = pci_bus_id_of(options.device);
  device.driver = driver_text(device.pci_bus_id);
  device.cuda = cuda_version_text(toolkit);
  device.cublas = CublasMatmul::version();
  device.registers = attributes.numRegs;
  device.spill_bytes = static_cast<int>(attributes.localSizeBytes);
  return device;
}

void launch_on_gpu(
    const void* kernel,
    int64_t blocks,
    int threads,
    size_t smem_bytes,
    void** arguments) {
  refuse_if(find_grid_fault(blocks));
  refuse_shared_memory(smem_bytes);
  // Always: without it the limit is 48 KB, and exactly 48 KB is already too much beside static
  // memory.
  CUDA_CHECK(cudaFuncSetAttribute(
      kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(smem_bytes)));
  const dim3 grid(static_cast<unsigned>(blocks));
  const dim3 block(static_cast<unsigned>(threads));
  CUDA_CHECK(cudaLaunchKernel(kernel, grid, block, arguments, smem_bytes, nullptr));
}

std::function<void()> matmul_launch(
    const void* kernel,
    const ConfigValues& config,
    Device&,
    const Matrices& matrices) {
  TensorMaps maps = make_tensor_maps(matrices.A(), matrices.B(), config);
  return [kernel, config, maps, C = matrices.C()]() mutable {
    void* arguments[] = {&maps.A, &maps.B, &C};
    const int threads = static_cast<int>(config.threads());
    launch_on_gpu(kernel, config.blocks(), threads, config.smem_bytes, arguments);
  };
}
