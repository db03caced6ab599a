#pragma once

#include <memory>
#include <span>
#include <vector>

#include "runtime/program/run/scheduled_executable.h"
#include "runtime/program/schedule/divide_schedule.h"
#include "runtime/program/schedule/launch_reports.h"

namespace catena::program {

/// A program that was compiled as one and runs in two calls, forward and backward. Each is an
/// executable of its own, so between the two others may run, and the first may run again: what is
/// saved for the second belongs to the caller.
class JointExecutable final : public Executable {
public:
    /// A schedule with a cut. `keeps_whole`: schedule_of() gives it.
    explicit JointExecutable(Schedule whole, bool keeps_whole = true);

    /// The first part, whose outputs are its own, and then what it saves.
    Executable& forward() { return forward_; }
    /// The second part, whose inputs are as backward_inputs() says, and then what forward saved,
    /// which it overwrites; its outputs are its own.
    Executable& backward() { return backward_; }
    /// See DividedSchedule::second_inputs.
    std::span<const int> backward_inputs() const { return backward_inputs_; }

    /// Both, with all inputs of the program and all its outputs.
    void run(std::span<const Array> inputs, std::span<const double> scalars,
             std::span<const bool> donated, std::span<Array> outputs) override;
    const ExecutableInfo& info() const override { return info_; }
    /// The launches of forward and then of backward, which also tells what it reads of forward's.
    std::vector<LaunchReport> launches() override;
    const Cut& cut() const { return cut_; }
    /// The schedule of both parts; null if it was not kept.
    const Schedule* schedule() const { return whole_.get(); }

private:
    JointExecutable(Schedule& whole, bool keeps_whole, DividedSchedule divided);

    const Cut cut_;
    const ExecutableInfo info_;
    const Connections connections_;  ///< What the launches of the whole read of each other.
    const std::unique_ptr<const Schedule> whole_;
    const std::vector<int> backward_inputs_;
    ScheduledExecutable forward_, backward_;
};

/// A JointExecutable for a schedule with a cut, else a ScheduledExecutable. `keeps_schedule`:
/// schedule_of() will be asked for. A region of many sizes has hundreds that nothing is planned
/// from, and a JointExecutable needs only its parts.
std::shared_ptr<Executable> make_executable(Schedule schedule, bool keeps_schedule = true);
/// What that was given; null for programs of devices, and if it may not have been kept.
const Schedule* schedule_of(const Executable& executable);

}  // namespace catena::program
