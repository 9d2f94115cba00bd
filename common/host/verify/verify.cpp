#include "verify.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>
#include <vector>

#include "../device/compare.h"
#include "../support/refusal.h"
#include "../support/text.h"
#include "element_location.h"

InputRule input_rule(Inputs inputs, uint64_t seed, int64_t K) {
  const InputRule rule = {inputs, seed, integer_magnitude(K)};
  if (inputs == Inputs::integers && rule.magnitude == 0) {
    throw Refusal(format(
        "--inputs integers: K = %lld products do not sum exactly in fp32 (below 2^24 they do); "
        "use --inputs uniform",
        static_cast<long long>(K)));
  }
  return rule;
}

std::vector<int64_t> sample_indices(const ConfigDescription& config, uint64_t seed) {
  const int64_t M = config.M, N = config.N;
  std::vector<int64_t> indices;
  for (const int64_t row : {int64_t{0}, M / 2, M - 1}) {  // corners and middles of edges
    for (const int64_t col : {int64_t{0}, N / 2, N - 1}) indices.push_back(row * N + col);
  }
  const int64_t tiles = int64_t{config.GM} * config.GN;
  const int64_t sampled_tiles = std::min<int64_t>(tiles, 1024);
  for (int64_t i = 0; i < sampled_tiles; i++) {
    const int64_t tile = i * tiles / sampled_tiles;
    const uint64_t bits = mix_bits(seed + i);
    const int64_t row = tile / config.GN * config.BM + static_cast<int64_t>(bits % config.BM);
    const int64_t col =
        tile % config.GN * config.BN + static_cast<int64_t>((bits >> 32) % config.BN);
    indices.push_back(std::min(row, M - 1) * N + std::min(col, N - 1));
  }
  for (int i = 0; i < 256; i++)
    indices.push_back(mix_bits(~seed - i) % static_cast<uint64_t>(M * N));
  std::sort(indices.begin(), indices.end());
  indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
  return indices;
}

ExactElement exact_element(const ConfigDescription& config, const InputRule& rule, int64_t index) {
  const int64_t a_start = index / config.N * config.K;
  const int64_t b_start = index % config.N * config.K;
  double sum = 0, a_squares = 0, b_squares = 0;
  for (int64_t k = 0; k < config.K; k++) {
    const double a = to_float(to_bf16(input_value(rule, 'A', a_start + k)));
    const double b = to_float(to_bf16(input_value(rule, 'B', b_start + k)));
    sum += a * b;
    a_squares += a * a;
    b_squares += b * b;
  }
  return {sum, std::sqrt(a_squares * b_squares)};
}

std::string find_reference_fault(
    const ConfigDescription& config,
    const InputRule& rule,
    const float* values,
    const char* whose) {
  const std::vector<int64_t> indices = sample_indices(config, rule.seed);
  const std::vector<float> sampled = backend::gather(values, indices);
  const double tolerance = tolerance_for(config.K);
  for (size_t i = 0; i < indices.size(); i++) {
    const ExactElement exact = exact_element(config, rule, indices[i]);
    const float expected = static_cast<float>(exact.value);
    const bool to_the_bit = rule.kind == Inputs::integers;
    if (check_element(sampled[i], expected, exact.scale, tolerance, to_the_bit).right) continue;
    return format(
        "%s is wrong at C[%lld, %lld]: %.9g, where double precision gives %.9g; nothing can be "
        "verified against it, try --inputs integers or another cuBLAS",
        whose, static_cast<long long>(indices[i] / config.N),
        static_cast<long long>(indices[i] % config.N), sampled[i], expected);
  }
  return "";
}

namespace {

// The reference's memory, for any number of launches.
struct ReferenceBuffers {
  explicit ReferenceBuffers(const ConfigDescription& config)
      : expected(config.M * config.N), a_norms(config.M), b_norms(config.N) {}
  backend::Reference view() const { return {expected.get(), a_norms.get(), b_norms.get()}; }
  Buffer<float> expected, a_norms, b_norms;
};

// Checks the outputs of one kernel on one problem, seed after seed.
class Verifier {
 public:
  Verifier(
      const Options& options,
      const ConfigDescription& config,
      Device& device,
      Matrices& matrices,
      const std::function<void()>& launch)
      : config_(config),
        device_(device),
        matrices_(matrices),
        launch_(launch),
        inputs_(options.inputs),
        reference_(config),
        first_right_(options.launches > 1 ? config.M * config.N : 0) {
    result_.exact = inputs_ == Inputs::integers;
    result_.tolerance = result_.exact ? 0 : tolerance_for(config.K);
  }

  // Fills A and B from `seed` and computes what C has to be.
  void prepare(uint64_t seed) {
    rule_ = input_rule(inputs_, seed, config_.K);
    matrices_.fill_inputs(rule_);
    backend::compute_reference(
        matrices_.A(), matrices_.B(), config_.M, config_.N, config_.K, reference_.view());
    if (backend::reference_needs_check()) {
      const std::string fault =
          find_reference_fault(config_, rule_, reference_.view().expected, "cuBLAS");
      if (!fault.empty()) throw Refusal(fault);
    }
    have_first_right_ = false;
  }

  // Launches once and checks the output. False if anything is wrong.
  bool launch_and_check() {
    matrices_.poison_output();
    device_.last_launch = EmulatedLaunch();
    launch_();
    backend::synchronize();
    const std::string fault = find_fault();
    const bool is_first_fault = !fault.empty() && result_.fault.empty();
    if (result_.launches == 0 || is_first_fault) result_.emulated = device_.last_launch;
    if (is_first_fault) result_.fault = fault;
    result_.launches++;
    if (!fault.empty()) result_.wrong_launches++;
    return fault.empty();
  }

  Verification& result() { return result_; }

 private:
  // What is wrong with the launch, in one line, worst first; "" if nothing is.
  std::string find_fault() {
    const backend::Comparison comparison = backend::compare(
        matrices_.C(), reference_.view(), config_.M, config_.N, result_.tolerance, result_.exact);
    result_.max_rel_error = std::max(result_.max_rel_error, comparison.max_rel_error);
    if (!device_.last_launch.reports.empty()) return describe_reports(comparison.wrong == 0);
    if (comparison.wrong > 0) return describe_mismatch(comparison);
    const std::optional<std::string> stray = matrices_.find_stray_write(rule_);
    if (stray) return *stray;
    return find_change_since_first_launch();
  }

  // The emulator's first report in one line: its title and the sentence below it.
  std::string describe_reports(bool right_result) const {
    const std::vector<std::string>& reports = device_.last_launch.reports;
    std::istringstream lines(reports[0]);
    std::string title, sentence;
    std::getline(lines, title);
    std::getline(lines >> std::ws, sentence);
    std::string text = sentence.empty() ? title : title + ": " + sentence;
    if (reports.size() > 1) text += format(" (and %zu more reports)", reports.size() - 1);
    return right_result ? text + " C is right nevertheless, by luck." : text;
  }

  std::string describe_mismatch(const backend::Comparison& comparison) const {
    const int64_t index = comparison.first_wrong;
    const int64_t row = index / config_.N, col = index % config_.N;
    const float got = backend::gather(matrices_.C(), {index})[0];
    const float expected = backend::gather(reference_.view().expected, {index})[0];
    uint32_t bits;
    std::memcpy(&bits, &got, sizeof bits);
    const std::string got_text =
        bits == 0xffffffffu ? "nothing (never written)" : format("%.9g", got);
    return format(
        "C[%lld, %lld]: got %s, expected %.9g, in %s; %s of %s elements are wrong",
        static_cast<long long>(row), static_cast<long long>(col), got_text.c_str(), expected,
        location_text(locate_element(config_, row, col)).c_str(),
        with_commas(comparison.wrong).c_str(), with_commas(config_.M * config_.N).c_str());
  }

  // Equal inputs must give equal bits, in every launch.
  std::string find_change_since_first_launch() {
    const int64_t count = config_.M * config_.N;
    if (first_right_.get() == nullptr) return "";
    if (!have_first_right_) {
      backend::copy(first_right_.get(), matrices_.C(), count * sizeof(float));
      have_first_right_ = true;
      return "";
    }
    const int64_t index = backend::find_difference(first_right_.get(), matrices_.C(), count);
    if (index < 0) return "";
    const int64_t row = index / config_.N, col = index % config_.N;
    return format(
        "C[%lld, %lld]: launch %lld gave %.9g and an earlier one %.9g, in %s",
        static_cast<long long>(row), static_cast<long long>(col),
        static_cast<long long>(result_.launches + 1), backend::gather(matrices_.C(), {index})[0],
        backend::gather(first_right_.get(), {index})[0],
        location_text(locate_element(config_, row, col)).c_str());
  }

  const ConfigDescription& config_;
  Device& device_;
  Matrices& matrices_;
  const std::function<void()>& launch_;
  Inputs inputs_;
  InputRule rule_ = {};
  ReferenceBuffers reference_;
  Buffer<float> first_right_;  // the first output that was right, if there are more launches
  bool have_first_right_ = false;
  Verification result_;
};

// Launch after launch on the same inputs; all are run, to count the wrong ones.
void verify_launches(
    Verifier& verifier,
    const Options& options,
    Device& device,
    const Progress& progress) {
  device.schedule = options.schedule;
  device.schedule_seed = options.seed;
  verifier.prepare(options.seed);
  for (int64_t i = 0; i < options.launches; i++) {
    progress("launch", i, options.launches);
    const bool right = verifier.launch_and_check();
    if (!right && options.schedule == LandingSchedule::random) {
      verifier.result().failing_seed = options.seed;
    }
  }
}

// One random schedule after another, up to the first that fails. A seed stands for the inputs too,
// so that --seed alone replays it.
void verify_schedules(
    Verifier& verifier,
    const Options& options,
    Device& device,
    const Progress& progress) {
  device.schedule = LandingSchedule::random;
  for (int i = 0; i < options.schedules; i++) {
    progress("schedule", i, options.schedules);
    device.schedule_seed = options.seed + i;
    verifier.prepare(device.schedule_seed);
    if (verifier.launch_and_check()) continue;
    verifier.result().failing_seed = device.schedule_seed;
    return;
  }
}

}  // namespace

Verification verify(
    const Options& options,
    const ConfigDescription& config,
    Device& device,
    Matrices& matrices,
    const std::function<void()>& launch,
    const Progress& progress) {
  Verifier verifier(options, config, device, matrices, launch);
  if (options.schedules > 0) {
    verify_schedules(verifier, options, device, progress);
  } else {
    verify_launches(verifier, options, device, progress);
  }
  verifier.result().passed = verifier.result().wrong_launches == 0;
  return verifier.result();
}
