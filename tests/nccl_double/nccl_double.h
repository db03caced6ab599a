#pragma once

// The interface of the fake NCCL for tests, in addition to NCCL's own. It is in this process: see
// nccl_double.cpp.
#include <cstddef>

extern "C" {

inline constexpr int nccl_double_kills = -1, nccl_double_hangs = -2;
/// The next call of this name returns `result` (of ncclResult_t) and leaves `words` behind, or
/// kills the process, or (what gives work to a stream) is never done.
void nccl_double_fail(const char* call, int result, const char* words);
/// Buffers must lie in memory that `owns` knows.
void nccl_double_expect_memory(bool (*owns)(const void* memory, size_t bytes));
/// How often a call of this name was made.
int nccl_double_count(const char* call);
/// Elements that all calls of ncclAllReduce have been given, and the dtype of the last one.
long nccl_double_elements();
int nccl_double_last_type();
/// While it is held, this process's ranks begin no work that they are given.
void nccl_double_hold(bool held);
}
