#pragma once

#include <string>
#include <vector>

#include "runtime/program/schedule.h"

namespace catena::program {

/// What each launch of a schedule computes and how many bytes it moves; not timed.
std::vector<LaunchReport> launch_reports(const Schedule& schedule);
/// The same of one kernel.
LaunchReport kernel_report(const Schedule& schedule, const KernelLaunch& kernel);

/// The lines of these operations, each once: "model.cpp:8, model.cpp:12".
std::string lines_of(const std::vector<Operation>& operations);
std::vector<Operation> operations_of(const Schedule& schedule, const Launch& launch);

}  // namespace catena::program
