// The reference on a CPU: a plain loop, with no tile, fragment or swizzle in common with the
// kernels.
#pragma once

#include "backend.h"

// C[M, N] = A[M, K] x B[N, K]^T, summed in double precision and rounded once, and the Euclidean
// norms of the rows of A and B. Uses all cores. All pointers are to plain memory.
void cpu_reference(
    const bf16* A,
    const bf16* B,
    int64_t M,
    int64_t N,
    int64_t K,
    const backend::Reference& reference);

// backend::compare for plain memory.
backend::Comparison cpu_compare(
    const float* C,
    const backend::Reference& reference,
    int64_t M,
    int64_t N,
    double tolerance,
    bool exact);
