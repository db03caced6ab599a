#include "runtime/program/run/joint_executable.h"

namespace catena::program {

JointExecutable::JointExecutable(Schedule whole, bool keeps_whole)
    : JointExecutable(whole, keeps_whole, {}) {}

JointExecutable::JointExecutable(Schedule& whole, bool keeps_whole, DividedSchedule divided)
    : cut_(whole.cut),
      info_(whole.info),
      connections_(whole),
      whole_(keeps_whole ? std::make_unique<const Schedule>(whole) : nullptr),
      backward_inputs_((divided = divide(std::move(whole))).second_inputs),
      forward_(std::move(divided.first)),
      backward_(std::move(divided.second)) {}

void JointExecutable::run(std::span<const Array> inputs, std::span<const double> scalars,
                          std::span<const bool>, std::span<Array> outputs) {
    const size_t first = size_t(cut_.outputs), assigns = size_t(cut_.assigns),
                 gradients = outputs.size() - first - assigns;
    std::vector<Array> made(first + assigns + 1), given, last(gradients);
    forward_.run(inputs.first(size_t(cut_.inputs)), scalars, {}, made);
    for (int from : backward_inputs_)
        given.push_back(from >= 0 ? inputs[size_t(from)] : made[size_t(-1 - from)]);
    given.push_back(std::move(made.back()));
    backward_.run(given, scalars, {}, last);
    for (size_t r = 0; r < first; ++r) outputs[r] = std::move(made[r]);
    for (size_t r = 0; r < gradients; ++r) outputs[first + r] = std::move(last[r]);
    for (size_t r = 0; r < assigns; ++r)
        outputs[first + gradients + r] = std::move(made[first + r]);
}

std::vector<LaunchReport> JointExecutable::launches() {
    std::vector<LaunchReport> all = forward_.launches();
    for (LaunchReport& report : backward_.launches()) all.push_back(std::move(report));
    for (size_t l = 0; l < all.size(); ++l) {
        const std::span<const int> from = connections_.reads_from(l);
        all[l].reads_from.assign(from.begin(), from.end());
    }
    return all;
}

std::shared_ptr<Executable> make_executable(Schedule schedule, bool keeps_schedule) {
    if (schedule.cut.launch >= 0)
        return std::make_shared<JointExecutable>(std::move(schedule), keeps_schedule);
    return std::make_shared<ScheduledExecutable>(std::move(schedule));
}

const Schedule* schedule_of(const Executable& executable) {
    if (auto* joint = dynamic_cast<const JointExecutable*>(&executable)) return joint->schedule();
    auto* scheduled = dynamic_cast<const ScheduledExecutable*>(&executable);
    return scheduled ? &scheduled->schedule() : nullptr;
}

}  // namespace catena::program
