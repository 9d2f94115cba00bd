#include "verify.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include "../support/terminal.h"
#include "../support/text.h"
#include "element_location.h"

namespace {

// Checks the outputs of one kernel on one problem.
class Verifier {
 public:
  Verifier(
      const Options& options,
      const ConfigDescription& config,
      Device& device,
      Matrices& matrices,
      const std::function<void()>& launch)
      : options_(options),
        config_(config),
        device_(device),
        matrices_(matrices),
        launch_(launch),
        expected_(config, options.inputs),
        first_right_(options.launches > 1 ? config.M * config.N : 0) {}

  // Launch after launch on the same inputs; all are run, to count the wrong ones. Or one random
  // schedule after another, up to the first that fails: a seed stands for the inputs too, so that
  // --seed alone replays it.
  Verification run() {
    const bool schedules = options_.schedules > 0;
    const int64_t count = schedules ? options_.schedules : options_.launches;
    device_.schedule = schedules ? LandingSchedule::random : options_.schedule;
    for (int64_t i = 0; i < count; i++) {
      show_progress(schedules ? "schedule" : "launch", i, count);
      device_.schedule_seed = options_.seed + (schedules ? i : 0);
      if (schedules || i == 0) expected_.prepare(matrices_, device_.schedule_seed);
      if (launch_and_check()) continue;
      if (device_.schedule == LandingSchedule::random) result_.failing_seed = device_.schedule_seed;
      if (schedules) break;
    }
    result_.exact = expected_.exact();
    result_.tolerance = expected_.tolerance();
    result_.passed = result_.wrong_launches == 0;
    return result_;
  }

 private:
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
    if (reports.size() > 1) text += " (and " + counted(reports.size() - 1, "more report") + ")";
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

  const Options& options_;
  const ConfigDescription& config_;
  Device& device_;
  Matrices& matrices_;
  const std::function<void()>& launch_;
  ExpectedProduct expected_;
  Buffer<float> first_right_;  // the first output that was right, if there are more launches
  bool have_first_right_ = false;
  Verification result_;
};

}  // namespace

Verification verify(
    const Options& options,
    const ConfigDescription& config,
    Device& device,
    Matrices& matrices,
    const std::function<void()>& launch) {
  return Verifier(options, config, device, matrices, launch).run();
}
