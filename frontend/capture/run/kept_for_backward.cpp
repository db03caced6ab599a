// What a program's calls keep for a backward outside the region.
#include "frontend/capture/call/followed_call.h"
#include "frontend/capture/graph/graph_end.h"
#include "frontend/capture/run/program.h"
#include "frontend/capture/run/trace_interpreter.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/program/run/joint_executable.h"

namespace catena::capture {

void Program::keep_for_backward(const FollowedCall& call, Activation& activation,
                                std::span<const Array> inputs, std::span<const Array> outputs) {
    keep_for_backward(activation, inputs, outputs, call.numbers.values());
    for (size_t i = 0; i < inputs.size(); ++i)
        if (const Array& original = call.values.array(plan_.inputs()[i]); !(original == inputs[i]))
            activation.originals.emplace_back(int(i), original);
}

void Program::keep_for_backward(Activation& activation, std::span<const Array> inputs,
                                std::span<const Array> outputs, std::span<const double> scalars) {
    activation.program = shared_from_this();
    activation.inputs.clear();
    activation.inputs.append(inputs.begin(), inputs.end());
    activation.scalars.clear();
    activation.scalars.append(scalars.begin(), scalars.end());
    keep_values(activation, outputs);
}

void Program::keep_values(Activation& activation, std::span<const Array> outputs) const {
    activation.kept.clear();
    activation.is_joint = outputs.size() > plan_.outputs().size();
    if (!activation.is_joint) {
        for (int place : plan_.kept())
            activation.kept.push_back(place >= 0 ? outputs[size_t(place)]
                                                 : activation.inputs[size_t(-1 - place)]);
        return;
    }
    activation.joint_scalars = compiled_.joint_scalars(activation.scalars);
    for (int from : compiled_.joint()->backward_inputs())
        if (from < 0)
            activation.kept.push_back(outputs[compiled_.place_of_joint_output(-1 - from)]);
    activation.kept.push_back(outputs.back());
}

void Program::compute_kept(Activation& activation) {
    keep_values(activation, run(activation.inputs, activation.scalars, {}));
}

std::vector<Array> Program::kept_by_interpretation(const Activation& activation) const {
    std::vector<Array> outputs(plan_.outputs().size()), kept;
    if (plan_.kept().empty()) return kept;
    const RecorderScope unseen(nullptr);
    interpret_trace(*compiled_.forward(), {activation.inputs.begin(), activation.inputs.end()},
                    activation.scalars, outputs);
    for (int place : plan_.kept())
        kept.push_back(place >= 0 ? outputs[size_t(place)] : activation.inputs[size_t(-1 - place)]);
    return kept;
}

}  // namespace catena::capture
