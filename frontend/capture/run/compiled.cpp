#include "frontend/capture/run/compiled.h"

#include <chrono>

#include "codegen/compiler.h"
#include "frontend/capture/graph/graph_end.h"
#include "frontend/capture/graph/joint_trace.h"
#include "frontend/capture/path/path_trace.h"
#include "frontend/compiler/compiler_memory.h"
#include "runtime/core/system/error.h"
#include "runtime/program/run/joint_executable.h"

namespace catena::capture {

Compiled::Compiled(const Plan& plan, std::shared_ptr<Trace> forward)
    : plan_(plan), traces_{std::move(forward), nullptr} {
    if (const GraphEnd* graph = plan.graph()) {
        const Trace backward = graph->backward.trace.unpacked();
        why_apart_ = capture::why_apart(*traces_.forward, backward, plan.device());
        is_joint_ = why_apart_.empty();
        if (is_joint_) {
            const std::shared_ptr<const JointTrace> joint =
                join(*traces_.forward, plan.referenced(), backward, *graph);
            joint_outputs_ = joint->outputs;
            traces_.joint = {joint, &joint->trace};
        }
    }
    trace_bytes_ = bytes_of(*traces_.forward) + (traces_.joint ? bytes_of(*traces_.joint) : 0);
}

Compiled::~Compiled() = default;

Compiled::Traces Compiled::traces() const {
    {
        std::lock_guard lock(traces_mutex_);
        if (traces_.forward) return traces_;
    }
    Traces made{std::make_shared<Trace>(plan_.trace()), nullptr};
    if (is_joint_) {
        const GraphEnd& graph = *plan_.graph();
        const std::shared_ptr<const JointTrace> joint =
            join(*made.forward, plan_.referenced(), graph.backward.trace.unpacked(), graph);
        made.joint = {joint, &joint->trace};
    }
    return made;
}

void Compiled::drop_traces() {
    std::lock_guard lock(traces_mutex_);
    traces_ = {};
}

bool Compiled::make(Make make) {
    if (is_ready()) return false;
    std::lock_guard lock(mutex_);
    if (is_ready()) return false;
    const auto start = std::chrono::steady_clock::now();
    KnownSizes::Made made = make_joint_or_apart(
        make, CompileOptions{.fast_math = plan_.fast_math(), .device = &plan_.device()});
    if (!made.executable) return false;
    executable_ = std::move(made.executable);
    is_resized_ = made.is_resized;
    is_from_disk_ = made.is_from_disk;
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    compiled_for(seconds_);
    if (is_resized_) drop_traces();
    is_ready_.store(true, std::memory_order_release);
    return true;
}

/// Forward and backward compiled together, where that is possible, else forward.
KnownSizes::Made Compiled::make_joint_or_apart(Make make, const CompileOptions& options) {
    const Traces traces = this->traces();
    if (!is_joint_) return make(traces.forward, options);
    try {
        KnownSizes::Made made = make(traces.joint, options);
        joint_ = std::dynamic_pointer_cast<program::JointExecutable>(made.executable);
        if (joint_) made.executable = {joint_, &joint_->forward()};
        return made;
    } catch (const CompileError& error) {  // An error of the user's would be thrown again.
        KnownSizes::Made made = make(traces.forward, options);
        why_apart_ = error.what();
        is_joint_ = false;
        return made;
    }
}

bool Compiled::compile() {
    return make([&](const std::shared_ptr<const Trace>& trace, const CompileOptions& options) {
        return plan_.sizes()->compile(trace, options);
    });
}

bool Compiled::resize() {
    return make([&](const std::shared_ptr<const Trace>& trace, const CompileOptions& options) {
        return KnownSizes::Made{plan_.sizes()->resize(*trace, options), true};
    });
}

std::string Compiled::why_apart() const {
    std::lock_guard lock(mutex_);
    return why_apart_;
}

SmallVector<double, 32> Compiled::joint_scalars(std::span<const double> scalars) const {
    SmallVector<double, 32> all(scalars);
    for (const BackwardProgram::Number& n : plan_.graph()->backward.scalars)
        all.push_back(n.cell ? n.cell->value : n.slot >= 0 ? scalars[size_t(n.slot)] : n.value);
    return all;
}

void Compiled::run(std::span<const Array> inputs, std::span<const double> scalars,
                   std::span<const bool> donated, std::span<Array> outputs) {
    if (!joint_) return executable_->run(inputs, scalars, donated, outputs);
    const std::vector<int>& places = joint_outputs_;
    SmallVector<Array, 32> made(places.size() + 1);
    executable_->run(inputs, joint_scalars(scalars), donated, made);
    for (size_t i = 0; i < places.size(); ++i) outputs[size_t(places[i])] = std::move(made[i]);
    outputs.back() = std::move(made[places.size()]);
}

void Compiled::run_backward(std::span<const Array> inputs, std::span<const double> scalars,
                            std::span<Array> outputs) {
    ran_backward_ = true;
    joint_->backward().run(inputs, scalars, {}, outputs);
}

size_t Compiled::bytes() const {
    return (is_ready() && is_resized_ ? 0 : trace_bytes_) +
           (is_ready() ? executable_->info().bytes : 0);
}

}  // namespace catena::capture
