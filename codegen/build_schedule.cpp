#include "codegen/build_schedule.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "llvm/ADT/DenseMap.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Location.h"

#include "codegen/cpu/kernel.h"
#include "codegen/read_group.h"
#include "codegen/views.h"
#include "ir/dialect.h"
#include "ir/types.h"
#include "passes/place.h"
#include "runtime/program/check_lifetimes.h"

namespace catena::codegen {

namespace {

std::span<const int64_t> as_span(llvm::ArrayRef<int64_t> values) { return {values.data(), values.size()}; }

SourceLoc source_of(mlir::Location location) {
    SourceLoc found;
    location->walk([&](mlir::Location at) {
        if (auto file = mlir::dyn_cast<mlir::FileLineColLoc>(at)) {
            found.file = intern(std::string_view(file.getFilename().strref()));
            found.line = file.getLine();
            return mlir::WalkResult::interrupt();
        }
        return mlir::WalkResult::advance();
    });
    return found;
}

/// The operations of a group, or the one that this is.
std::vector<program::Operation> operations_of(mlir::Operation& op) {
    std::vector<program::Operation> operations;
    auto add = [&](mlir::Operation& each) {
        program::Operation made{passes::function_of(&each), source_of(each.getLoc())};
        if (std::ranges::find(operations, made) == operations.end()) operations.push_back(std::move(made));
    };
    auto group = mlir::dyn_cast<ir::GroupOp>(op);
    if (!group) add(op);
    else
        for (mlir::Operation& inner : group.getBody().front())
            if (mlir::isa<ir::MapOp, ir::ReduceOp>(inner)) add(inner);
    return operations;
}

class Builder {
public:
    Builder(const Trace& trace, const ScheduleOptions& options) : trace_(trace), options_(options) {}

    Schedule build(mlir::func::FuncOp function) {
        for (mlir::BlockArgument argument : function.getArguments()) {
            Type type = ir::type_of(argument);
            int buffer = add_buffer(type);
            schedule_.buffers[buffer].place = Buffer::Place::input;
            schedule_.buffers[buffer].index = int(argument.getArgNumber());
            schedule_.input_types.push_back(type);
            views_[argument] = whole(buffer, type);
        }
        assigned_.resize(trace_.assigns.size());
        for (size_t i = 0; i < trace_.assigns.size(); ++i) assign_of_[trace_.assigns[i].target] = i;
        for (mlir::Operation& op : function.getBody().front()) visit(op);
        finish(function);
        return std::move(schedule_);
    }

private:
    int add_buffer(const Type& type) {
        Buffer buffer;
        buffer.bytes = size_t(element_count(type.shape)) * size_of(type.dtype);
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
            if (!view) view = reshaped(copy(from, operations_of(op)), shape);
            views_[op.getResult(0)] = *view;
        } else if (auto transpose = mlir::dyn_cast<ir::TransposeOp>(op)) {
            views_[op.getResult(0)] = transposed(from, as_span(transpose.getAxes()));
        } else if (mlir::isa<ir::BroadcastOp>(op)) {
            views_[op.getResult(0)] = broadcast(from, shape);
        } else if (auto slice = mlir::dyn_cast<ir::SliceOp>(op)) {
            views_[op.getResult(0)] = sliced(from, as_span(slice.getBegin()), as_span(slice.getStep()), shape);
        } else {
            throw InternalError("codegen: no code for " + op.getName().getStringRef().str());
        }
    }

    /// A kernel that copies `from` row-major into a new buffer.
    View copy(const View& from, std::vector<program::Operation> operations) {
        KernelProgram program;
        program.domain = from.type.shape;
        program.inputs.push_back({from.type.dtype, strides_without_ones(from)});
        int value = program.add(
            {.kind = KernelValue::Kind::load, .type = natural_register(from.type.dtype), .operand = 0});
        View to = whole(add_buffer(from.type), from.type);
        program.outputs.push_back({value, {from.type.dtype, strides_without_ones(to)}});
        add_program(program, {from}, {to}, {}, std::move(operations));
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
            read_group(&op, [this](mlir::Value value) { return view_of(value); }, options_.fast_math);
        std::vector<View> inputs, outputs;
        for (mlir::Value tensor : group.tensors) inputs.push_back(view_of(tensor));
        for (mlir::OpResult result : op.getResults()) {
            outputs.push_back(made_by(result));
        }
        std::vector<int> scalars;
        for (mlir::Value scalar : group.scalars) scalars.push_back(scalars_.at(scalar));
        add_program(group.program, inputs, outputs, scalars, operations_of(op));
        if (group.operations > 1) schedule_.info.fused_ops += group.operations;
    }

    void add_program(const KernelProgram& program, const std::vector<View>& inputs,
                     const std::vector<View>& outputs, const std::vector<int>& scalars,
                     const std::vector<program::Operation>& operations) {
        if (std::all_of(outputs.begin(), outputs.end(),
                        [](const View& v) { return element_count(v.type.shape) == 0; }))
            return;
        KernelPlan plan = plan_launches(program, options_.rule);
        std::vector<int> temporaries;
        for (const KernelPlan::Temporary& temporary : plan.temporaries)
            temporaries.push_back(add_buffer({temporary.dtype, Shape{temporary.elements}}));
        for (KernelPlan::Launch& launch : plan.launches) {
            KernelLaunch kernel;
            auto add_operand = [&](const KernelPlan::Operand& operand) {
                if (operand.kind == KernelPlan::Operand::Kind::temporary) {
                    kernel.operands.push_back({temporaries[size_t(operand.index)], 0});
                    return;
                }
                const View& view = operand.kind == KernelPlan::Operand::Kind::input
                                       ? inputs[size_t(operand.index)]
                                       : outputs[size_t(operand.index)];
                kernel.operands.push_back(
                    {view.buffer, view.offset * int64_t(size_of(view.type.dtype))});
            };
            for (const auto& operand : launch.inputs) add_operand(operand);
            for (const auto& operand : launch.outputs) add_operand(operand);
            kernel.program = std::move(launch.program);
            kernel.options.fast_math = options_.fast_math;
            kernel.scalars = scalars;
            kernel.operations = operations;
            kernel.strides_read = strides_read(kernel.program);
            kernel.element_nanoseconds = element_nanoseconds(kernel.program);
            kernel.row_scratch_rows = row_scratch_rows(kernel.program);
            kernel.options.row_scratch = kernel.row_scratch_rows > 0;
            size_kernel(kernel);
            in_order_.emplace_back().kernels.push_back(int(schedule_.kernels.size()));
            schedule_.kernels.push_back(std::move(kernel));
        }
    }

    /// Whether outputs are large and every vector of them is aligned.
    static bool streams(const KernelProgram& program) {
        bool large = false;
        int inner = program.domain.rank() - 1;
        for (const KernelProgram::Output& output : program.outputs) {
            if (output.to.strides[inner] == 0) continue;
            int64_t bytes = int64_t(size_of(output.to.dtype));
            int64_t elements = 1;
            for (int dim = 0; dim < program.domain.rank(); ++dim) {
                if (output.to.strides[dim] != 0) elements *= program.domain[dim];
                if (dim < inner && output.to.strides[dim] * bytes % 64 != 0) return false;
            }
            large = large || elements * bytes >= streaming_bytes;
        }
        return large;
    }

    /// An output written in place of an operand is in the caches already.
    bool writes_over_an_input(const KernelLaunch& kernel) const {
        for (size_t o = kernel.program.inputs.size(); o < kernel.operands.size(); ++o) {
            const Buffer& buffer = schedule_.buffers[size_t(kernel.operands[o].buffer)];
            if (buffer.donor >= 0 || buffer.over >= 0) return true;
        }
        return false;
    }

    //---- library calls

    void add_library_call(mlir::Operation& op, ir::LibraryCall call) {
        LibraryCall made;
        std::string name = call.getFunction().str();
        made.op = find_op(name);
        made.location = source_of(op.getLoc());
        made.function = passes::function_of(&op);
        LocationScope scope(made.location);
        if (!made.op) fail<CompileError>("{}: no op of this name is registered", name);
        if (!made.op->kernel) fail<CompileError>("{}: the op has no kernel of its own", name);
        std::string bad;
        auto attributes = ir::to_attributes(call.getCallAttributes(), &bad);
        if (mlir::failed(attributes)) fail<CompileError>("{}: attribute {} cannot be read", name, bad);
        made.attributes = *attributes;
        for (mlir::Value input : call.getInputs()) made.inputs.push_back(view_of(input));
        for (mlir::Value scalar : call.getScalars()) made.scalars.push_back(scalars_.at(scalar));
        for (mlir::OpResult result : op.getResults()) {
            made.outputs.push_back(made_by(result));
        }
        in_order_.emplace_back().library_call = int(schedule_.library_calls.size());
        schedule_.library_calls.push_back(std::move(made));
    }

    //---- results

    void add_assign(ir::AssignOp assign) {
        const int input = int(mlir::cast<mlir::BlockArgument>(assign.getState()).getArgNumber());
        assigned_[assign_of_.at(trace_.inputs[size_t(input)])] = assign.getValue();
    }

    void finish(mlir::func::FuncOp function) {
        for (mlir::Value value : returned_) add_result(value);
        std::map<int, int> input_of;  // By number in the trace.
        for (size_t i = 0; i < trace_.inputs.size(); ++i) input_of.try_emplace(trace_.inputs[i], int(i));
        StateResults states;
        for (size_t i = 0; i < assigned_.size(); ++i) {
            CATENA_ASSERT(bool(assigned_[i]), "a pass has dropped an assign");
            states.emplace_back(int(schedule_.results.size()), input_of.at(trace_.assigns[i].target));
            add_result(assigned_[i]);
        }
        batch_kernels(schedule_, in_order_, states);
        plan_memory(schedule_);
        plan_donations(schedule_, states);
        for (KernelLaunch& kernel : schedule_.kernels) {
            kernel.options.streaming = options_.streaming && streams(kernel.program) && !writes_over_an_input(kernel);
            kernel.key = kernel_key(kernel.program, kernel.options, host_target());
        }
        fill_info(states);
    }

    void add_result(mlir::Value value) {
        View view = view_of(value);
        Result result;
        Buffer* buffer = &schedule_.buffers[size_t(view.buffer)];
        bool is_whole = view.contiguous() && view.offset == 0 &&
                        size_t(element_count(view.type.shape)) * size_of(view.type.dtype) == buffer->bytes;
        if (buffer->place == Buffer::Place::input && is_whole &&
            schedule_.input_types[size_t(buffer->index)] == view.type) {
            result.input = buffer->index;
        } else {
            if (buffer->place == Buffer::Place::input || !is_whole) {
                view = copy(view, {{"copy of a result", {}}});
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
                for (size_t o = schedule_.kernels[size_t(k)].program.inputs.size();
                     o < schedule_.kernels[size_t(k)].operands.size(); ++o)
                    updates = updates || is_state[size_t(schedule_.kernels[size_t(k)].operands[o].buffer)];
            info.update_sweeps += updates;
        }
    }

    const Trace& trace_;
    const ScheduleOptions& options_;
    Schedule schedule_;
    llvm::DenseMap<mlir::Value, View> views_;
    llvm::DenseMap<mlir::Value, int> scalars_;
    std::vector<Launch> in_order_;
    std::vector<mlir::Value> returned_;
    std::vector<mlir::Value> assigned_;   ///< By Trace::assigns,
    std::map<int, size_t> assign_of_;     ///< whose number is found by its target.
};

}  // namespace

Schedule build_schedule(mlir::ModuleOp module, const Trace& trace, const ScheduleOptions& options) {
    auto functions = module.getOps<mlir::func::FuncOp>();
    CATENA_ASSERT(!functions.empty(), "a program without a function");
    Schedule schedule = Builder(trace, options).build(*functions.begin());
    if (program::lifetimes_are_checked()) program::check_lifetimes(schedule);
    return schedule;
}

}  // namespace catena::codegen
