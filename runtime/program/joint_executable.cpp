#include "runtime/program/joint_executable.h"

#include "runtime/program/launch_reports.h"

namespace catena::program {

JointExecutable::JointExecutable(Schedule whole) : JointExecutable(std::move(whole), {}) {}

JointExecutable::JointExecutable(Schedule whole, DividedSchedule divided)
    : whole_(std::move(whole)), backward_inputs_((divided = divide(whole_)).second_inputs), forward_(std::move(divided.first)),
      backward_(std::move(divided.second)) {}

void JointExecutable::run(std::span<const Array> inputs, std::span<const double> scalars, std::span<const bool>,
                          std::span<Array> outputs) {
    const size_t first = size_t(whole_.cut.outputs), assigns = size_t(whole_.cut.assigns), gradients = outputs.size() - first - assigns;
    std::vector<Array> made(first + assigns + 1), given, last(gradients);
    forward_.run(inputs.first(size_t(whole_.cut.inputs)), scalars, {}, made);
    for (int from : backward_inputs_) given.push_back(from >= 0 ? inputs[size_t(from)] : made[size_t(-1 - from)]);
    given.push_back(std::move(made.back()));
    backward_.run(given, scalars, {}, last);
    for (size_t r = 0; r < first; ++r) outputs[r] = std::move(made[r]);
    for (size_t r = 0; r < gradients; ++r) outputs[first + r] = std::move(last[r]);
    for (size_t r = 0; r < assigns; ++r) outputs[first + gradients + r] = std::move(made[first + r]);
}

std::vector<LaunchReport> JointExecutable::launches() {
    std::vector<LaunchReport> all = forward_.launches();
    for (LaunchReport& report : backward_.launches()) all.push_back(std::move(report));
    const std::vector<LaunchReport> whole = launch_reports(whole_);
    for (size_t l = 0; l < all.size(); ++l) all[l].reads_from = whole[l].reads_from;
    return all;
}

std::shared_ptr<Executable> make_executable(Schedule schedule) {
    if (schedule.cut.launch >= 0) return std::make_shared<JointExecutable>(std::move(schedule));
    return std::make_shared<ScheduledExecutable>(std::move(schedule));
}

const Schedule* schedule_of(const Executable& executable) {
    if (auto* joint = dynamic_cast<const JointExecutable*>(&executable)) return &joint->schedule();
    auto* scheduled = dynamic_cast<const ScheduledExecutable*>(&executable);
    return scheduled ? &scheduled->schedule() : nullptr;
}

}  // namespace catena::program
