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

/// Runs compiled code and the eager kernels on what `follower` has followed, and compares. Where they differ, the first operation
/// that does is searched for, the program up to it is written beside its inputs, and a VerificationError names both.
void run_verified(Follower& follower, Program& program);

}  // namespace catena::capture
