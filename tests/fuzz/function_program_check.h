#pragma once

#include <string>

#include "tests/fuzz/function_program.h"

namespace catena::fuzz {

/// What a program is compared by; each gives "" or what differs.

/// One thread and two: the same bits.
std::string disagreement_of_threads(const FunctionProgram& program);
/// The results of a region, called twice, against the eager ones; also compiled code on one thread
/// and two.
std::string disagreement_of_results(const FunctionProgram& program);
/// Gradients of a region, and of a step with its backward in it.
std::string disagreement_of_gradients(const FunctionProgram& program);
/// Gradients of gradients in a region.
std::string disagreement_of_double_gradients(const FunctionProgram& program);
/// A step under a memory budget: the bits of the step without one.
std::string disagreement_of_budgets(const FunctionProgram& program);
/// Some calls in the middle are a region, those around it are not.
std::string disagreement_of_parts(const FunctionProgram& program);
/// One region, called with several sizes.
std::string disagreement_of_sizes(const FunctionProgram& program);
/// Gradients of one region, called with several sizes in turn, and of a step.
std::string disagreement_of_gradients_at_sizes(const FunctionProgram& program);
/// Saved, loaded and run: the bits of the region.
std::string disagreement_of_package(const FunctionProgram& program);

/// Everything that is checked for a program of this seed, the dearer checks now and then.
std::string disagreement(const FunctionProgram& program);
/// The smallest program found for which `disagreement` still gives something.
FunctionProgram minimal(const FunctionProgram& program,
                        std::string (*disagreement)(const FunctionProgram&));

/// Differences that rounding explains: a decision (a comparison, a floor) between two numbers that
/// are nearly equal.
int64_t explained_differences();

}  // namespace catena::fuzz
