#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/fuzz/function_program.h"

namespace catena::fuzz {

/// What a run gave: arrays, or an error.
struct Outcome {
    std::string error;
    std::vector<Array> arrays;
    std::vector<std::string> memory;  ///< Where they lie (tests/support/memory.h), and the leaves.
};
/// Every run draws the same random numbers.
Outcome outcome(const FunctionProgram& program, const std::function<Values()>& run,
                const Values& leaves = {});
/// "" when the results of a region lie in memory as eager ones do.
std::string other_memory(const char* what, const Outcome& eager, const Outcome& compiled);

/// "" when the bits are the same; else where they are not, after `what`.
std::string other_bits(const char* what, const Outcome& a, const Outcome& b);
/// "" when compiled results are near enough to eager ones (nearness.h); `truth` is float64's, if
/// there is one. Integers of which `exact` says 0 may have been decided by rounding.
std::string too_far(const FunctionProgram& program, const char* what, const Outcome& eager,
                    const Outcome& compiled, const std::optional<Outcome>& truth,
                    const std::vector<char>& exact);
/// For each result, whether it follows from leaves and integers alone.
std::vector<char> exact_results(const FunctionProgram& program, const std::vector<Values>& outputs);

/// The results of a program.
Values forward(const FunctionProgram& program, const Values& leaves, bool in_float64 = false);

/// The arguments of a step: leaves, then gradients of the results that have one, then directions of
/// the leaves.
struct Step {
    Values arguments;
    size_t leaves = 0, results = 0, targets = 0;
};
Step step_of(const FunctionProgram& program, bool in_float64);
/// Results, and gradients of those leaves that get one; with `twice` also the gradients of these.
Values backward(const FunctionProgram& program, const Step& step, const Values& arguments,
                bool in_float64, bool twice);

/// What `run` gives in float64, when every function of the program takes it.
std::optional<Outcome> truth_of(const FunctionProgram& program, const std::function<Values()>& run);

}  // namespace catena::fuzz
