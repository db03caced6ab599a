#pragma once

#include <span>
#include <string>

#include "frontend/static_graph/call/options.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/trace.h"

namespace catena::capture {

class Follower;
class Program;

/// Compiled code and the eager kernels give different results for one program.
struct VerificationError : CompileError {
    using CompileError::CompileError;
};

/// By the region's options, or for all regions (CATENA_VERIFY).
bool verifies(const StaticGraphOptions& options);

/// Runs the current program of `follower` compiled and with the eager kernels, and compares. If
/// they differ, finds the first differing operation, writes the program up to it and its inputs to
/// files, and throws a VerificationError that names both.
void run_verified(Follower& follower, Program& program);

/// The same for a backward outside of the region, which has given `compiled` for these inputs and
/// numbers: the outputs of `trace` and then its assigns, undefined where they are not compared.
/// `trace`: the backward program, or forward and backward in one part. `program`: the forward
/// program.
void verify_backward(const Trace& trace, std::span<const Array> inputs,
                     std::span<const double> scalars, const Program& program,
                     std::span<const Array> compiled);

}  // namespace catena::capture
