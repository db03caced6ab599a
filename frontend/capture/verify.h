#pragma once

#include <string>

#include "runtime/core/error.h"

namespace catena::capture {

class Follower;
class Program;

/// Compiled code and the eager kernels give different results for one program.
struct VerificationError : CompileError {
    using CompileError::CompileError;
};

/// Runs the current program of `follower` compiled and with the eager kernels, and compares. If they differ, finds the
/// first differing operation, writes the program up to it and its inputs to files, and throws a VerificationError that
/// names both.
void run_verified(Follower& follower, Program& program);

}  // namespace catena::capture
