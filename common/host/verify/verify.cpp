#include "verify.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include "../support/text.h"
#include "element_location.h"

namespace {

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
        expected_(config, options.inputs),
        first_right_(options.launches > 1 ? config.M * config.N : 0) {
    result_.exact = expected_.exact();
    result_.tolerance = expected_.tolerance();
  }

  // Fills A and B from `seed` and computes what C has to be.
  void prepare(uint64_t seed) {
    expected_.prepare(matrices_, seed);
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
    const ProductCheck check = expected_.check(matrices_, &config_);
    result_.max_rel_error = std::max(result_.max_rel_error, check.max_rel_error);
    if (!device_.last_launch.reports.empty()) return describe_reports(check.right);
    return check.fault.empty() ? find_change_since_first_launch() : check.fault;
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
  ExpectedProduct expected_;
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
