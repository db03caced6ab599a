#pragma once

#include <memory>
#include <span>
#include <vector>

#include "runtime/program/divide_schedule.h"
#include "runtime/program/scheduled_executable.h"

namespace catena::program {

/// A program that was compiled as one and runs in two calls, forward and backward. Each is an executable of its own, so between
/// the two others may run, and the first may run again: what is saved for the second belongs to the caller.
class JointExecutable final : public Executable {
public:
    /// A schedule with a cut.
    explicit JointExecutable(Schedule whole);

    /// Its outputs are those of the first part, and then what it saves.
    Executable& forward() { return forward_; }
    /// Its inputs are as backward_inputs() says, and then what forward saved, which it overwrites; its outputs those of the second
    /// part.
    Executable& backward() { return backward_; }
    /// See DividedSchedule::second_inputs.
    std::span<const int> backward_inputs() const { return backward_inputs_; }

    /// Both, with all inputs of the program and all its outputs.
    void run(std::span<const Array> inputs, std::span<const double> scalars, std::span<const bool> donated,
             std::span<Array> outputs) override;
    const ExecutableInfo& info() const override { return whole_.info; }
    /// Those of forward and then of backward, which also tells what it reads of forward's.
    std::vector<LaunchReport> launches() override;
    const Schedule& schedule() const { return whole_; }

private:
    JointExecutable(Schedule whole, DividedSchedule divided);

    const Schedule whole_;
    const std::vector<int> backward_inputs_;
    ScheduledExecutable forward_, backward_;
};

/// A JointExecutable for a schedule with a cut, else a ScheduledExecutable.
std::shared_ptr<Executable> make_executable(Schedule schedule);
/// What that was given; null for programs of devices.
const Schedule* schedule_of(const Executable& executable);

}  // namespace catena::program
