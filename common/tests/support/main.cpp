// The main() of the test programs: doctest's. Beside what doctest says of a failure, each case gets
// the line that common/tests/runner/run_suite.sh counts.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <ostream>

namespace {

class SuiteLines : public doctest::IReporter {
 public:
  explicit SuiteLines(const doctest::ContextOptions& options) : out_(*options.cout) {}

  void test_case_start(const doctest::TestCaseData& data) override { name_ = data.m_name; }
  void test_case_end(const doctest::CurrentTestCaseStats& stats) override {
    out_ << (stats.failure_flags == 0 ? "ok " : "FAILED ") << name_ << std::endl;
  }
  void test_run_end(const doctest::TestRunStats& stats) override {
    out_ << "end " << stats.numTestCasesPassingFilters << std::endl;
  }

  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}

 private:
  std::ostream& out_;
  const char* name_ = "";
};

REGISTER_LISTENER("suite_lines", 0, SuiteLines);

}  // namespace
