#include "codegen/cpu/emit_kernel.h"

#include <algorithm>
#include <optional>

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

#include "codegen/cpu/loop_nest.h"
#include "codegen/cpu/kernel_memory.h"
#include "codegen/cpu/lanes.h"
#include "codegen/cpu/vector_math.h"
#include "runtime/core/error.h"

namespace catena::codegen::cpu {

namespace {

using Kind = KernelValue::Kind;
using mlir::Value;
namespace arith = mlir::arith;
namespace LLVM = mlir::LLVM;
namespace scf = mlir::scf;

/// A kernel value where it is being emitted: one scalar for all lanes, or one vector per copy.
struct Emitted {
    Value uniform;
    Values copies;
    explicit operator bool() const { return uniform || !copies.empty(); }
};

/// Maximum number of successive additions to one accumulator.
constexpr int64_t chain_length = 64;

class KernelEmitter {
public:
    KernelEmitter(mlir::OpBuilder& builder, mlir::Location loc, const Kernel& kernel,
                  const KernelOptions& options, const Processor& processor)
        : b(builder), loc(loc), kernel_(kernel), options_(options),
          lanes_(builder, loc, lane_count(kernel, processor)), shape_(shape_of(kernel)), nest_(kernel),
          scratch_(options.row_scratch ? find_row_scratch(kernel, nest_) : no_row_scratch(kernel)), inner_(kernel.inner()),
          memory_(lanes_, kernel_, options_, scratch_) {
        known_.assign(kernel.values.size(), false);
    }

    mlir::func::FuncOp emit(const std::string& name) {
        auto pointer = LLVM::LLVMPointerType::get(b.getContext());
        auto type = b.getFunctionType({pointer, b.getI64Type(), b.getI64Type()}, {});
        auto function = mlir::func::FuncOp::create(b, loc, name, type);
        mlir::OpBuilder::InsertionGuard guard(b);
        mlir::Block* entry = function.addEntryBlock();
        b.setInsertionPointToStart(entry);
        memory_.read_arguments(entry->getArgument(0));
        memo_.assign(kernel_.values.size(), {});
        emit_values(LoopNest::level_kernel, 0);
        loop(entry->getArgument(1), entry->getArgument(2), 1, {}, [&](Value unit, Values) {
            emit_unit(unit);
            return Values();
        });
        mlir::func::ReturnOp::create(b, loc);
        return function;
    }

private:
    //---- analysis

    static int lane_count(const Kernel& kernel, const Processor& processor) {
        int widest = 4;
        for (const KernelValue& value : kernel.values)
            if (value.type == Register::f64 || value.type == Register::i64) widest = 8;
        return std::max(processor.vector_bytes / widest, 1);
    }

    const Dependence& depends() const { return nest_.dependence(); }

    int unroll_of(const std::vector<bool>& needed) const {
        int work = 0;
        for (size_t v = 0; v < needed.size(); ++v)
            if (needed[v] && depends().varying(int(v))) {
                const KernelValue& value = kernel_.values[v];
                bool heavy = value.kind == Kind::instruction && facts_of(value.instruction).heavy && !known_[v];
                work += heavy ? 12 : value.kind == Kind::constant ? 0 : 1;
            }
        return work <= 14 ? 4 : work <= 40 ? 2 : 1;
    }

    //---- loops

    /// for (i = low; i < high; i += step) carried = body(i, carried); values memorised in the body are discarded
    /// after it.
    template <class F>
    Values loop(Value low, Value high, int64_t step, const Values& carried, F&& body) {
        auto memo = memo_;
        auto offsets = memory_.offsets();
        auto op = scf::ForOp::create(b, loc, low, high, lanes_.index(step), carried);
        {
            mlir::OpBuilder::InsertionGuard guard(b);
            b.setInsertionPointToStart(op.getBody());
            auto inside = op.getRegionIterArgs();
            Values next = body(op.getInductionVar(), Values(inside.begin(), inside.end()));
            if (!carried.empty()) scf::YieldOp::create(b, loc, next);
        }
        memo_ = std::move(memo);
        memory_.offsets() = std::move(offsets);
        return Values(op.getResults().begin(), op.getResults().end());
    }

    void emit_unit(Value unit) {
        Value rest = unit;
        Value block;
        if (!shape_.lanes_reduced) {
            block = lanes_.rem(rest, memory_.blocks());
            rest = lanes_.div(rest, memory_.blocks());
        }
        std::vector<int> outer;
        for (int dim = 0; dim < inner_; ++dim)
            if (!kernel_.is_reduced(dim) && !kernel_.is_serial(dim)) outer.push_back(dim);
        Value split_index;
        for (size_t i = outer.size(); i-- > 0;) {
            Value index = rest;
            if (i > 0) {
                index = lanes_.rem(rest, memory_.sizes()[outer[i]]);
                rest = lanes_.div(rest, memory_.sizes()[outer[i]]);
            }
            memory_.step(outer[i], index);
            if (outer[i] == 0) split_index = index;
        }
        high_of_split_ = Value();
        if (kernel_.split >= 0) {
            Value done = lanes_.mul(split_index, memory_.sizes()[kernel_.split]);
            high_of_split_ = lanes_.min(memory_.sizes()[kernel_.split], lanes_.sub(memory_.split_size(), done));
        }
        if (kernel_.serial > 0) {
            clear_accumulators(0);
            emit_rows(1);
        } else if (shape_.lanes_reduced) {
            emit_row();
        } else {
            emit_values(LoopNest::level_unit, 0);
            Value low = lanes_.mul(block, memory_.block());
            emit_chunks(low, lanes_.min(lanes_.add(low, memory_.block()), memory_.sizes()[inner_]));
        }
    }

    void emit_row() {
        emit_values(LoopNest::level_unit, 0);
        emit_stages();
    }

    /// The rows of a unit, one after another, from dimension `dim` on.
    void emit_rows(int dim) {
        if (dim > kernel_.serial) return emit_row();
        loop(lanes_.index(0), high_of(dim), 1, {}, [&](Value i, Values) {
            memory_.step(dim, i);
            emit_rows(dim + 1);
            return Values();
        });
    }

    /// Stores the neutral element into the unit's accumulators in memory.
    void clear_accumulators(size_t at) {
        int dim = nest_.reduced_dims[at];
        if (dim == inner_) return over_lanes([&] {
            for (size_t o = 0; o < kernel_.outputs.size(); ++o)
                if (kernel_.stores[o].accumulate) memory_.store_neutral(int(o));
        });
        loop(lanes_.index(0), memory_.sizes()[dim], 1, {}, [&](Value i, Values) {
            memory_.step(dim, i);
            clear_accumulators(at + 1);
            return Values();
        });
    }

    /// The innermost dimension, a vector at a time.
    template <class F>
    void over_lanes(F&& body) {
        Value low = lanes_.index(0), high = memory_.sizes()[inner_];
        Value middle = whole_steps(low, high, lanes_.width());
        copies_ = 1;
        for (bool masked : {false, true}) {
            if (masked && lanes_.width() == 1) break;
            loop(masked ? middle : low, masked ? high : middle, lanes_.width(), {}, [&](Value i, Values) {
                if (masked) memory_.set_mask(lanes_.sub(high, i));
                memory_.step(inner_, i);
                body();
                memory_.clear_mask();
                return Values();
            });
        }
    }

    Value high_of(int dim) const {
        return dim == kernel_.split && high_of_split_ ? high_of_split_ : memory_.sizes()[dim];
    }

    /// low + the largest multiple of `step` that fits below high.
    Value whole_steps(Value low, Value high, int64_t step) {
        Value count = lanes_.sub(high, low);
        Value mask = lanes_.index(-step);  // steps are powers of two
        return lanes_.add(low, arith::AndIOp::create(b, loc, count, mask));
    }

    /// Kept lanes: chunks of `unroll` vectors, then single vectors under a mask.
    void emit_chunks(Value low, Value high) {
        std::vector<bool> all(kernel_.values.size(), true);
        int unroll = unroll_of(all);
        if (lanes_.width() * unroll == 1) {
            chunk_loop(low, high, 1, false);
            return;
        }
        Value middle = whole_steps(low, high, int64_t(unroll) * lanes_.width());
        chunk_loop(low, middle, unroll, false);
        if (lanes_.width() == 1)
            chunk_loop(middle, high, 1, false);
        else
            chunk_loop(middle, high, 1, true);
    }

    void chunk_loop(Value low, Value high, int copies, bool masked) {
        loop(low, high, int64_t(copies) * lanes_.width(), {}, [&](Value i, Values) {
            copies_ = copies;
            if (masked) memory_.set_mask(lanes_.sub(high, i));
            memory_.step(inner_, i);
            emit_values(nest_.level_chunk, 0);
            emit_stages();
            memory_.clear_mask();
            return Values();
        });
    }

    //---- stages

    void emit_stages() {
        if (nest_.reduced_dims.empty() && depends().last_stage() == 0) {
            store_outputs();
            return;
        }
        for (int stage = 0; stage <= depends().last_stage(); ++stage) {
            if (stage > 0) {
                emit_values(LoopNest::level_unit, stage);
                if (nest_.level_chunk > 0) emit_values(nest_.level_chunk, stage);
            }
            stage_ = stage;
            known_ = scratch_.known_at(stage);
            needed_ = depends().needed_by(stage, known_);
            reductions_ = depends().reductions_of(stage);
            full_outputs_ = depends().full_outputs_of(stage);
            if (reductions_.empty() && full_outputs_.empty()) continue;
            if (shape_.lanes_reduced) copies_ = unroll_of(needed_);
            Values carried = neutral_elements();
            auto memo = memo_;
            auto offsets = memory_.offsets();
            Values done = emit_reduced_loops(0, carried);
            memo_ = std::move(memo);
            memory_.offsets() = std::move(offsets);
            memorise_reductions(done);
        }
        store_outputs();
    }

    Value neutral_of(int reduction) {
        const KernelValue& value = kernel_.values[reduction];
        mlir::Type type = lanes_.scalar_type(value.type);
        if (lanes_.width() > 1) type = lanes_.vector_of(type);
        return lanes_.neutral(value.combine, type);
    }

    void memorise_reductions(const Values& done) {
        for (size_t i = 0; i < reductions_.size(); ++i) {
            int r = reductions_[i];
            Combine how = kernel_.values[r].combine;
            Values parts(done.begin() + long(i) * copies_, done.begin() + long(i + 1) * copies_);
            if (!shape_.lanes_reduced) {
                memo_[r].copies = parts;
                continue;
            }
            for (size_t step = 1; step < parts.size(); step *= 2)
                for (size_t at = 0; at + step < parts.size(); at += 2 * step)
                    parts[at] = lanes_.combine(how, parts[at], parts[at + step]);
            Value all = lanes_.width() > 1 ? lanes_.combine_lanes(how, parts[0]) : parts[0];
            memorise_uniform(r, all);
        }
    }

    Values emit_reduced_loops(size_t at, const Values& carried) {
        if (at == nest_.reduced_dims.size()) return emit_body(carried);
        int dim = nest_.reduced_dims[at];
        int level = nest_.level_first_reduced + int(at);
        if (dim == inner_) return emit_lane_loops(carried);
        auto step = [&](Value i, const Values& inside) {
            memory_.step(dim, i);
            if (level < nest_.level_last) emit_values(level, depends().last_stage(), &needed_);
            return emit_reduced_loops(at + 1, inside);
        };
        int chained = shape_.lanes_reduced ? nest_.level_last - 1 : nest_.level_last;
        if (level == chained) return loop_in_chains(lanes_.index(0), high_of(dim), 1, carried, step);
        return loop(lanes_.index(0), high_of(dim), 1, carried, step);
    }

    /// As loop(), for reductions: splits long sums into partial sums, for
    /// accuracy.
    template <class F>
    Values loop_in_chains(Value low, Value high, int64_t step, const Values& carried, F&& body) {
        if (carried.empty()) return loop(low, high, step, carried, body);
        int64_t chain = chain_length * step;
        return loop(low, high, chain, carried, [&](Value begin, const Values& outside) {
            Value end = lanes_.min(high, lanes_.add(begin, lanes_.index(chain)));
            Values sums = loop(begin, end, step, neutral_elements(), body);
            for (size_t i = 0; i < sums.size(); ++i) {
                Combine how = kernel_.values[reductions_[i / size_t(copies_)]].combine;
                sums[i] = lanes_.combine(how, outside[i], sums[i]);
            }
            return sums;
        });
    }

    Values neutral_elements() {
        Values neutral;
        for (int r : reductions_)
            for (int c = 0; c < copies_; ++c) neutral.push_back(neutral_of(r));
        return neutral;
    }

    /// The innermost dimension when it is reduced: unrolled vectors, then single vectors under a mask that add
    /// to the first copy.
    Values emit_lane_loops(Values carried) {
        Value low = lanes_.index(0), high = high_of(inner_);
        int copies = copies_, width = lanes_.width();
        Value middle = whole_steps(low, high, int64_t(copies) * width);
        auto step = [&](Value i, const Values& inside) {
            memory_.step(inner_, i);
            memory_.set_lane(i);
            return emit_body(inside);
        };
        carried = loop_in_chains(low, middle, int64_t(copies) * width, carried, step);
        Values first;
        for (size_t i = 0; i < reductions_.size(); ++i) first.push_back(carried[i * copies]);
        copies_ = 1;
        first = loop(middle, high, width, first, [&](Value i, const Values& inside) {
            if (width > 1) memory_.set_mask(lanes_.sub(high, i));
            Values next = step(i, inside);
            memory_.clear_mask();
            return next;
        });
        copies_ = copies;
        for (size_t i = 0; i < reductions_.size(); ++i) carried[i * copies] = first[i];
        return carried;
    }

    /// One step of the innermost loop: values, accumulations, full outputs.
    Values emit_body(const Values& carried) {
        emit_values(nest_.level_last, depends().last_stage(), &needed_);
        Values next;
        for (size_t i = 0; i < reductions_.size(); ++i) {
            const KernelValue& value = kernel_.values[reductions_[i]];
            for (int c = 0; c < copies_; ++c) {
                Value x = in_lanes(value.args[0], c);
                if (memory_.mask() && shape_.lanes_reduced)
                    x = lanes_.select(memory_.mask(), x, lanes_.neutral(value.combine, x.getType()));
                next.push_back(lanes_.combine(value.combine, carried[i * size_t(copies_) + size_t(c)], x));
            }
        }
        for (int o : full_outputs_) store_output(o);
        return next;
    }

    //---- values

    /// Emits the missing values of `level`, up to results of `stage` reductions.
    void emit_values(int level, int stage, const std::vector<bool>* needed = nullptr) {
        for (size_t v = 0; v < kernel_.values.size(); ++v) {
            if (memo_[v] || nest_.level(int(v)) != level || depends().stage(int(v)) > stage) continue;
            if (kernel_.values[v].kind == Kind::reduction) continue;
            if (needed && !(*needed)[v]) continue;
            if (!depends().varying(int(v))) {
                memorise_uniform(int(v), emit_value(int(v), -1));
                continue;
            }
            for (int c = 0; c < copies_; ++c)
                memo_[v].copies.push_back(known_[v] ? memory_.load_from_row(int(v), c) : emit_value(int(v), c));
            if (scratch_.slot[v] >= 0 && scratch_.from[v] == stage_)
                for (int c = 0; c < copies_; ++c) memory_.store_to_row(int(v), in_lanes(int(v), c), c);
        }
    }

    void memorise_uniform(int v, Value scalar) {
        memo_[v].uniform = scalar;
        // Broadcast once here, outside the loops over lanes.
        if (nest_.used_by_lanes(v) && lanes_.width() > 1) memo_[v].copies.push_back(lanes_.splat(scalar));
    }

    /// Copy c of a value in vector form (scalar form when there is one lane).
    Value in_lanes(int v, int c) {
        const Emitted& e = memo_[v];
        CATENA_ASSERT(bool(e), "a kernel reads a value before it is there");
        if (!e.uniform) return e.copies[size_t(c)];
        return e.copies.empty() ? e.uniform : e.copies[0];
    }

    /// Copy c, or the scalar all lanes share when c < 0.
    Value emit_value(int v, int c) {
        const KernelValue& value = kernel_.values[v];
        Values args;
        for (int arg : value.args) args.push_back(c < 0 ? memo_[arg].uniform : in_lanes(arg, c));
        switch (value.kind) {
            case Kind::load: return memory_.load(value.operand, value.type, c);
            case Kind::scalar:
                return lanes_.convert(memory_.scalar(value.operand), Register::f64, value.type);
            case Kind::constant: {
                mlir::Type type = lanes_.scalar_type(value.type);
                bool whole = value.type == Register::i64 || value.type == Register::truth;
                return whole ? lanes_.integer(type, value.integer) : lanes_.constant(type, value.number);
            }
            case Kind::convert:
                return lanes_.convert(args[0], kernel_.values[value.args[0]].type, value.type);
            case Kind::round:
                return lanes_.from_storage(lanes_.to_storage(args[0], value.type, value.dtype), value.dtype,
                                           value.type);
            default: return instruction(value, args);
        }
    }

    Value instruction(const KernelValue& value, const Values& args) {
        switch (value.instruction) {
            case Instruction::maximumf: return lanes_.float_extreme(args[0], args[1], true);
            case Instruction::minimumf: return lanes_.float_extreme(args[0], args[1], false);
            case Instruction::divsi: return lanes_.safe_divide(args[0], args[1], false);
            case Instruction::remsi: return lanes_.safe_divide(args[0], args[1], true);
            default: break;
        }
        if (auto expanded = expand_math(lanes_, value.instruction, args)) return *expanded;
        if (auto called = call_math_library(lanes_, value.instruction, args)) return *called;

        mlir::Type type = lanes_.scalar_type(value.type);
        for (Value arg : args)
            if (mlir::isa<mlir::VectorType>(arg.getType())) type = lanes_.vector_of(lanes_.scalar_type(value.type));
        mlir::OperationState state(loc, facts_of(value.instruction).operation);
        state.addOperands(args);
        state.addTypes(type);
        if (is_comparison(value.instruction)) state.addAttribute("predicate", b.getI64IntegerAttr(value.predicate));
        mlir::Operation* op = b.create(state);
        if (options_.fast_math)
            if (auto fast = mlir::dyn_cast<arith::ArithFastMathInterface>(op))
                op->setAttr(fast.getFastMathAttrName(),
                            arith::FastMathFlagsAttr::get(b.getContext(), arith::FastMathFlags::contract |
                                                                              arith::FastMathFlags::reassoc |
                                                                              arith::FastMathFlags::arcp |
                                                                              arith::FastMathFlags::nsz));
        return op->getResult(0);
    }

    //---- results

    /// The outputs that do not vary along reduced dimensions.
    void store_outputs() {
        for (size_t o = 0; o < kernel_.outputs.size(); ++o)
            if (!depends().is_full_output(int(o))) store_output(int(o));
    }

    void store_output(int output) {
        int v = kernel_.stores[size_t(output)].value;
        Register from = kernel_.values[size_t(v)].type;
        if (kernel_.outputs[size_t(output)].strides[inner_] != 0) {
            for (int c = 0; c < copies_; ++c) memory_.store(output, in_lanes(v, c), from, c);
            return;
        }
        Value scalar = memo_[size_t(v)].uniform;
        if (!scalar) {  // All lanes are equal.
            scalar = memo_[size_t(v)].copies[0];
            if (lanes_.width() > 1) scalar = lanes_.extract(scalar, 0);
        }
        memory_.store_scalar(output, scalar, from);
    }

    mlir::OpBuilder& b;
    mlir::Location loc;
    const Kernel& kernel_;
    KernelOptions options_;
    Lanes lanes_;
    KernelShape shape_;
    LoopNest nest_;
    RowScratch scratch_;
    int inner_;

    KernelMemory memory_;
    Value high_of_split_;

    // The current position of emission.
    std::vector<Emitted> memo_;
    int copies_ = 1;
    int stage_ = 0;
    std::vector<bool> needed_, known_;
    std::vector<int> reductions_, full_outputs_;
};

}  // namespace

mlir::func::FuncOp emit_kernel(mlir::OpBuilder& builder, mlir::Location loc, const std::string& name,
                               const Kernel& kernel, const KernelOptions& options,
                               const Processor& processor) {
    return KernelEmitter(builder, loc, kernel, options, processor).emit(name);
}

}  // namespace catena::codegen::cpu
