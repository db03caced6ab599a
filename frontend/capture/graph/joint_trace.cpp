#include "frontend/capture/graph/joint_trace.h"

#include <algorithm>
#include <numeric>

#include "runtime/core/array/device.h"
#include "runtime/core/system/environment.h"
#include "runtime/ops/declare/border.h"

namespace catena::capture {
namespace {

class Joiner {
public:
    Joiner(const Trace& forward, const std::vector<char>& wanted, const Trace& backward,
           const GraphEnd& graph)
        : backward_(backward), graph_(graph), numbers_(backward.values.size(), -1) {
        joint_.trace = forward;
        take_results(forward, wanted);
        for (const Trace::ScalarSlot& slot : backward_.scalars)
            joint_.trace.scalars.push_back(slot);
        forward_scalars_ = int(forward.scalars.size());
    }

    JointTrace run() {
        add_border(add_inputs());
        for (size_t v = 0; v < backward_.values.size(); ++v)
            if (numbers_[v] < 0) numbers_[v] = add_value(backward_.values[v]);
        for (const Trace::Step& step : backward_.steps) add_step(step);
        for (int v : backward_.outputs) joint_.trace.outputs.push_back(numbers_[size_t(v)]);
        return std::move(joint_);
    }

private:
    void take_results(const Trace& forward, const std::vector<char>& wanted) {
        joint_.trace.outputs.clear();
        joint_.trace.assigns.clear();
        const size_t outputs = forward.outputs.size();
        for (size_t i = 0; i < wanted.size(); ++i) {
            if (!wanted[i]) continue;
            joint_.outputs.push_back(int(i));
            if (i < outputs)
                joint_.trace.outputs.push_back(forward.outputs[i]);
            else
                joint_.trace.assigns.push_back(forward.assigns[i - outputs]);
        }
    }

    int add_value(const Trace::Value& value) {
        joint_.trace.values.push_back(value);
        return int(joint_.trace.values.size()) - 1;
    }

    /// Returns what is given to backward alone, as values of its program: extras, and the gradients
    /// of the results.
    std::vector<int> add_inputs() {
        const size_t kept = graph_.backward.kept.size();
        for (size_t i = 0; i < kept; ++i)
            numbers_[size_t(backward_.inputs[i])] = graph_.backward.kept[i];
        border_ = {int(joint_.trace.inputs.size()), int(joint_.trace.outputs.size())};
        return {backward_.inputs.begin() + ptrdiff_t(kept), backward_.inputs.end()};
    }

    void add_border(const std::vector<int>& given) {
        Trace::Step step;
        step.op = &border_op();
        step.attributes = attributes_of(border_, int(given.size()));
        step.inputs = joint_.trace.outputs;
        for (const Trace::Assign& assign : joint_.trace.assigns)
            step.inputs.push_back(assign.value);
        for (int v : given) {
            step.inputs.push_back(add_value(backward_.values[size_t(v)]));
            joint_.trace.inputs.push_back(step.inputs.back());
        }
        for (int v : given)
            step.outputs.push_back(numbers_[size_t(v)] =
                                       add_value({.type = backward_.values[size_t(v)].type}));
        joint_.trace.steps.push_back(std::move(step));
    }

    void add_step(Trace::Step step) {
        for (int& v : step.inputs) v = numbers_[size_t(v)];
        for (int& v : step.outputs) v = numbers_[size_t(v)];
        for (int& s : step.scalars)
            s = graph_.backward.scalars[size_t(s)].slot >= 0
                    ? graph_.backward.scalars[size_t(s)].slot
                    : forward_scalars_ + s;
        joint_.trace.steps.push_back(std::move(step));
    }

    JointTrace joint_;
    const Trace& backward_;
    const GraphEnd& graph_;
    /// The joint trace's value for each value of the backward program; -1: none yet.
    std::vector<int> numbers_;
    Border border_;
    int forward_scalars_ = 0;
};

}  // namespace

std::unique_ptr<const JointTrace> join(const Trace& forward, const std::vector<char>& wanted,
                                       const Trace& backward, const GraphEnd& graph) {
    return std::make_unique<const JointTrace>(Joiner(forward, wanted, backward, graph).run());
}

Trace without_border(const Trace& joint) {
    Trace plain = joint;
    const auto border = std::ranges::find(plain.steps, &border_op(), &Trace::Step::op);
    if (border == plain.steps.end()) return plain;
    std::vector<int> stands_for(plain.values.size());
    std::iota(stands_for.begin(), stands_for.end(), 0);
    const size_t given = border->outputs.size(), before = border->inputs.size() - given;
    for (size_t i = 0; i < given; ++i)
        stands_for[size_t(border->outputs[i])] = border->inputs[before + i];
    plain.steps.erase(border);
    const auto replace = [&](std::vector<int>& values) {
        for (int& v : values) v = stands_for[size_t(v)];
    };
    for (Trace::Step& step : plain.steps) replace(step.inputs);
    replace(plain.outputs);
    return plain;
}

std::string why_apart(const Trace& forward, const Trace& backward, const Device& device) {
    static const bool on = environment::flag("CATENA_JOINT_PROGRAMS", true);
    if (!on) return "CATENA_JOINT_PROGRAMS is 0";
    if (!device.is_host()) return "it runs on " + device.name();
    if (!backward.assigns.empty()) return "the backward pass changes states";
    for (const Trace* trace : {&forward, &backward})
        if (std::ranges::any_of(trace->steps, [](const Trace::Step& step) {
                return step.attributes.has("communicator");
            }))
            return "it sends messages";
    return "";
}

}  // namespace catena::capture
