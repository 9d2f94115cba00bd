// What the host refuses of a device and of a tensor map.
#include <doctest/doctest.h>

#include "../../host/device/device_rules.h"
#include "../../host/device/tensor_map.h"
#include "../support/text.h"

namespace {

// ---- Tensor maps

// A legal request, which the tests bend.
TensorMapRequest legal_request() {
  alignas(16) static const bf16 memory[8] = {};
  return {'A', memory, {128, 512}, {128, 64}, 128};
}

TEST_CASE("a tensor map needs 1 to 2^32 elements a dimension") {
  TensorMapRequest request = legal_request();
  for (const int64_t rows : {int64_t{1}, int64_t{1} << 32}) {
    request.matrix.rows = rows;
    CHECK(find_tensor_map_fault(request) == "");
  }
  for (const int64_t rows : {int64_t{0}, (int64_t{1} << 32) + 1}) {
    request.matrix.rows = rows;
    const std::string fault = find_tensor_map_fault(request);
    CHECK(contains(fault, "operand A: M = " + std::to_string(rows)));
    CHECK(contains(fault, "1 to 2^32"));
  }
}

TEST_CASE("a tensor map's address is a multiple of 16 bytes") {
  TensorMapRequest request = legal_request();
  request.address += 8;
  CHECK(find_tensor_map_fault(request) == "");
  request.address -= 1;
  CHECK(contains(find_tensor_map_fault(request), "14 bytes past a multiple of 16"));
}

TEST_CASE("a row stride is a multiple of 16 bytes: K is a multiple of 8") {
  TensorMapRequest request = legal_request();
  request.matrix.cols = 1000;
  CHECK(find_tensor_map_fault(request) == "");
  for (const int64_t K : {1001, 4100}) {
    request.operand = 'B';
    request.matrix.cols = K;
    const std::string fault = find_tensor_map_fault(request);
    CHECK(contains(fault, "operand B: the row stride is " + std::to_string(2 * K) + " bytes"));
    CHECK(contains(fault, "K = " + std::to_string(K)));
    CHECK(contains(fault, "make K a multiple of 8"));
  }
}

TEST_CASE("a box has 1 to 256 elements a dimension") {
  TensorMapRequest request = legal_request();
  request.operand = 'B';
  request.swizzle = 0;
  for (const int64_t extent : {int64_t{1}, int64_t{256}}) {
    request.box = {extent, 256};
    CHECK(find_tensor_map_fault(request) == "");
  }
  request.box = {257, 64};
  CHECK(contains(find_tensor_map_fault(request), "operand B: BN = 257"));
  CHECK(contains(find_tensor_map_fault(request), "make it 256 or less"));
  request.box = {0, 64};
  CHECK(contains(find_tensor_map_fault(request), "BN = 0"));
  request.box = {64, 264};
  CHECK(contains(find_tensor_map_fault(request), "BK = 264"));
}

TEST_CASE("a row of a box is a multiple of 16 bytes") {
  TensorMapRequest request = legal_request();
  request.swizzle = 0;
  request.box.cols = 56;
  CHECK(find_tensor_map_fault(request) == "");
  request.box.cols = 60;
  CHECK(contains(find_tensor_map_fault(request), "120 bytes (BK = 60 bf16)"));
}

TEST_CASE("a row of a box is no wider than the swizzle") {
  for (const int swizzle : {32, 64, 128}) {
    TensorMapRequest request = legal_request();
    request.swizzle = swizzle;
    request.box.cols = swizzle / 2;
    CHECK(find_tensor_map_fault(request) == "");
    request.box.cols = swizzle / 2 + 8;
    const std::string fault = find_tensor_map_fault(request);
    CHECK(contains(fault, "swizzle = " + std::to_string(swizzle)));
    CHECK(contains(fault, "make BK " + std::to_string(swizzle / 2) + " or less"));
  }
}

TEST_CASE("a swizzle is 0, 32, 64 or 128 bytes") {
  TensorMapRequest request = legal_request();
  request.swizzle = 96;
  CHECK(contains(find_tensor_map_fault(request), "swizzle = 96"));
}

TEST_CASE("make_tensor_map refuses what breaks a rule, and describes what does not") {
  const TensorMapRequest good = legal_request();
  const CUtensorMap map = make_tensor_map('B', good.address, {128, 512}, {128, 64}, 128);
  CHECK(map.base == good.address);
  CHECK(map.rows == 128);
  CHECK(map.cols == 512);
  CHECK(map.row_bytes == 1024);
  CHECK(map.box_rows == 128);
  CHECK(map.box_cols == 64);
  CHECK(map.swizzle == 128);
  CHECK(map.operand == 'B');
  CHECK_THROWS_AS(make_tensor_map('B', good.address, {128, 511}, {128, 64}, 128), Refusal);
}

// ---- Devices

ConfigDescription built_for(std::vector<int> archs) {
  ConfigDescription config = {};
  config.stage = "02_warp_specialized";
  config.archs = std::move(archs);
  config.M = config.N = config.K = 65536;
  return config;
}

TEST_CASE("a GPU without TMA is refused by name, with the emulator as the way on") {
  CHECK(find_gpu_fault({"NVIDIA H200", 9, 0}) == "");
  CHECK(find_gpu_fault({"NVIDIA GeForce RTX 5090", 12, 0}) == "");
  const std::string fault = find_gpu_fault({"NVIDIA GeForce RTX 4090", 8, 9});
  CHECK(contains(fault, "NVIDIA GeForce RTX 4090 has compute capability 8.9"));
  CHECK(contains(fault, "make 02 BACKEND=emulator"));
}

TEST_CASE("a binary for another arch is refused: built for, device is, how to build") {
  const std::string fault = no_code_fault({"NVIDIA B200", 10, 0}, built_for({90, 120}));
  CHECK(
      fault ==
      "this program was built for sm_90 and sm_120, and NVIDIA B200 is sm_100; run make 02 "
      "ARCH=100a");
  CHECK(contains(no_code_fault({"Thor", 11, 0}, built_for({90})), "run make 02 ARCH=110a"));
  const std::string to_come = no_code_fault({"a GPU to come", 13, 0}, built_for({90}));
  CHECK(contains(to_come, "needs a row in common/archs.inc"));
  CHECK(!contains(to_come, "ARCH="));
}

TEST_CASE("a driver older than the toolkit is refused with both versions, a missing one too") {
  CHECK(find_driver_fault(13000, 13000, false) == "");
  CHECK(find_driver_fault(13000, 13010, false) == "");  // the same major version serves
  CHECK(contains(find_driver_fault(12040, 13000, false), "it knows CUDA 12.4"));
  CHECK(contains(find_driver_fault(12040, 13000, false), "built with CUDA 13.0"));
  CHECK(contains(find_driver_fault(13000, 13010, true), "too old"));
  CHECK(contains(find_driver_fault(0, 13000, true), "no NVIDIA driver is installed"));
}

TEST_CASE("shared memory over the GPU's limit is refused: needs, has, over by") {
  CHECK(find_shared_memory_fault(101376, 101376) == "");
  CHECK(contains(
      find_shared_memory_fault(131136, 101376),
      "needs 131,136 bytes of shared memory, and this GPU has 101,376: over by 29,760"));
}

TEST_CASE("case 51: of an integrated GPU, the memory that files lie in counts as free") {
  CHECK(usable_gpu_memory(true, 4e9, 110e9) == 110e9);
  CHECK(usable_gpu_memory(true, 4e9, 2e9) == 4e9);
  CHECK(usable_gpu_memory(false, 4e9, 110e9) == 4e9);
}

TEST_CASE("a problem that does not fit into memory, or a grid, is refused") {
  const ConfigDescription config = built_for({90});
  CHECK(find_memory_fault(config, 1e9, 2e9, "GPU memory") == "");
  CHECK(contains(
      find_memory_fault(config, 3.0 * (1 << 30), 1 << 30, "GPU memory"), "3.0 GiB of GPU memory"));
  CHECK(find_grid_fault(2147483647) == "");
  CHECK(contains(find_grid_fault(2147483648), "2,147,483,648 blocks"));
}

}  // namespace
