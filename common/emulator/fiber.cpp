#include "fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#if defined(__SANITIZE_ADDRESS__)
#define EMULATOR_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EMULATOR_ASAN 1
#endif
#endif

#ifdef EMULATOR_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

// Valgrind takes a jump to another stack for one of the stack pointer, unless it knows both.
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#endif

namespace emulator {
namespace {

#ifdef EMULATOR_ASAN
constexpr size_t stack_size = 512 * 1024;  // redzones make frames large
#else
constexpr size_t stack_size = 128 * 1024;
#endif

bool has_shadow_stack() {
#if EMULATOR_SHADOW_STACK
  void* pointer = nullptr;
  asm("rdsspq %0" : "+r"(pointer));  // does nothing where there is none
  return pointer != nullptr;
#else
  return false;
#endif
}

// The fiber that this OS thread ran before the current one.
thread_local Fiber* last_left = nullptr;

}  // namespace

#ifdef EMULATOR_SWITCH
bool Fiber::by_ucontext = has_shadow_stack();
#else
bool Fiber::by_ucontext = true;
#endif

Fiber::~Fiber() {
  forget_frames();
#ifdef VALGRIND_STACK_DEREGISTER
  if (stack_) VALGRIND_STACK_DEREGISTER(valgrind_id_);
#endif
  const size_t guard = static_cast<size_t>(getpagesize());
  if (stack_) munmap(stack_ - guard, stack_bytes_ + guard);
}

// The functions that a fiber ends in never return, and their frames stay poisoned for
// AddressSanitizer: that has to go before the memory is used again.
void Fiber::forget_frames() {
#ifdef EMULATOR_ASAN
  if (stack_) __asan_unpoison_memory_region(stack_, stack_bytes_);
#endif
}

size_t Fiber::most() {
  size_t mappings = 0;
  std::ifstream("/proc/sys/vm/max_map_count") >> mappings;
  return mappings == 0 ? SIZE_MAX : mappings / 4;
}

void Fiber::allocate_stack() {
  const size_t guard = static_cast<size_t>(getpagesize());
  void* memory =
      mmap(nullptr, stack_size + guard, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  // Running over the stack faults instead of corrupting.
  if (memory == MAP_FAILED || mprotect(memory, guard, PROT_NONE) != 0) {
    std::fputs(
        "refused: no memory for the stack of a CUDA thread: give the process more of it (ulimit "
        "-v), or "
        "more mappings (sysctl vm.max_map_count)\n",
        stderr);
    std::_Exit(2);
  }
  stack_ = static_cast<char*>(memory) + guard;
  stack_bottom_ = stack_;
  stack_bytes_ = stack_size;
#ifdef VALGRIND_STACK_REGISTER
  valgrind_id_ = VALGRIND_STACK_REGISTER(stack_, stack_ + stack_size);
#endif
}

#ifdef EMULATOR_SWITCH

// emulator_switch(save, load): pushes the registers that a call preserves, stores the stack pointer
// in *save, takes `load` as the stack pointer, and pops the same registers from there.
#ifdef __APPLE__
#define SYMBOL "_emulator_switch"
#else
#define SYMBOL "emulator_switch"
#endif
extern "C" void emulator_switch(void** save, void* load);

#if defined(__x86_64__)
constexpr size_t return_address = 6;  // the word above them
constexpr size_t frame_words = 8;     // keeps the entry's stack 16-byte aligned
asm(".text\n"
    ".globl " SYMBOL "\n" SYMBOL
    ":\n"
    "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n"
    "  pushq %r13\n  pushq %r14\n  pushq %r15\n"
    "  movq %rsp, (%rdi)\n"
    "  movq %rsi, %rsp\n"
    "  popq %r15\n  popq %r14\n  popq %r13\n"
    "  popq %r12\n  popq %rbx\n  popq %rbp\n"
    "  ret\n");
#else
constexpr size_t return_address = 11;  // x30 in the layout below
constexpr size_t frame_words = 20;
asm(".text\n"
    ".p2align 2\n"
    ".globl " SYMBOL "\n" SYMBOL
    ":\n"
    "  sub sp, sp, #160\n"
    "  stp x19, x20, [sp, #0]\n  stp x21, x22, [sp, #16]\n"
    "  stp x23, x24, [sp, #32]\n  stp x25, x26, [sp, #48]\n"
    "  stp x27, x28, [sp, #64]\n  stp x29, x30, [sp, #80]\n"
    "  stp d8, d9, [sp, #96]\n  stp d10, d11, [sp, #112]\n"
    "  stp d12, d13, [sp, #128]\n  stp d14, d15, [sp, #144]\n"
    "  mov x9, sp\n"
    "  str x9, [x0]\n"
    "  mov sp, x1\n"
    "  ldp x19, x20, [sp, #0]\n  ldp x21, x22, [sp, #16]\n"
    "  ldp x23, x24, [sp, #32]\n  ldp x25, x26, [sp, #48]\n"
    "  ldp x27, x28, [sp, #64]\n  ldp x29, x30, [sp, #80]\n"
    "  ldp d8, d9, [sp, #96]\n  ldp d10, d11, [sp, #112]\n"
    "  ldp d12, d13, [sp, #128]\n  ldp d14, d15, [sp, #144]\n"
    "  add sp, sp, #160\n"
    "  ret\n");
#endif

#endif

void Fiber::prepare(void (*entry)()) {
  if (!stack_) allocate_stack();
  forget_frames();
#ifdef EMULATOR_UCONTEXT
  if (by_ucontext) {
    getcontext(&context_);
    context_.uc_stack.ss_sp = stack_;
    context_.uc_stack.ss_size = stack_bytes_;
    context_.uc_link = nullptr;
    makecontext(&context_, entry, 0);
    return;
  }
#endif
#ifdef EMULATOR_SWITCH
  // A frame as emulator_switch leaves it, whose return address is the entry. The word above stays
  // zero: a debugger's backtrace ends there.
  auto* frame = reinterpret_cast<uintptr_t*>(stack_ + stack_bytes_) - frame_words;
  for (size_t i = 0; i < frame_words; i++) frame[i] = 0;
  frame[return_address] = reinterpret_cast<uintptr_t>(entry);
  stack_pointer_ = frame;
#endif
}

// Returns when somebody switches back to `from`.
void Fiber::leave([[maybe_unused]] Fiber& from) {
#ifdef EMULATOR_UCONTEXT
  if (by_ucontext) {
    swapcontext(&from.context_, &context_);
    return;
  }
#endif
#ifdef EMULATOR_SWITCH
  emulator_switch(&from.stack_pointer_, stack_pointer_);
#endif
}

void Fiber::switch_from(Fiber& from, [[maybe_unused]] bool for_good) {
  last_left = &from;
#ifdef EMULATOR_ASAN
  void** const fake_stack = for_good ? nullptr : &from.fake_stack_;  // nullptr: it is freed
  __sanitizer_start_switch_fiber(fake_stack, stack_bottom_, stack_bytes_);
#endif
  leave(from);
#ifdef EMULATOR_ASAN
  __sanitizer_finish_switch_fiber(
      from.fake_stack_, &last_left->stack_bottom_, &last_left->stack_bytes_);
#endif
}

void Fiber::on_entry() {
#ifdef EMULATOR_ASAN
  __sanitizer_finish_switch_fiber(nullptr, &last_left->stack_bottom_, &last_left->stack_bytes_);
#endif
}

}  // namespace emulator
