#pragma once

#include <span>
#include <string>

#include "frontend/static_graph/call/options.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/trace/trace.h"

namespace catena::capture {

class Activation;
class Program;
struct FollowedCall;

/// The error for a program whose compiled code and eager kernels give different results.
struct VerificationError : CompileError {
    using CompileError::CompileError;
};

/// Whether a region's programs are verified: by its options, or for all regions by CATENA_VERIFY.
bool verifies(const StaticGraphOptions& options);

/// Runs `program` for `call` compiled and with the eager kernels, and compares. If they differ,
/// finds the first differing operation, writes the program up to it and its inputs to files, and
/// throws a VerificationError that names both.
void run_verified(FollowedCall& call, Program& program, Activation* activation);

/// Compares the results of a backward outside of the region with those of the eager kernels; errors
/// as run_verified(). `compiled` are its results for these inputs and scalars: the outputs of
/// `trace` and then its assigns, undefined where they are not compared. `trace`: the backward
/// program, or forward and backward joined without a border. `program`: the forward program.
void verify_backward(const Trace& trace, std::span<const Array> inputs,
                     std::span<const double> scalars, const Program& program,
                     std::span<const Array> compiled);

}  // namespace catena::capture
