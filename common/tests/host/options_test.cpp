// The options of a run: what is understood, and what is refused.
#include <doctest/doctest.h>

#include "../../host/options/options.h"
#include "../support/text.h"

namespace {

Options parse(const std::vector<std::string>& arguments, Backend backend = Backend::emulator) {
  return parse_options(arguments, backend);
}

std::string parse_refusal(
    const std::vector<std::string>& arguments,
    Backend backend = Backend::emulator) {
  return refusal_of([&] { parse_options(arguments, backend); });
}

TEST_CASE("without options, a GPU gets random inputs and the emulator exact ones") {
  CHECK(parse({}, Backend::cuda).inputs == Inputs::uniform);
  CHECK(parse({}, Backend::emulator).inputs == Inputs::integers);
  CHECK(parse({}).launches == 1);
  CHECK(parse({}).schedule == LandingSchedule::eager);
}

TEST_CASE("every option is understood, with its value after a space or after =") {
  const Options options = parse(
      {"--check", "--launches", "7", "--seed=18446744073709551615", "--inputs", "normal",
       "--schedule", "lazy", "--json", "-", "--csv=rows.csv"});
  CHECK(options.check);
  CHECK(options.launches == 7);
  CHECK(options.seed == UINT64_MAX);
  CHECK(options.inputs == Inputs::normal);
  CHECK(options.schedule == LandingSchedule::lazy);
  CHECK(options.json == "-");
  CHECK(options.csv == "rows.csv");
  CHECK(parse({"--schedules", "5"}).schedule == LandingSchedule::random);
  CHECK(parse({"--bench", "--device", "1"}, Backend::cuda).device == 1);
  CHECK(parse({"--help"}).help);
}

TEST_CASE("a number is decimal digits within its range") {
  for (const char* bad :
       {"x", "-1", "0", "1.5", "1e3", "0x10", " 7", "1000001", "99999999999999999999"}) {
    const std::string line = parse_refusal({"--launches", bad});
    CHECK(contains(line, std::string("--launches ") + bad));
    CHECK(contains(line, "from 1 to 1000000"));
  }
}

TEST_CASE("an option without its value, and a value without its option, are refused") {
  CHECK(contains(parse_refusal({"--seed"}), "--seed: a value must follow"));
  CHECK(contains(parse_refusal({"--seed="}), "--seed: a value must follow"));
  CHECK(contains(parse_refusal({"--json", "--check"}), "--json: a value must follow"));
  CHECK(contains(parse_refusal({"--check=yes"}), "takes no value"));
  CHECK(contains(parse_refusal({"512"}), "512: no such option"));
}

TEST_CASE("an unknown option is refused, and the nearest one named") {
  CHECK(contains(parse_refusal({"--lunches", "3"}), "did you mean --launches?"));
  CHECK(contains(parse_refusal({"--sede"}), "did you mean --seed?"));
  CHECK(!contains(parse_refusal({"--xyzzyplugh"}), "did you mean"));
}

TEST_CASE("a choice lists what there is") {
  const std::string line = parse_refusal({"--inputs", "zeros"});
  CHECK(line == "--inputs zeros: choose integers, uniform or normal");
}

TEST_CASE("options of the other backend are refused, with the way to get it") {
  const std::string schedule = parse_refusal({"--schedule", "lazy"}, Backend::cuda);
  CHECK(contains(schedule, "--schedule"));
  CHECK(contains(schedule, "make 02 BACKEND=emulator"));
  CHECK(contains(parse_refusal({"--schedules=3"}, Backend::cuda), "make 02 BACKEND=emulator"));
  CHECK(contains(parse_refusal({"--device", "0"}), "make 02 BACKEND=cuda"));
  CHECK(contains(parse_refusal({"--bench"}), "make 02 BACKEND=cuda"));
}

TEST_CASE("options that contradict each other are refused") {
  CHECK(parse_refusal({"--check", "--bench"}, Backend::cuda) != "");
  CHECK(parse_refusal({"--schedules", "3", "--launches", "2"}) != "");
  CHECK(parse_refusal({"--schedules", "3", "--schedule", "eager"}) != "");
  CHECK(parse_refusal({"--schedules", "3", "--schedule", "random"}) == "");
  CHECK(parse_refusal({"--schedules", "3", "--seed", "18446744073709551614"}) != "");
  CHECK(contains(parse_refusal({"--explain", "--trace", "t.csv"}), "--explain --trace"));
  CHECK(contains(parse_refusal({"--explain", "--schedules", "3"}), "--explain --schedules"));
}

TEST_CASE("an option that is given twice is refused, whatever its values") {
  CHECK(contains(parse_refusal({"--seed", "1", "--seed=2"}), "--seed is given twice"));
  CHECK(contains(parse_refusal({"--check", "--check"}), "--check is given twice"));
}

TEST_CASE("each output has a file of its own, and only JSON goes to standard output") {
  CHECK(contains(parse_refusal({"--json", "x", "--csv", "x"}), "a file of its own"));
  CHECK(contains(parse_refusal({"--csv", "x", "--trace", "x"}), "a file of its own"));
  CHECK(contains(parse_refusal({"--csv", "-"}), "only --json"));
  CHECK(contains(parse_refusal({"--trace", "-"}), "only --json"));
  CHECK(parse_refusal({"--json", "-", "--csv", "x", "--trace", "y"}) == "");
}

TEST_CASE("a refusal is one line") {
  for (const auto& line :
       {parse_refusal({"--sede"}), parse_refusal({"--seed", "two\nlines"}),
        parse_refusal({"--device", "0"})}) {
    CHECK(line != "");
    CHECK(!contains(line, "\n"));
  }
}

TEST_CASE("the help names every option that is accepted") {
  for (const Backend backend : {Backend::cuda, Backend::emulator}) {
    const std::string help = help_text("02_warp_specialized", backend);
    for (const char* option :
         {"--check", "--bench", "--launches", "--seed", "--inputs", "--schedule ", "--schedules",
          "--json", "--csv", "--device", "--help"}) {
      CHECK(contains(help, option));
    }
  }
}

TEST_CASE("--json is found even on a command line that is refused") {
  CHECK(find_value({"--nonsense", "--json", "x.json"}, "--json") == "x.json");
  CHECK(find_value({"--json=-", "--seed"}, "--json") == "-");
  CHECK(find_value({"--json"}, "--json") == "");
  CHECK(find_value({"--json", "--check"}, "--json") == "");
}

}  // namespace
