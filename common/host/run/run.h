// One run of a stage's program: its options, what it prints, its files and its exit status.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "../config/config_description.h"
#include "../device/device.h"
#include "../device/matrices.h"

class Run {
 public:
  // Keeps the command line. It is read in open(), where what is wrong with it can be reported.
  Run(const ConfigDescription& config, int argc, char** argv);
  ~Run();

  // Reads the options, opens the device for `kernel` and prints what will run. --help ends the
  // program here. Throws Refusal.
  template <class Kernel>
  Device& open(Kernel* kernel) {
    return open_device_for(reinterpret_cast<const void*>(kernel));
  }

  // Launches as often as the options say and checks every output. False, with the reason printed,
  // if one is wrong or the emulator reported a hazard. Throws Refusal if a launch fails.
  bool verify(Matrices& matrices, const std::function<void()>& launch);

  // On a GPU, and unless --check was given: times the kernel and its peers, and prints.
  void benchmark(Matrices& matrices, const std::function<void()>& launch);

  // Writes the files that were asked for. Returns the exit status: 0 verified, 1 wrong.
  int finish();

  // Prints the line of a Refusal, or of any other error, and writes --json. Returns exit status 2.
  int refuse(const std::exception& error);

 private:
  struct State;
  Device& open_device_for(const void* kernel);
  [[noreturn]] void explain_and_exit(const std::string& why_none);
  std::unique_ptr<State> state_;
};
