#pragma once

#include <span>
#include <string>
#include <vector>

#include "runtime/program/schedule/schedule.h"

namespace catena::program {

/// Which launches' results each launch of a schedule reads.
class Connections {
public:
    explicit Connections(const Schedule& schedule);
    std::span<const int> reads_from(size_t launch) const;

private:
    std::vector<int> ends_, from_;  ///< Where each launch's part of from_ ends.
};

/// What each launch of a schedule computes and how many bytes it moves; not timed.
std::vector<LaunchReport> launch_reports(const Schedule& schedule);
/// The report of one kernel.
LaunchReport kernel_report(const Schedule& schedule, const KernelLaunch& kernel);

/// The lines of these operations, each once: "model.cpp:8, model.cpp:12".
std::string lines_of(const std::vector<Operation>& operations);
std::vector<Operation> operations_of(const Schedule& schedule, const Launch& launch);

}  // namespace catena::program
