// The main() of the test program; the cases are in the files beside this one and in NN/checks.cpp.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
