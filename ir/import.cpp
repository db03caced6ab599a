#include "ir/import.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"

#include "ir/dialect.h"
#include "ir/formula_region.h"
#include "ir/step_location.h"
#include "ir/types.h"
#include "runtime/core/system/error.h"
#include "runtime/cpu/blocks/map_kernel.h"
#include "runtime/graph/op/copy_op.h"
#include "runtime/ops/define/symbolic.h"

namespace catena::ir {

namespace {

llvm::StringRef name_of(Trace::Role role) {
    switch (role) {
        case Trace::Role::argument:
            return "argument";
        case Trace::Role::state:
            return "state";
        case Trace::Role::gradient:
            return "gradient";
        case Trace::Role::captured:
            return "captured";
        case Trace::Role::computed:
            return "computed";
    }
    CATENA_ASSERT(false, "a role without a name");
}

/// One step while it is imported.
struct StepCall {
    mlir::Location location;
    mlir::StringAttr function;
    const Trace::Step& step;
    llvm::SmallVector<mlir::Value> inputs;
    llvm::SmallVector<mlir::Value> scalars;
    llvm::SmallVector<mlir::Type> results;
};

class Importer {
public:
    Importer(const Trace& trace, mlir::MLIRContext& context)
        : trace_(trace),
          b_(&context),
          values_(trace.values.size()),
          scalars_(trace.scalars.size()) {}

    mlir::OwningOpRef<mlir::ModuleOp> run() {
        mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(b_.getUnknownLoc());
        b_.setInsertionPointToEnd(module->getBody());
        begin_function();
        for (const Trace::Step& step : trace_.steps) import(step);
        end_function();
        return module;
    }

private:
    void begin_function() {
        llvm::SmallVector<mlir::Type> inputs, results;
        for (int i : trace_.inputs) inputs.push_back(type_of_value(i));
        for (int i : trace_.outputs) results.push_back(type_of_value(i));
        std::string name = trace_.name.empty() ? "region" : trace_.name;
        auto function = mlir::func::FuncOp::create(b_, b_.getUnknownLoc(), name,
                                                   b_.getFunctionType(inputs, results));
        b_.setInsertionPointToStart(function.addEntryBlock());
        for (size_t k = 0; k < trace_.inputs.size(); ++k) {
            const Trace::Value& value = trace_.values[trace_.inputs[k]];
            function.setArgAttr(k, role_attribute, b_.getStringAttr(name_of(value.role)));
            if (!value.name.empty())
                function.setArgAttr(k, name_attribute, b_.getStringAttr(value.name));
            values_[trace_.inputs[k]] = function.getArgument(k);
        }
    }

    void end_function() {
        for (const Trace::Assign& assign : trace_.assigns)
            AssignOp::create(b_, b_.getUnknownLoc(), values_[assign.target], values_[assign.value]);
        llvm::SmallVector<mlir::Value> outputs;
        for (int i : trace_.outputs) outputs.push_back(values_[i]);
        mlir::func::ReturnOp::create(b_, b_.getUnknownLoc(), outputs);
    }

    void import(const Trace::Step& step) {
        if (step.op == &copy_op()) {
            values_[step.outputs[0]] = values_[step.inputs[0]];
            return;
        }
        LocationScope scope(step.location);
        StepCall call{location_of(step), b_.getStringAttr(step.op->name), step, {}, {}, {}};
        for (int i : step.inputs) call.inputs.push_back(values_[i]);
        for (int i : step.scalars) call.scalars.push_back(scalar(i));
        for (int i : step.outputs) call.results.push_back(type_of_value(i));
        mlir::ValueRange results = create(call);
        for (size_t k = 0; k < step.outputs.size(); ++k) values_[step.outputs[k]] = results[k];
    }

    mlir::ResultRange create(const StepCall& call) {
        switch (call.step.op->kind) {
            case Kind::map:
                return create_map(call);
            case Kind::reduce:
                return create_reduce(call);
            case Kind::reshape:
                return structural<ReshapeOp>(call);
            case Kind::transpose:
                return structural<TransposeOp>(call, dims(call, "axes"));
            case Kind::broadcast:
                return structural<BroadcastOp>(call);
            case Kind::slice:
                return structural<SliceOp>(call, dims(call, "begin"), dims(call, "step"));
            case Kind::contract:
                return library<ContractOp>(call);
            case Kind::window:
                return library<WindowOp>(call);
            case Kind::scan:
                return library<ScanOp>(call);
            case Kind::pad:
                return library<PadOp>(call);
            case Kind::concat:
                return library<ConcatOp>(call);
            case Kind::gather:
                return library<GatherOp>(call);
            case Kind::scatter:
                return library<ScatterOp>(call);
            case Kind::sort:
                return library<SortOp>(call);
            case Kind::random:
                return library<RandomOp>(call);
            case Kind::call:
                return library<CallOp>(call);
        }
        CATENA_ASSERT(false, "a kind that the dialect does not know");
    }

    mlir::ResultRange create_map(const StepCall& call) {
        auto map = MapOp::create(b_, call.location, call.results, call.function, call.inputs,
                                 call.scalars);
        llvm::SmallVector<Type> inputs, outputs;
        llvm::SmallVector<Dtype> stored;
        for (int i : call.step.inputs) inputs.push_back(trace_.values[i].type);
        for (int i : call.step.outputs) {
            outputs.push_back(trace_.values[i].type);
            stored.push_back(trace_.values[i].type.dtype);
        }
        Dtype compute =
            map_compute_dtype({inputs.data(), inputs.size()}, {outputs.data(), outputs.size()});
        build_formula_region(map.getBody(), call.location, call.function, call.step.op->formula,
                             compute, stored);
        return map->getResults();
    }

    /// What a reduction over dimensions of size 1 alone gives, whatever it combines by: the
    /// elements in the result's dtype. As a reduction it would be none of the dimensions of its
    /// group.
    mlir::Value converted(const StepCall& call, const Type& from, const Type& to) {
        static const Formula same = make_formula<1, 0>([](auto x) { return x; });
        auto map =
            MapOp::create(b_, call.location, mlir::TypeRange(tensor_type(to, b_.getContext())),
                          b_.getStringAttr("convert"), call.inputs, mlir::ValueRange());
        build_formula_region(map.getBody(), call.location, "convert", same,
                             map_compute_dtype({&from, 1}, {&to, 1}), to.dtype);
        return map.getResult(0);
    }

    mlir::ResultRange create_reduce(const StepCall& call) {
        const Type& input = trace_.values[call.step.inputs[0]].type;
        Type kept = input;
        kept.dtype = trace_.values[call.step.outputs[0]].type.dtype;
        llvm::ArrayRef<int64_t> axes = dims(call, "axes");
        for (int64_t axis : axes) kept.shape[axis] = 1;
        const mlir::Value combined =
            kept.shape == input.shape
                ? converted(call, input, kept)
                : ReduceOp::create(b_, call.location, tensor_type(kept, b_.getContext()),
                                   call.function, call.inputs[0], Combine(call.step.op->combine),
                                   axes)
                      .getResult();
        if (combined.getType() == call.results[0]) return combined.getDefiningOp()->getResults();
        return ReshapeOp::create(b_, call.location, call.results[0], call.function, combined)
            ->getResults();
    }

    template <class Op, class... Arguments>
    mlir::ResultRange structural(const StepCall& call, Arguments... arguments) {
        return Op::create(b_, call.location, call.results[0], call.function, call.inputs[0],
                          arguments...)
            ->getResults();
    }

    template <class Op>
    mlir::ResultRange library(const StepCall& call) {
        return Op::create(b_, call.location, call.results, call.function, call.inputs, call.scalars,
                          to_dictionary(call.step.attributes, b_.getContext()))
            ->getResults();
    }

    /// All uses of a scalar share one operation, at the start of the program.
    mlir::Value scalar(int index) {
        if (scalars_[index]) return scalars_[index];
        mlir::OpBuilder::InsertionGuard guard(b_);
        if (last_scalar_)
            b_.setInsertionPointAfter(last_scalar_);
        else
            b_.setInsertionPointToStart(b_.getInsertionBlock());
        const Trace::ScalarSlot& slot = trace_.scalars[index];
        mlir::StringAttr label;
        if (slot.cell && *slot.cell->name) label = b_.getStringAttr(slot.cell->name);
        auto op = ScalarOp::create(b_, b_.getUnknownLoc(), b_.getF64Type(), index, label,
                                   b_.getF64FloatAttr(slot.value));
        last_scalar_ = op;
        return scalars_[index] = op;
    }

    mlir::Location location_of(const Trace::Step& step) {
        mlir::Location place = b_.getUnknownLoc();
        if (step.location.line != 0)
            place = mlir::FileLineColLoc::get(b_.getContext(), step.location.file,
                                              step.location.line, 0);
        place = at_step(place, size_t(&step - trace_.steps.data()));
        return mlir::NameLoc::get(
            b_.getStringAttr(*step.function ? step.function : step.op->name.c_str()), place);
    }

    static llvm::ArrayRef<int64_t> dims(const StepCall& call, std::string_view name) {
        const Dims& dims = call.step.attributes.dims(name);
        return {dims.begin(), dims.end()};
    }

    mlir::RankedTensorType type_of_value(int i) {
        return tensor_type(trace_.values[i].type, b_.getContext());
    }

    const Trace& trace_;
    mlir::OpBuilder b_;
    llvm::SmallVector<mlir::Value> values_;   ///< Indexed by number in the trace.
    llvm::SmallVector<mlir::Value> scalars_;  ///< The scalars of the trace, indexed by slot.
    mlir::Operation* last_scalar_ = nullptr;
};

}  // namespace

mlir::OwningOpRef<mlir::ModuleOp> import_trace(const Trace& trace, mlir::MLIRContext& context) {
    return Importer(trace, context).run();
}

void load_dialects(mlir::MLIRContext& context) {
    context.loadDialect<CatenaDialect, mlir::func::FuncDialect, mlir::arith::ArithDialect,
                        mlir::math::MathDialect>();
}

}  // namespace catena::ir
