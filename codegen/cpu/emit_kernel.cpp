#include "codegen/cpu/emit_kernel.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include "codegen/cpu/stage_emitter.h"

namespace catena::codegen::cpu {

namespace {

using mlir::Value;

/// The units of a kernel: a row, the rows of a block one after another, or a block of kept lanes.
class KernelEmitter {
public:
    KernelEmitter(mlir::OpBuilder& builder, mlir::Location loc, const Kernel& kernel,
                  const KernelOptions& options, const Processor& processor)
        : e_(builder, loc, kernel, options, processor),
          kernel_(kernel),
          lanes_(e_.lanes),
          memory_(e_.memory),
          inner_(kernel.inner()) {}

    mlir::func::FuncOp emit(const std::string& name) {
        mlir::OpBuilder& b = e_.b;
        auto pointer = mlir::LLVM::LLVMPointerType::get(b.getContext());
        auto type = b.getFunctionType({pointer, b.getI64Type(), b.getI64Type()}, {});
        auto function = mlir::func::FuncOp::create(b, e_.loc, name, type);
        mlir::OpBuilder::InsertionGuard guard(b);
        mlir::Block* entry = function.addEntryBlock();
        b.setInsertionPointToStart(entry);
        memory_.read_arguments(entry->getArgument(0));
        e_.values.emit(LoopNest::level_kernel, 0);
        e_.loop(entry->getArgument(1), entry->getArgument(2), 1, {}, [&](Value unit, Values) {
            emit_unit(unit);
            return Values();
        });
        mlir::func::ReturnOp::create(b, e_.loc);
        return function;
    }

private:
    void emit_unit(Value unit) {
        Value rest = unit;
        Value block;
        if (!e_.nest.lanes_reduced) {
            block = lanes_.rem(rest, memory_.blocks());
            rest = lanes_.div(rest, memory_.blocks());
        }
        const Value first = step_outer_dims(rest);
        e_.high_of_split = Value();
        if (kernel_.split >= 0) {
            const Value size = memory_.sizes()[size_t(kernel_.split)];
            Value done = lanes_.mul(first, size);
            e_.high_of_split = lanes_.min(size, lanes_.sub(memory_.split_size(), done));
        }
        if (kernel_.serial > 0) {
            clear_accumulators(0);
            emit_rows(1);
        } else if (e_.nest.lanes_reduced) {
            emit_row();
        } else {
            e_.values.emit(LoopNest::level_unit, 0);
            Value low = lanes_.mul(block, memory_.block());
            emit_chunks(
                low, lanes_.min(lanes_.add(low, memory_.block()), memory_.sizes()[size_t(inner_)]));
        }
    }

    /// Moves operands to the unit's indices of the outer dimensions, and returns that of dimension
    /// 0, if it is one.
    Value step_outer_dims(Value rest) {
        std::vector<int> outer;
        for (int dim = 0; dim < inner_; ++dim)
            if (!kernel_.is_reduced(dim) && !kernel_.is_serial(dim)) outer.push_back(dim);
        Value first;
        for (size_t i = outer.size(); i-- > 0;) {
            Value index = rest;
            if (i > 0) {
                index = lanes_.rem(rest, memory_.sizes()[size_t(outer[i])]);
                rest = lanes_.div(rest, memory_.sizes()[size_t(outer[i])]);
            }
            memory_.step(outer[i], index);
            if (outer[i] == 0) first = index;
        }
        return first;
    }

    void emit_row() {
        e_.values.emit(LoopNest::level_unit, 0);
        StageEmitter(e_).emit();
    }

    /// The rows of a unit, one after another, from dimension `dim` on.
    void emit_rows(int dim) {
        if (dim > kernel_.serial) return emit_row();
        e_.loop(lanes_.index(0), e_.high_of(dim), 1, {}, [&](Value i, Values) {
            memory_.step(dim, i);
            emit_rows(dim + 1);
            return Values();
        });
    }

    /// Stores the neutral element into the unit's accumulators in memory.
    void clear_accumulators(size_t at) {
        const int dim = e_.nest.reduced_dims[at];
        if (dim == inner_)
            return over_lanes([&] {
                for (size_t o = 0; o < kernel_.outputs.size(); ++o)
                    if (kernel_.stores[o].accumulate) memory_.store_neutral(int(o));
            });
        e_.loop(lanes_.index(0), memory_.sizes()[size_t(dim)], 1, {}, [&](Value i, Values) {
            memory_.step(dim, i);
            clear_accumulators(at + 1);
            return Values();
        });
    }

    /// The innermost dimension, a vector at a time.
    template <class F>
    void over_lanes(F&& body) {
        Value low = lanes_.index(0), high = memory_.sizes()[size_t(inner_)];
        Value middle = e_.whole_steps(low, high, lanes_.width());
        e_.values.set_copies(1);
        for (bool masked : {false, true}) {
            if (masked && lanes_.width() == 1) break;
            e_.loop(masked ? middle : low, masked ? high : middle, lanes_.width(), {},
                    [&](Value i, Values) {
                        if (masked) memory_.set_mask(lanes_.sub(high, i));
                        memory_.step(inner_, i);
                        body();
                        memory_.clear_mask();
                        return Values();
                    });
        }
    }

    /// Emits a loop over kept lanes: chunks of `unroll` vectors, then single vectors under a mask.
    void emit_chunks(Value low, Value high) {
        const int unroll = e_.values.unroll_of(std::vector<bool>(kernel_.values.size(), true));
        if (lanes_.width() * unroll == 1) {
            chunk_loop(low, high, 1, false);
            return;
        }
        Value middle = e_.whole_steps(low, high, int64_t(unroll) * lanes_.width());
        chunk_loop(low, middle, unroll, false);
        chunk_loop(middle, high, 1, lanes_.width() > 1);
    }

    void chunk_loop(Value low, Value high, int copies, bool masked) {
        e_.loop(low, high, int64_t(copies) * lanes_.width(), {}, [&](Value i, Values) {
            e_.values.set_copies(copies);
            if (masked) memory_.set_mask(lanes_.sub(high, i));
            memory_.step(inner_, i);
            e_.values.emit(e_.nest.level_chunk, 0);
            StageEmitter(e_).emit();
            if (e_.nest.reduced_dims.empty())
                e_.fetch_ahead(std::vector<bool>(kernel_.inputs.size(), true));
            memory_.clear_mask();
            return Values();
        });
    }

    Emission e_;
    const Kernel& kernel_;
    Lanes& lanes_;
    KernelMemory& memory_;
    int inner_;
};

}  // namespace

mlir::func::FuncOp emit_kernel(mlir::OpBuilder& builder, mlir::Location loc,
                               const std::string& name, const Kernel& kernel,
                               const KernelOptions& options, const Processor& processor) {
    return KernelEmitter(builder, loc, kernel, options, processor).emit(name);
}

}  // namespace catena::codegen::cpu
