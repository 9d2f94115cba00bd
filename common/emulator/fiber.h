// A fiber: a stack and a place to go on from. One CUDA thread of the emulated block runs on one.
//
// x86-64 and aarch64 switch with a few instructions (fiber.cpp); elsewhere ucontext does it, and
// where the processor keeps a second, shadow stack of return addresses, which these do not switch.
#pragma once

#include <cstddef>

#if defined(__x86_64__) || defined(__aarch64__)
#define EMULATOR_SWITCH 1
#endif
// Compiled with -fcf-protection, the default of some compilers, a program is marked as fit for one.
#if defined(__x86_64__) && defined(__CET__) && defined(__GLIBC__)
#define EMULATOR_SHADOW_STACK (__CET__ & 2)
#else
#define EMULATOR_SHADOW_STACK 0
#endif
#if !defined(EMULATOR_SWITCH) || EMULATOR_SHADOW_STACK
#define EMULATOR_UCONTEXT 1
#include <ucontext.h>
#endif

namespace emulator {

class Fiber {
 public:
  Fiber() = default;  // the context that the caller already runs in
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // How many a process may have: each stack and its guard page are a mapping, and Linux limits
  // these. Half of them are left to others.
  static size_t most();

  // Makes the next switch_to() start `entry` on this fiber's own stack, from its top. `entry` must
  // not return. Ends the program if there is no memory for a stack.
  void prepare(void (*entry)());

  // Leaves `from`, the running fiber, and goes on in this one. A fiber that is left for good has
  // ended: nothing on its stack is looked at again.
  void switch_from(Fiber& from, bool for_good = false);

  // Whether ucontext switches; for tests of it.
  static bool by_ucontext;

  // To be called first by `entry`: completes the switch that started the fiber.
  static void on_entry();

 private:
  void allocate_stack();
  void forget_frames();
  void leave(Fiber& from);

#ifdef EMULATOR_UCONTEXT
  ucontext_t context_ = {};
#endif
  void* stack_pointer_ = nullptr;
  [[maybe_unused]] unsigned valgrind_id_ = 0;
  char* stack_ = nullptr;  // lowest address, above the guard page; null in the caller's context

  // What AddressSanitizer is told at each switch: the stack's extent, and its own shadow of it.
  const void* stack_bottom_ = nullptr;
  size_t stack_bytes_ = 0;
  [[maybe_unused]] void* fake_stack_ = nullptr;
};

}  // namespace emulator
