// Does the verification bite? Each test damages a right result, a launch, the reference or the
// files of a run in one way, and demands that it is noticed.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "../../host/device/compare.h"
#include "../../host/run/run.h"
#include "../../host/support/refusal.h"
#include "../../host/verify/verify.h"
#include "../support/right_kernel.h"
#include "../support/temporary_directory.h"
#include "../support/text.h"

namespace {

// ---- Results

TEST_CASE("a tile that is never written fails, the last and partial one too") {
  for (const Inputs inputs : all_inputs) {
    for (const TilePosition tile : {TilePosition{0, 0}, TilePosition{1, 2}}) {
      const auto unwrite = [&](Matrices& m) {
        for (int row = 64 * tile.m; row < 64 * tile.m + 64 && row < 120; row++) {
          const int cols = tile.n == 2 ? 180 - 128 : 64;
          std::memset(m.C() + row * 180 + 64 * tile.n, 0xff, cols * sizeof(float));
        }
      };
      const Verification result = verify_with(unwrite, with_inputs(inputs));
      CHECK(!result.passed);
      CHECK(contains(result.fault, "never written"));
    }
  }
}

TEST_CASE("a C of zeros fails, and so does that of the launch before on other inputs") {
  const auto zero = [](Matrices& m) { std::memset(m.C(), 0, 120 * 180 * sizeof(float)); };
  for (const Inputs inputs : all_inputs) CHECK(!verify_with(zero, with_inputs(inputs)).passed);

  // A kernel that does nothing, after one that was right: C has been poisoned in between.
  const ConfigDescription config = small_config();
  Matrices matrices(config);
  Device device = {};
  device.backend = Backend::emulator;
  Options options;
  options.launches = 2;
  int launches = 0;
  const auto work_once = [&] {
    if (launches++ == 0) multiply(config, matrices);
  };
  const Verification result = verify(options, config, device, matrices, work_once);
  CHECK(result.wrong_launches == 1);
}

TEST_CASE("two tiles that changed places fail, also where their columns are the same") {
  const auto swap_tiles = [](Matrices& m) {
    for (int row = 0; row < 56; row++) {
      for (int col = 0; col < 64; col++) {
        std::swap(m.C()[row * 180 + col], m.C()[(row + 64) * 180 + col]);
      }
    }
  };
  for (const Inputs inputs : all_inputs)
    CHECK(!verify_with(swap_tiles, with_inputs(inputs)).passed);
}

TEST_CASE("one wrong element in 67 million is found and named, wherever it is") {
  constexpr int64_t side = 8192, count = side * side;
  // Zeros that the system makes up when they are read: 512 MB that nobody has to have.
  const auto zeros = [] {
    return std::unique_ptr<float, void (*)(void*)>(
        static_cast<float*>(std::calloc(count, sizeof(float))), std::free);
  };
  const auto C = zeros(), expected = zeros();
  REQUIRE(C);
  REQUIRE(expected);
  std::vector<float> norms(side, 1);
  const backend::Reference reference = {expected.get(), norms.data(), norms.data()};
  const Product product = {nullptr, nullptr, side, side, 1};
  for (const int64_t place : {int64_t{0}, count / 3, count - 1}) {
    C.get()[place] = 0.5f;
    const backend::Comparison result = backend::compare(C.get(), product, reference, 1e-4, false);
    CHECK(result.wrong == 1);
    CHECK(result.first_wrong == place);
    C.get()[place] = 0;
  }
}

// ---- Launches

TEST_CASE("a kernel that is wrong in one launch of a hundred fails") {
  for (const Inputs inputs : all_inputs) {
    Options options = with_inputs(inputs);
    options.launches = 100;
    int launch = 0;
    const auto fail_once = [&](Matrices& m) {
      if (launch++ == 56) m.C()[64 * 180 + 17] += 1;
    };
    const Verification result = verify_with(fail_once, options);
    CHECK(!result.passed);
    CHECK(result.launches == 100);
    CHECK(result.wrong_launches == 1);
    CHECK(contains(result.fault, "C[64, 17]"));
  }
}

// ---- The reference

TEST_CASE("a reference that is itself wrong is found out by its samples, and blamed") {
  const ConfigDescription config = small_config();
  for (const Inputs inputs : all_inputs) {
    const InputRule rule = input_rule(inputs, 3, config.K);
    Matrices matrices(config);
    matrices.fill_inputs(rule);
    multiply(config, matrices);
    float* const values = matrices.C();
    CHECK(find_reference_fault(config, rule, values) == "");

    // In one tile, in one row, transposed, or off by a little everywhere.
    const std::vector<float> right(values, values + 120 * 180);
    const auto is_blamed = [&] {
      const std::string fault = find_reference_fault(config, rule, values);
      std::copy(right.begin(), right.end(), values);
      return contains(fault, "cuBLAS is wrong at C[") && contains(fault, "double precision");
    };
    for (int row = 64; row < 120; row++) std::fill_n(values + row * 180 + 64, 64, 0.0f);
    CHECK(is_blamed());
    std::fill_n(values + 119 * 180, 180, std::nanf(""));
    CHECK(is_blamed());
    for (int row = 0; row < 120; row++) {
      for (int col = 0; col < row; col++)
        std::swap(values[row * 180 + col], values[col * 180 + row]);
    }
    CHECK(is_blamed());
    for (int i = 0; i < 120 * 180; i++) values[i] *= 1.01f;
    CHECK(is_blamed());
  }
}

// ---- Dropped products

// Elements that are wrong when columns `from` to K - 1 of A and B are left out of the sum. Tells it
// by the rule of compare.h, with 4 x 4 elements.
int wrong_without_tail(Inputs inputs, int64_t K, int64_t from) {
  const InputRule rule = input_rule(inputs, 11, K);
  int wrong = 0;
  for (int64_t row = 0; row < 4; row++) {
    for (int64_t col = 0; col < 4; col++) {
      double sum = 0, cut = 0, a_squares = 0, b_squares = 0;
      for (int64_t k = 0; k < K; k++) {
        const double a = to_float(to_bf16(input_value(rule, 'A', row * K + k)));
        const double b = to_float(to_bf16(input_value(rule, 'B', col * K + k)));
        sum += a * b;
        if (k < from) cut = sum;
        a_squares += a * a;
        b_squares += b * b;
      }
      const double scale = std::sqrt(a_squares * b_squares);
      wrong += !check_element(
                    static_cast<float>(cut), static_cast<float>(sum), scale, tolerance_for(K),
                    inputs == Inputs::integers)
                    .right;
    }
  }
  return wrong;
}

TEST_CASE("integers: the last 8 products are missed at every K, and up to 65536") {
  std::vector<int64_t> depths = {1032, 4104, 8192, 32768, 65536};
  for (int64_t K = 8; K <= 512; K += 8) depths.push_back(K);
  for (const int64_t K : depths) {
    CAPTURE(K);
    CHECK(wrong_without_tail(Inputs::integers, K, K - 8) >= 8);
  }
}

TEST_CASE("random inputs: a dropped k-tile of 16 is missed at every K up to 8192") {
  for (const Inputs inputs : {Inputs::uniform, Inputs::normal}) {
    for (const int64_t K : {16, 24, 72, 128, 512, 1032, 2048, 4096, 8192}) {
      CAPTURE(K);
      CHECK(wrong_without_tail(inputs, K, K - 16) >= 8);
    }
  }
}

// ---- What a run leaves behind

// Sends what the program prints for people nowhere, while it lives.
class Silence {
 public:
  Silence() {
    std::fflush(nullptr);
    const int nowhere = ::open("/dev/null", O_WRONLY);
    for (int i = 0; i < 2; i++) {
      saved_[i] = ::dup(i + 1);
      ::dup2(nowhere, i + 1);
    }
    ::close(nowhere);
  }
  ~Silence() {
    std::fflush(nullptr);
    for (int i = 0; i < 2; i++) {
      ::dup2(saved_[i], i + 1);
      ::close(saved_[i]);
    }
  }

 private:
  int saved_[2];
};

void some_kernel() {}

// main.cu in small: its exit status, with `launch` as the kernel.
int run_main(const std::vector<std::string>& arguments, const Trick& launch) {
  const Silence silence;
  const ConfigDescription config = small_config();
  std::vector<std::string> words = {"run"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(&word[0]);
  Run run(config, static_cast<int>(argv.size()), argv.data());
  try {
    run.open(some_kernel);
    Matrices matrices(config);
    const auto launch_once = [&] { launch(matrices); };
    run.verify(matrices, launch_once);
    return run.finish();
  } catch (const std::exception& error) {
    return run.refuse(error);
  }
}

bool exists(const std::string& path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0;
}

TEST_CASE("a run that fails or is refused leaves no row in a CSV, and says so by its exit status") {
  const TemporaryDirectory directory;
  const std::string csv = directory.file("rows.csv");
  const std::string json = directory.file("run.json");
  const std::vector<std::string> to_files = {"--csv", csv, "--json", json};
  const ConfigDescription config = small_config();
  const Trick right = [&](Matrices& m) { multiply(config, m); };
  const Trick nothing = [](Matrices&) {};
  const Trick fails = [](Matrices&) { throw Refusal("the kernel failed while it ran"); };

  CHECK(run_main(to_files, nothing) == 1);
  CHECK(!exists(csv));
  CHECK(contains(text_of(json), "\"verified\": false"));
  CHECK(run_main(to_files, fails) == 2);
  CHECK(!exists(csv));
  CHECK(contains(text_of(json), "\"verified\": null"));
  CHECK(contains(text_of(json), "the kernel failed while it ran"));

  CHECK(run_main(to_files, right) == 0);
  const std::string one_row = text_of(csv);
  CHECK(std::count(one_row.begin(), one_row.end(), '\n') == 2);
  CHECK(run_main(to_files, nothing) == 1);
  CHECK(text_of(csv) == one_row);
  CHECK(run_main({"--csv", csv, "--json", directory.file("no/file")}, right) == 2);
  CHECK(text_of(csv) == one_row);

  // Nothing else lies there, a temporary file say.
  CHECK(directory.names() == std::vector<std::string>{"rows.csv", "run.json"});
}

TEST_CASE("a full disk under a JSON or CSV file is exit status 2, not a good run") {
  if (!exists("/dev/full")) return;  // Linux has one, macOS has not
  const ConfigDescription config = small_config();
  const Trick right = [&](Matrices& m) { multiply(config, m); };
  CHECK(run_main({"--json", "/dev/full"}, right) == 2);
  CHECK(run_main({"--csv", "/dev/full"}, right) == 2);
}

}  // namespace
