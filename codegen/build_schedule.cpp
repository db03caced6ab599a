#include "codegen/build_schedule.h"

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "llvm/ADT/DenseMap.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "codegen/batch_kernels.h"
#include "codegen/kernel/dependence.h"
#include "codegen/operations.h"
#include "codegen/plan_memory.h"
#include "codegen/read_group.h"
#include "codegen/sides.h"
#include "codegen/views.h"
#include "ir/dialect.h"
#include "ir/types.h"
#include "passes/analysis/place.h"
#include "runtime/core/array/sizes.h"
#include "runtime/ops/declare/border.h"
#include "runtime/ops/declare/channels_last.h"
#include "runtime/program/schedule/check_lifetimes.h"
#include "runtime/program/schedule/check_schedule.h"

namespace catena::codegen {

namespace {

std::span<const int64_t> as_span(llvm::ArrayRef<int64_t> values) {
    return {values.data(), values.size()};
}

class Builder {
public:
    Builder(const Trace& trace, const SplitRule& rule, bool fast_math)
        : trace_(trace), rule_(rule), fast_math_(fast_math) {}

    Draft build(mlir::func::FuncOp function) {
        for (mlir::BlockArgument argument : function.getArguments()) {
            Type type = ir::type_of(argument);
            int buffer = add_buffer(type);
            schedule_.buffers[buffer].place = Buffer::Place::input;
            schedule_.buffers[buffer].index = int(argument.getArgNumber());
            schedule_.input_types.push_back(type);
            views_[argument] = whole(buffer, type);
        }
        if (const std::optional<Border> border = border_of(trace_))
            schedule_.cut = {.launch = 0,
                             .inputs = border->inputs,
                             .outputs = border->outputs,
                             .assigns = int(trace_.assigns.size())};
        assigned_.resize(trace_.assigns.size());
        for (size_t i = 0; i < trace_.assigns.size(); ++i) assign_of_[trace_.assigns[i].target] = i;
        for (mlir::Operation& op : function.getBody().front()) visit(op);
        finish(function);
        return std::move(draft_);
    }

private:
    /// What a kernel computes.
    struct Origin {
        std::vector<program::Operation> operations;
        std::vector<int> steps;
    };

    int add_buffer(const Type& type) {
        Buffer buffer;
        buffer.bytes = byte_count(type);
        schedule_.buffers.push_back(buffer);
        return int(schedule_.buffers.size()) - 1;
    }

    /// A new buffer for a result of a group or call, in the memory order that the passes chose.
    View made_by(mlir::OpResult result) {
        const Type type = ir::type_of(result);
        const MemoryOrder order = order_of(result);
        schedule_.info.channels_last += order == MemoryOrder::channels_last;
        return views_[result] = whole(add_buffer(type), type, order);
    }

    View view_of(mlir::Value value) const {
        auto found = views_.find(value);
        CATENA_ASSERT(found != views_.end(), "a value is read before it is made");
        return found->second;
    }

    void visit(mlir::Operation& op) {
        if (auto scalar = mlir::dyn_cast<ir::ScalarOp>(op)) {
            scalars_[scalar.getResult()] = int(scalar.getIndex());
        } else if (mlir::isa<ir::GroupOp, ir::MapOp, ir::ReduceOp>(op)) {
            add_group(op);
        } else if (auto call = mlir::dyn_cast<ir::LibraryCall>(op)) {
            add_library_call(op, call);
        } else if (auto assign = mlir::dyn_cast<ir::AssignOp>(op)) {
            add_assign(assign);
        } else if (auto end = mlir::dyn_cast<mlir::func::ReturnOp>(op)) {
            returned_.assign(end.getOperands().begin(), end.getOperands().end());
        } else {
            add_view(op);
        }
    }

    //---- views

    void add_view(mlir::Operation& op) {
        if (op.getNumOperands() != 1 || op.getNumResults() != 1)
            throw InternalError("codegen: no code for " + op.getName().getStringRef().str());
        View from = view_of(op.getOperand(0));
        Shape shape = ir::shape_of(op.getResult(0));
        if (mlir::isa<ir::ReshapeOp>(op)) {
            std::optional<View> view = reshaped(from, shape);
            if (!view) view = reshaped(copy(from, {operations_of(op), steps_of(op)}), shape);
            views_[op.getResult(0)] = *view;
        } else if (auto transpose = mlir::dyn_cast<ir::TransposeOp>(op)) {
            views_[op.getResult(0)] = transposed(from, as_span(transpose.getAxes()));
        } else if (mlir::isa<ir::BroadcastOp>(op)) {
            views_[op.getResult(0)] = broadcast(from, shape);
        } else if (auto slice = mlir::dyn_cast<ir::SliceOp>(op)) {
            views_[op.getResult(0)] =
                sliced(from, as_span(slice.getBegin()), as_span(slice.getStep()), shape);
        } else {
            throw InternalError("codegen: no code for " + op.getName().getStringRef().str());
        }
    }

    /// A kernel that copies `from` row-major into a new buffer.
    View copy(const View& from, const Origin& origin) {
        const View to = whole(add_buffer(from.type), from.type);
        const Kernel kernel =
            copying_kernel({.domain = from.type.shape,
                            .inputs = {{from.type.dtype, strides_without_ones(from)}},
                            .outputs = {{from.type.dtype, strides_without_ones(to)}}});
        add_kernel(kernel, {from}, {to}, {}, origin);
        return to;
    }

    static Strides strides_without_ones(const View& view) {
        Strides strides = view.strides;
        for (int d = 0; d < strides.rank(); ++d)
            if (view.type.shape[d] == 1) strides[d] = 0;
        return strides;
    }

    //---- kernels

    void add_group(mlir::Operation& op) {
        GroupReading group =
            read_group(&op, [this](mlir::Value value) { return view_of(value); }, fast_math_);
        std::vector<View> inputs, outputs;
        for (mlir::Value tensor : group.tensors) inputs.push_back(view_of(tensor));
        for (mlir::OpResult result : op.getResults()) {
            outputs.push_back(made_by(result));
        }
        std::vector<int> scalars;
        for (mlir::Value scalar : group.scalars) scalars.push_back(scalars_.at(scalar));
        add_kernel(group.kernel, inputs, outputs, scalars, {operations_of(op), steps_of(op)});
        if (group.operations > 1) schedule_.info.fused_ops += group.operations;
    }

    void add_kernel(const Kernel& whole, const std::vector<View>& inputs,
                    const std::vector<View>& outputs, const std::vector<int>& scalars,
                    const Origin& origin) {
        if (std::all_of(outputs.begin(), outputs.end(),
                        [](const View& v) { return element_count(v.type.shape) == 0; }))
            return;
        KernelPlan plan = plan_launches(whole, rule_);
        std::vector<int> temporaries;
        for (const KernelPlan::Temporary& temporary : plan.temporaries)
            temporaries.push_back(add_buffer({temporary.dtype, Shape{temporary.elements}}));
        auto operand_of = [&](const KernelPlan::Operand& operand) -> KernelLaunch::Operand {
            if (operand.kind == KernelPlan::Operand::Kind::temporary)
                return {temporaries[size_t(operand.index)], 0};
            const View& view =
                (operand.kind == KernelPlan::Operand::Kind::input ? inputs
                                                                  : outputs)[size_t(operand.index)];
            return {view.buffer, view.offset * int64_t(size_of(view.type.dtype))};
        };
        for (KernelPlan::Launch& launch : plan.launches) {
            KernelLaunch kernel;
            for (const auto& operand : launch.inputs)
                kernel.operands.push_back(operand_of(operand));
            for (const auto& operand : launch.outputs)
                kernel.operands.push_back(operand_of(operand));
            kernel.geometry = launch.kernel;
            kernel.scalars = scalars;
            kernel.operations = origin.operations;
            kernel.steps = origin.steps;
            kernel.strides_read = strides_read(kernel.geometry);
            size_kernel(kernel);
            in_order_.emplace_back().kernels.push_back(int(schedule_.kernels.size()));
            schedule_.kernels.push_back(std::move(kernel));
            draft_.kernels.push_back(std::move(launch.kernel));
        }
    }

    //---- library calls

    void add_library_call(mlir::Operation& op, ir::LibraryCall call) {
        LibraryCall made;
        std::string name = call.getFunction().str();
        made.op = find_op(name);
        made.location = source_of(op.getLoc());
        made.function = passes::function_of(&op);
        made.steps = steps_of(op);
        LocationScope scope(made.location);
        if (!made.op) fail<CompileError>("{}: no op of this name is registered", name);
        if (made.op == &border_op()) return pass_border(op, call);
        if (!made.op->kernel) fail<CompileError>("{}: the op has no kernel of its own", name);
        std::string bad;
        auto attributes = ir::to_attributes(call.getCallAttributes(), &bad);
        if (mlir::failed(attributes))
            fail<CompileError>("{}: attribute {} cannot be read", name, bad);
        made.attributes = *attributes;
        for (mlir::Value input : call.getInputs()) made.inputs.push_back(view_of(input));
        for (mlir::Value scalar : call.getScalars()) made.scalars.push_back(scalars_.at(scalar));
        for (mlir::OpResult result : op.getResults()) {
            made.outputs.push_back(made_by(result));
        }
        in_order_.emplace_back().library_call = int(schedule_.library_calls.size());
        schedule_.library_calls.push_back(std::move(made));
    }

    /// Passes over a border, at which nothing happens: its results are what the second part is
    /// given.
    void pass_border(mlir::Operation& op, ir::LibraryCall call) {
        const auto given = call.getInputs().take_back(op.getNumResults());
        for (auto [result, gradient] : llvm::zip(op.getResults(), given))
            views_[result] = view_of(gradient);
    }

    //---- results

    void add_assign(ir::AssignOp assign) {
        const int input = int(mlir::cast<mlir::BlockArgument>(assign.getState()).getArgNumber());
        assigned_[assign_of_.at(trace_.inputs[size_t(input)])] = assign.getValue();
    }

    void finish(mlir::func::FuncOp function) {
        find_shown();
        for (size_t i = 0; i < returned_.size(); ++i) add_result(returned_[i], trace_.outputs[i]);
        std::map<int, int> input_of;  // By number in the trace.
        for (size_t i = 0; i < trace_.inputs.size(); ++i)
            input_of.try_emplace(trace_.inputs[i], int(i));
        StateResults states;
        for (size_t i = 0; i < assigned_.size(); ++i) {
            CATENA_ASSERT(bool(assigned_[i]), "a pass has dropped an assign");
            states.emplace_back(int(schedule_.results.size()),
                                input_of.at(trace_.assigns[i].target));
            add_result(assigned_[i], trace_.assigns[i].value);
        }
        if (schedule_.cut.launch < 0) {
            batch_kernels(schedule_, in_order_, states);
            plan_memory(draft_);
            plan_donations(draft_, states);
        } else {
            batch_in_parts(schedule_, in_order_, states);
            plan_memory(
                draft_);  // Nothing is donated: a second backward begins with the same inputs.
        }
        fill_info(states);
    }

    /// By value of the trace: the value whose memory it shows when each operation runs by itself. A
    /// result may lie in the memory of an input, or of an earlier result, only if it does so there:
    /// what is equal otherwise, by its formula or after simplification, has memory of its own.
    void find_shown() {
        shown_.resize(trace_.values.size());
        std::iota(shown_.begin(), shown_.end(), 0);
        for (const Trace::Step& step : trace_.steps) {
            const size_t given = step.inputs.size() - step.outputs.size();
            if (step.op->view)
                shown_[size_t(step.outputs[0])] = shown_[size_t(step.inputs[0])];
            else if (step.op == &border_op())
                for (size_t k = 0; k < step.outputs.size(); ++k)
                    shown_[size_t(step.outputs[k])] = shown_[size_t(step.inputs[given + k])];
        }
    }

    /// `traced`: its value in the trace.
    void add_result(mlir::Value value, int traced) {
        View view = view_of(value);
        const int shown = shown_[size_t(traced)];
        results_show_.push_back(shown);
        Result result;
        Buffer* buffer = &schedule_.buffers[size_t(view.buffer)];
        bool is_whole =
            view.contiguous() && view.offset == 0 && byte_count(view.type) == buffer->bytes;
        const bool is_taken =
            buffer->place == Buffer::Place::output && results_show_[size_t(buffer->index)] != shown;
        if (buffer->place == Buffer::Place::input && is_whole &&
            schedule_.input_types[size_t(buffer->index)] == view.type &&
            trace_.inputs[size_t(buffer->index)] == shown) {
            result.input = buffer->index;
        } else {
            if (buffer->place == Buffer::Place::input || !is_whole || is_taken) {
                view = copy(view, {{{"copy of a result", {}}}, {}});
                buffer = &schedule_.buffers[size_t(view.buffer)];
            }
            if (buffer->place == Buffer::Place::arena) {
                buffer->place = Buffer::Place::output;
                buffer->index = int(schedule_.results.size());
            }
            result.view = view;
        }
        schedule_.results.push_back(std::move(result));
    }

    void fill_info(const StateResults& states) {
        ExecutableInfo& info = schedule_.info;
        info.name = trace_.name;
        info.steps = int(schedule_.launches.size());
        info.library_calls = int(schedule_.library_calls.size());
        info.arena_bytes = schedule_.arena_bytes;
        std::vector<bool> is_state(schedule_.buffers.size(), false);
        for (auto [result, input] : states)
            if (schedule_.results[size_t(result)].input < 0)
                is_state[size_t(schedule_.results[size_t(result)].view.buffer)] = true;
        for (const Launch& launch : schedule_.launches) {
            bool updates = false;
            for (int k : launch.kernels)
                for (size_t o = schedule_.kernels[size_t(k)].geometry.inputs.size();
                     o < schedule_.kernels[size_t(k)].operands.size(); ++o)
                    updates = updates ||
                              is_state[size_t(schedule_.kernels[size_t(k)].operands[o].buffer)];
            info.update_sweeps += updates;
        }
    }

    const Trace& trace_;
    const SplitRule& rule_;
    bool fast_math_;
    Draft draft_;
    Schedule& schedule_ = draft_.schedule;
    llvm::DenseMap<mlir::Value, View> views_;
    llvm::DenseMap<mlir::Value, int> scalars_;
    std::vector<Launch> in_order_;
    std::vector<mlir::Value> returned_;
    std::vector<int> shown_, results_show_;  ///< See find_shown(), by result as well.
    std::vector<mlir::Value> assigned_;  ///< The assigned values, in the order of Trace::assigns.
    std::map<int, size_t> assign_of_;    ///< The number of each assignment, found by its target.
};

/// The results of a call that may lie with their channels last on any target. What is checked is
/// that there are kernels for it, not that they are fast.
ChannelsLast results_that_may_lie_last(const TypeCall& call) {
    return {.outputs = channels_last_of(call).outputs | images_of(call.op).outputs};
}

/// Checks the bounds of a schedule by the rules for schedules from files.
void check_bounds(const program::Schedule& schedule) {
    try {
        program::check_schedule(schedule, results_that_may_lie_last);
    } catch (const FileError& error) {
        throw InternalError(fmt::format("an invalid schedule was made: {}", error.what()));
    }
}

}  // namespace

Draft build_schedule(mlir::ModuleOp module, const Trace& trace, const SplitRule& rule,
                     bool fast_math) {
    auto functions = module.getOps<mlir::func::FuncOp>();
    CATENA_ASSERT(!functions.empty(), "a program without a function");
    Draft draft = Builder(trace, rule, fast_math).build(*functions.begin());
    if (program::lifetimes_are_checked()) {
        check_bounds(draft.schedule);
        const std::vector<Kernel>& kernels = draft.kernels;
        program::check_lifetimes(
            draft.schedule,
            {.sweeps_once = [&](int k) { return sweeps_once(kernels[size_t(k)]); },
             .accumulates =
                 [&](int k, int o) {
                     return kernels[size_t(k)].stores[size_t(o)].accumulate.has_value();
                 }});
    }
    return draft;
}

}  // namespace catena::codegen
