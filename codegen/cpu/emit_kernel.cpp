#include "codegen/cpu/emit_kernel.h"

#include <algorithm>
#include <optional>

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

#include "codegen/cpu/kernel_analysis.h"
#include "codegen/cpu/lanes.h"
#include "codegen/cpu/vector_math.h"
#include "runtime/core/error.h"

namespace catena::codegen {

namespace {

using Kind = KernelValue::Kind;
using mlir::Value;
using Values = llvm::SmallVector<Value, 4>;
namespace arith = mlir::arith;
namespace LLVM = mlir::LLVM;
namespace scf = mlir::scf;

/// A program value where it is being emitted: one scalar for all lanes, or one vector per copy.
struct Emitted {
    Value uniform;
    Values copies;
    explicit operator bool() const { return uniform || !copies.empty(); }
};

/// Additions in a row to one accumulator.
constexpr int64_t chain_length = 64;

class KernelEmitter {
public:
    KernelEmitter(mlir::OpBuilder& builder, mlir::Location loc, const KernelProgram& program,
                  const KernelOptions& options, const Target& target)
        : b(builder), loc(loc), program_(program), options_(options),
          lanes_(builder, loc, lane_count(program, target)), shape_(shape_of(program)), where_(program),
          inner_(where_.inner) {
        scratch_.slot.assign(program.values.size(), -1);
        if (options.row_scratch) scratch_ = find_row_scratch(program, where_);
        known_.assign(program.values.size(), false);
    }

    mlir::func::FuncOp emit(const std::string& name) {
        auto pointer = LLVM::LLVMPointerType::get(b.getContext());
        auto type = b.getFunctionType({pointer, b.getI64Type(), b.getI64Type()}, {});
        auto function = mlir::func::FuncOp::create(b, loc, name, type);
        mlir::OpBuilder::InsertionGuard guard(b);
        mlir::Block* entry = function.addEntryBlock();
        b.setInsertionPointToStart(entry);
        read_arguments(entry->getArgument(0));
        memo_.assign(program_.values.size(), {});
        offsets_.assign(operand_count(), lanes_.index(0));
        emit_values(KernelAnalysis::level_kernel, 0);
        loop(entry->getArgument(1), entry->getArgument(2), 1, {}, [&](Value unit, Values) {
            emit_unit(unit);
            return Values();
        });
        mlir::func::ReturnOp::create(b, loc);
        return function;
    }

private:
    //---- analysis

    static int lane_count(const KernelProgram& program, const Target& target) {
        int widest = 4;
        for (const KernelValue& value : program.values)
            if (value.type == Register::f64 || value.type == Register::i64) widest = 8;
        return std::max(target.vector_bytes / widest, 1);
    }

    int operand_count() const { return where_.operand_count(); }
    const KernelOperand& operand(int o) const { return where_.operand(o); }
    StrideClass class_of(int o, int dim) const { return where_.class_of(o, dim); }

    int unroll_of(const std::vector<bool>& needed) const {
        int work = 0;
        for (size_t v = 0; v < needed.size(); ++v)
            if (needed[v] && where_.varying[v]) {
                const KernelValue& value = program_.values[v];
                bool heavy = value.kind == Kind::instruction && value.name.starts_with("math.") && !known_[v];
                work += heavy ? 12 : value.kind == Kind::constant ? 0 : 1;
            }
        return work <= 14 ? 4 : work <= 40 ? 2 : 1;
    }

    //---- arguments

    Value load_field(Value base, int64_t position, mlir::Type type) {
        Value at = LLVM::GEPOp::create(b, loc, base.getType(), type, base,
                                       llvm::ArrayRef<LLVM::GEPArg>{int32_t(position)});
        return LLVM::LoadOp::create(b, loc, type, at);
    }

    void read_arguments(Value arguments) {
        mlir::Type pointer = arguments.getType(), i64 = b.getI64Type();
        Value pointers = load_field(arguments, 0, pointer);
        Value scalars = load_field(arguments, 1, pointer);
        Value numbers = load_field(arguments, 2, pointer);
        row_scratch_ = load_field(arguments, 3, pointer);
        int next = 0;
        for (int dim = 0; dim <= inner_; ++dim) sizes_.push_back(load_field(numbers, next++, i64));
        block_ = load_field(numbers, next++, i64);
        blocks_ = load_field(numbers, next++, i64);
        split_size_ = load_field(numbers, next++, i64);
        scratch_stride_ = load_field(numbers, next++, i64);
        for (int o = 0; o < operand_count(); ++o) {
            pointers_.push_back(load_field(pointers, o, pointer));
            Values strides(size_t(inner_) + 1);
            for (int dim = 0; dim <= inner_; ++dim)
                if (class_of(o, dim) == StrideClass::general) strides[dim] = load_field(numbers, next++, i64);
            strides_.push_back(strides);
        }
        for (int s = 0; s < program_.scalar_count; ++s)
            scalars_.push_back(load_field(scalars, s, b.getF64Type()));
    }

    //---- loops

    /// for (i = low; i < high; i += step) carried = body(i, carried); what is memorised inside stays inside.
    template <class F>
    Values loop(Value low, Value high, int64_t step, const Values& carried, F&& body) {
        auto memo = memo_;
        auto offsets = offsets_;
        auto op = scf::ForOp::create(b, loc, low, high, lanes_.index(step), carried);
        {
            mlir::OpBuilder::InsertionGuard guard(b);
            b.setInsertionPointToStart(op.getBody());
            auto inside = op.getRegionIterArgs();
            Values next = body(op.getInductionVar(), Values(inside.begin(), inside.end()));
            if (!carried.empty()) scf::YieldOp::create(b, loc, next);
        }
        memo_ = std::move(memo);
        offsets_ = std::move(offsets);
        return Values(op.getResults().begin(), op.getResults().end());
    }

    /// Moves every operand's offset to index `i` of `dim`.
    void step_offsets(int dim, Value i) {
        for (int o = 0; o < operand_count(); ++o) {
            StrideClass kind = class_of(o, dim);
            if (kind == StrideClass::zero) continue;
            Value way = kind == StrideClass::one ? i : lanes_.mul(i, strides_[o][dim]);
            offsets_[o] = lanes_.add(offsets_[o], way);
        }
    }

    void emit_unit(Value unit) {
        Value rest = unit;
        Value block;
        if (!shape_.lanes_reduced) {
            block = lanes_.rem(rest, blocks_);
            rest = lanes_.div(rest, blocks_);
        }
        std::vector<int> outer;
        for (int dim = 0; dim < inner_; ++dim)
            if (!program_.is_reduced(dim) && !program_.is_serial(dim)) outer.push_back(dim);
        Value split_index;
        for (size_t i = outer.size(); i-- > 0;) {
            Value index = rest;
            if (i > 0) {
                index = lanes_.rem(rest, sizes_[outer[i]]);
                rest = lanes_.div(rest, sizes_[outer[i]]);
            }
            step_offsets(outer[i], index);
            if (outer[i] == 0) split_index = index;
        }
        high_of_split_ = Value();
        if (program_.split >= 0) {
            Value done = lanes_.mul(split_index, sizes_[program_.split]);
            high_of_split_ = lanes_.min(sizes_[program_.split], lanes_.sub(split_size_, done));
        }
        if (program_.serial > 0) {
            clear_accumulators(0);
            emit_rows(1);
        } else if (shape_.lanes_reduced) {
            emit_row();
        } else {
            emit_values(KernelAnalysis::level_unit, 0);
            Value low = lanes_.mul(block, block_);
            emit_chunks(low, lanes_.min(lanes_.add(low, block_), sizes_[inner_]));
        }
    }

    void emit_row() {
        emit_values(KernelAnalysis::level_unit, 0);
        emit_stages();
    }

    /// The rows of a unit, one after another, from dimension `dim` on.
    void emit_rows(int dim) {
        if (dim > program_.serial) return emit_row();
        loop(lanes_.index(0), high_of(dim), 1, {}, [&](Value i, Values) {
            step_offsets(dim, i);
            emit_rows(dim + 1);
            return Values();
        });
    }

    /// The neutral element into all that a unit accumulates in memory.
    void clear_accumulators(size_t at) {
        int dim = where_.reduced_dims[at];
        if (dim == inner_) return over_lanes([&] {
            for (size_t o = 0; o < program_.outputs.size(); ++o)
                if (program_.outputs[o].accumulate) store_neutral(int(o));
        });
        loop(lanes_.index(0), sizes_[dim], 1, {}, [&](Value i, Values) {
            step_offsets(dim, i);
            clear_accumulators(at + 1);
            return Values();
        });
    }

    /// The innermost dimension, a vector at a time.
    template <class F>
    void over_lanes(F&& body) {
        Value low = lanes_.index(0), high = sizes_[inner_];
        Value middle = whole_steps(low, high, lanes_.width());
        copies_ = 1;
        for (bool masked : {false, true}) {
            if (masked && lanes_.width() == 1) break;
            loop(masked ? middle : low, masked ? high : middle, lanes_.width(), {}, [&](Value i, Values) {
                if (masked) set_mask(lanes_.sub(high, i));
                step_offsets(inner_, i);
                body();
                clear_mask();
                return Values();
            });
        }
    }

    Value high_of(int dim) const {
        return dim == program_.split && high_of_split_ ? high_of_split_ : sizes_[dim];
    }

    /// low + the largest multiple of `step` that fits below high.
    Value whole_steps(Value low, Value high, int64_t step) {
        Value count = lanes_.sub(high, low);
        Value mask = lanes_.index(-step);  // steps are powers of two
        return lanes_.add(low, arith::AndIOp::create(b, loc, count, mask));
    }

    /// Lanes that are kept: chunks of `unroll` vectors, then single vectors under a mask.
    void emit_chunks(Value low, Value high) {
        std::vector<bool> all(program_.values.size(), true);
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
            if (masked) set_mask(lanes_.sub(high, i));
            step_offsets(inner_, i);
            emit_values(where_.level_chunk, 0);
            emit_stages();
            clear_mask();
            return Values();
        });
    }

    //---- stages

    void emit_stages() {
        if (where_.reduced_dims.empty() && where_.last_stage == 0) {
            store_outputs();
            return;
        }
        for (int stage = 0; stage <= where_.last_stage; ++stage) {
            if (stage > 0) {
                emit_values(KernelAnalysis::level_unit, stage);
                if (where_.level_chunk > 0) emit_values(where_.level_chunk, stage);
            }
            stage_ = stage;
            known_ = scratch_.known_at(stage);
            needed_ = where_.needed_by(stage, known_);
            reductions_ = where_.reductions_of(stage);
            full_outputs_ = where_.full_outputs_of(stage);
            if (reductions_.empty() && full_outputs_.empty()) continue;
            if (shape_.lanes_reduced) copies_ = unroll_of(needed_);
            Values carried = neutral_elements();
            auto memo = memo_;
            auto offsets = offsets_;
            Values done = emit_reduced_loops(0, carried);
            memo_ = std::move(memo);
            offsets_ = std::move(offsets);
            memorise_reductions(done);
        }
        store_outputs();
    }

    Value neutral_of(int reduction) {
        const KernelValue& value = program_.values[reduction];
        mlir::Type type = lanes_.scalar_type(value.type);
        if (lanes_.width() > 1) type = lanes_.vector_of(type);
        return lanes_.neutral(value.combine, type);
    }

    void memorise_reductions(const Values& done) {
        for (size_t i = 0; i < reductions_.size(); ++i) {
            int r = reductions_[i];
            Combine how = program_.values[r].combine;
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
        if (at == where_.reduced_dims.size()) return emit_body(carried);
        int dim = where_.reduced_dims[at];
        int level = where_.level_first_reduced + int(at);
        if (dim == inner_) return emit_lane_loops(carried);
        auto step = [&](Value i, const Values& inside) {
            step_offsets(dim, i);
            if (level < where_.level_last) emit_values(level, where_.last_stage, &needed_);
            return emit_reduced_loops(at + 1, inside);
        };
        int chained = shape_.lanes_reduced ? where_.level_last - 1 : where_.level_last;
        if (level == chained) return loop_in_chains(lanes_.index(0), high_of(dim), 1, carried, step);
        return loop(lanes_.index(0), high_of(dim), 1, carried, step);
    }

    /// As loop(), for reductions: a long sum that is one chain of additions loses digits, a sum of short sums
    /// does not.
    template <class F>
    Values loop_in_chains(Value low, Value high, int64_t step, const Values& carried, F&& body) {
        if (carried.empty()) return loop(low, high, step, carried, body);
        int64_t chain = chain_length * step;
        return loop(low, high, chain, carried, [&](Value begin, const Values& outside) {
            Value end = lanes_.min(high, lanes_.add(begin, lanes_.index(chain)));
            Values sums = loop(begin, end, step, neutral_elements(), body);
            for (size_t i = 0; i < sums.size(); ++i) {
                Combine how = program_.values[reductions_[i / size_t(copies_)]].combine;
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
            step_offsets(inner_, i);
            lane_ = i;
            return emit_body(inside);
        };
        carried = loop_in_chains(low, middle, int64_t(copies) * width, carried, step);
        Values first;
        for (size_t i = 0; i < reductions_.size(); ++i) first.push_back(carried[i * copies]);
        copies_ = 1;
        first = loop(middle, high, width, first, [&](Value i, const Values& inside) {
            if (width > 1) set_mask(lanes_.sub(high, i));
            Values next = step(i, inside);
            clear_mask();
            return next;
        });
        copies_ = copies;
        for (size_t i = 0; i < reductions_.size(); ++i) carried[i * copies] = first[i];
        return carried;
    }

    /// One step of the innermost loop: values, accumulations, full outputs.
    Values emit_body(const Values& carried) {
        emit_values(where_.level_last, where_.last_stage, &needed_);
        Values next;
        for (size_t i = 0; i < reductions_.size(); ++i) {
            const KernelValue& value = program_.values[reductions_[i]];
            for (int c = 0; c < copies_; ++c) {
                Value x = in_lanes(value.args[0], c);
                if (mask_ && shape_.lanes_reduced)
                    x = lanes_.select(mask_, x, lanes_.neutral(value.combine, x.getType()));
                next.push_back(lanes_.combine(value.combine, carried[i * size_t(copies_) + size_t(c)], x));
            }
        }
        for (int o : full_outputs_) store_output(o);
        return next;
    }

    //---- values

    /// Emits what is due at `level` and not yet there, up to results of `stage` reductions.
    void emit_values(int level, int stage, const std::vector<bool>* needed = nullptr) {
        for (size_t v = 0; v < program_.values.size(); ++v) {
            if (memo_[v] || where_.level[v] != level || where_.stage[v] > stage) continue;
            if (program_.values[v].kind == Kind::reduction) continue;
            if (needed && !(*needed)[v]) continue;
            if (!where_.varying[v]) {
                memorise_uniform(int(v), emit_value(int(v), -1));
                continue;
            }
            for (int c = 0; c < copies_; ++c)
                memo_[v].copies.push_back(known_[v] ? load_from_row(int(v), c) : emit_value(int(v), c));
            if (scratch_.slot[v] >= 0 && scratch_.from[v] == stage_)
                for (int c = 0; c < copies_; ++c) store_to_row(int(v), c);
        }
    }

    void memorise_uniform(int v, Value scalar) {
        memo_[v].uniform = scalar;
        // Spread once here, outside the loops over lanes, not at every use inside.
        if (where_.used_by_lanes[v] && lanes_.width() > 1) memo_[v].copies.push_back(lanes_.splat(scalar));
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
        const KernelValue& value = program_.values[v];
        Values args;
        for (int arg : value.args) args.push_back(c < 0 ? memo_[arg].uniform : in_lanes(arg, c));
        switch (value.kind) {
            case Kind::load: return load(value.operand, value.type, c);
            case Kind::scalar:
                return lanes_.convert(scalars_[size_t(value.operand)], Register::f64, value.type);
            case Kind::constant: {
                mlir::Type type = lanes_.scalar_type(value.type);
                bool whole = value.type == Register::i64 || value.type == Register::truth;
                return whole ? lanes_.integer(type, value.integer) : lanes_.constant(type, value.number);
            }
            case Kind::convert:
                return lanes_.convert(args[0], program_.values[value.args[0]].type, value.type);
            case Kind::round:
                return lanes_.from_storage(lanes_.to_storage(args[0], value.type, value.dtype), value.dtype,
                                           value.type);
            default: return instruction(value, args);
        }
    }

    Value instruction(const KernelValue& value, const Values& args) {
        llvm::StringRef name = value.name;
        if (name == "arith.maximumf" || name == "arith.minimumf")
            return lanes_.float_extreme(args[0], args[1], name == "arith.maximumf");
        if (name == "arith.divsi" || name == "arith.remsi")
            return lanes_.safe_divide(args[0], args[1], name == "arith.remsi");
        if (auto expanded = expand_math(lanes_, name, args)) return *expanded;
        if (auto called = call_math_library(lanes_, name, args)) return *called;

        mlir::Type type = lanes_.scalar_type(value.type);
        for (Value arg : args)
            if (mlir::isa<mlir::VectorType>(arg.getType())) type = lanes_.vector_of(lanes_.scalar_type(value.type));
        mlir::OperationState state(loc, name);
        state.addOperands(args);
        state.addTypes(type);
        auto attributes = mlir::DictionaryAttr::getFromOpaquePointer(value.attributes);
        if (attributes) state.addAttributes(attributes.getValue());
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

    //---- memory

    void set_mask(Value remaining) {
        remaining_ = remaining;
        llvm::SmallVector<int32_t> counting;
        for (int i = 0; i < lanes_.width(); ++i) counting.push_back(i);
        auto type = lanes_.vector_of(b.getI32Type());
        Value lane = arith::ConstantOp::create(
            b, loc, mlir::DenseElementsAttr::get(type, llvm::ArrayRef<int32_t>(counting)));
        Value limit = arith::TruncIOp::create(
            b, loc, b.getI32Type(), lanes_.min(remaining, lanes_.index(lanes_.width())));
        mask_ = lanes_.compare(arith::CmpIPredicate::slt, lane, lanes_.splat(limit));
    }
    void clear_mask() { mask_ = remaining_ = Value(); }

    Value address(int o, Value offset, mlir::Type element) {
        return LLVM::GEPOp::create(b, loc, pointers_[size_t(o)].getType(), element, pointers_[size_t(o)],
                                   llvm::ArrayRef<LLVM::GEPArg>{offset});
    }
    Value offset_of_copy(int o, int c) {
        if (c <= 0) return offsets_[size_t(o)];
        return lanes_.add(offsets_[size_t(o)], lanes_.index(int64_t(c) * lanes_.width()));
    }

    Value load(int o, Register type, int c) {
        Dtype dtype = operand(o).dtype;
        mlir::Type element = lanes_.storage_type(dtype);
        unsigned alignment = unsigned(size_of(dtype));
        StrideClass kind = class_of(o, inner_);
        Value stored;
        if (c < 0 || lanes_.width() == 1) {
            Value offset = offsets_[size_t(o)];
            if (c > 0) {
                Value stride = kind == StrideClass::one ? lanes_.index(1) : strides_[size_t(o)][size_t(inner_)];
                offset = lanes_.add(offset, lanes_.mul(lanes_.index(c), stride));
            }
            stored = LLVM::LoadOp::create(b, loc, element, address(o, offset, element), alignment);
        } else if (kind == StrideClass::one) {
            stored = load_lanes(address(o, offset_of_copy(o, c), element), element, alignment);
        } else {
            stored = gather(o, element, c, alignment);
        }
        return lanes_.from_storage(stored, dtype, type);
    }

    Value gather(int o, mlir::Type element, int c, unsigned alignment) {
        Value vector = lanes_.constant(lanes_.vector_of(element), 0);
        Value stride = strides_[size_t(o)][size_t(inner_)];
        Value last = mask_ ? lanes_.sub(remaining_, lanes_.index(1)) : Value();
        for (int lane = 0; lane < lanes_.width(); ++lane) {
            Value i = lanes_.index(int64_t(c) * lanes_.width() + lane);
            // Lanes past the end read the last element again: in bounds, and nobody looks.
            if (last) i = lanes_.min(i, last);
            Value offset = lanes_.add(offsets_[size_t(o)], lanes_.mul(i, stride));
            Value one = LLVM::LoadOp::create(b, loc, element, address(o, offset, element), alignment);
            vector = lanes_.insert(one, vector, lane);
        }
        return vector;
    }

    /// Where the current lanes of a value lie in the row's scratch.
    Value row_address(int v, int c, mlir::Type element) {
        Value bytes = lanes_.mul(lanes_.index(scratch_.slot[size_t(v)]), scratch_stride_);
        Value row = LLVM::GEPOp::create(b, loc, row_scratch_.getType(), b.getI8Type(), row_scratch_,
                                        llvm::ArrayRef<LLVM::GEPArg>{bytes});
        Value at = c <= 0 ? lane_ : lanes_.add(lane_, lanes_.index(int64_t(c) * lanes_.width()));
        return LLVM::GEPOp::create(b, loc, row.getType(), element, row, llvm::ArrayRef<LLVM::GEPArg>{at});
    }
    // Rows of the scratch are as long as whole vectors: no mask.
    Value load_from_row(int v, int c) {
        mlir::Type element = lanes_.scalar_type(program_.values[size_t(v)].type);
        mlir::Type type = lanes_.width() > 1 ? mlir::Type(lanes_.vector_of(element)) : element;
        return LLVM::LoadOp::create(b, loc, type, row_address(v, c, element), alignment_of(element));
    }
    void store_to_row(int v, int c) {
        mlir::Type element = lanes_.scalar_type(program_.values[size_t(v)].type);
        LLVM::StoreOp::create(b, loc, in_lanes(v, c), row_address(v, c, element), alignment_of(element));
    }
    static unsigned alignment_of(mlir::Type element) { return element.getIntOrFloatBitWidth() / 8; }

    /// The outputs that do not vary along reduced dimensions.
    void store_outputs() {
        for (size_t o = 0; o < program_.outputs.size(); ++o)
            if (!where_.is_full_output(int(o))) store_output(int(o));
    }

    void store_output(int output) {
        int o = int(program_.inputs.size()) + output;
        int v = program_.outputs[size_t(output)].value;
        Dtype dtype = operand(o).dtype;
        Register from = program_.values[size_t(v)].type;
        mlir::Type element = lanes_.storage_type(dtype);
        unsigned alignment = unsigned(size_of(dtype));
        if (class_of(o, inner_) == StrideClass::zero) {
            Value scalar = memo_[size_t(v)].uniform;
            if (!scalar) {  // all lanes hold the same
                scalar = memo_[size_t(v)].copies[0];
                if (lanes_.width() > 1) scalar = lanes_.extract(scalar, 0);
            }
            LLVM::StoreOp::create(b, loc, lanes_.to_storage(scalar, from, dtype),
                                  address(o, offsets_[size_t(o)], element), alignment);
            return;
        }
        CATENA_ASSERT(class_of(o, inner_) == StrideClass::one, "a kernel's output is not contiguous");
        const std::optional<Combine>& accumulate = program_.outputs[size_t(output)].accumulate;
        for (int c = 0; c < copies_; ++c) {
            Value at = address(o, offset_of_copy(o, c), element);
            Value value = in_lanes(v, c);
            if (accumulate) {
                Value before = lanes_.from_storage(load_lanes(at, element, alignment), dtype, from);
                value = lanes_.combine(*accumulate, before, value);
            }
            store_lanes(at, lanes_.to_storage(value, from, dtype), dtype, !accumulate);
        }
    }

    void store_neutral(int output) {
        const KernelProgram::Output& to = program_.outputs[size_t(output)];
        Register type = program_.values[size_t(to.value)].type;
        mlir::Type scalar = lanes_.scalar_type(type);
        mlir::Type lanes = lanes_.width() > 1 ? mlir::Type(lanes_.vector_of(scalar)) : scalar;
        int o = int(program_.inputs.size()) + output;
        Value neutral = lanes_.to_storage(lanes_.neutral(*to.accumulate, lanes), type, to.to.dtype);
        store_lanes(address(o, offsets_[size_t(o)], lanes_.storage_type(to.to.dtype)), neutral, to.to.dtype, false);
    }

    /// One vector of contiguous memory, under the mask where there is one.
    Value load_lanes(Value at, mlir::Type element, unsigned alignment) {
        if (lanes_.width() == 1) return LLVM::LoadOp::create(b, loc, element, at, alignment);
        mlir::VectorType vector = lanes_.vector_of(element);
        if (!mask_) return LLVM::LoadOp::create(b, loc, vector, at, alignment);
        return LLVM::MaskedLoadOp::create(b, loc, vector, at, mask_, lanes_.constant(vector, 0), alignment);
    }
    void store_lanes(Value at, Value stored, Dtype dtype, bool may_stream) {
        unsigned alignment = unsigned(size_of(dtype));
        if (mask_)
            LLVM::MaskedStoreOp::create(b, loc, stored, at, mask_, alignment);
        else if (may_stream && options_.streaming && lanes_.width() > 1)
            LLVM::StoreOp::create(b, loc, stored, at, alignment * unsigned(lanes_.width()), /*isVolatile=*/false,
                                  /*isNonTemporal=*/true);
        else
            LLVM::StoreOp::create(b, loc, stored, at, alignment);
    }

    mlir::OpBuilder& b;
    mlir::Location loc;
    const KernelProgram& program_;
    KernelOptions options_;
    Lanes lanes_;
    KernelShape shape_;
    KernelAnalysis where_;
    RowScratch scratch_;
    int inner_;

    Values sizes_, pointers_, scalars_;
    llvm::SmallVector<Values, 8> strides_;
    Value block_, blocks_, split_size_, high_of_split_;
    Value row_scratch_, scratch_stride_;

    // Where emission stands.
    std::vector<Emitted> memo_;
    std::vector<Value> offsets_;
    int copies_ = 1;
    Value mask_, remaining_, lane_;
    int stage_ = 0;
    std::vector<bool> needed_, known_;
    std::vector<int> reductions_, full_outputs_;
};

}  // namespace

mlir::func::FuncOp emit_kernel(mlir::OpBuilder& builder, mlir::Location loc, const std::string& name,
                               const KernelProgram& program, const KernelOptions& options,
                               const Target& target) {
    return KernelEmitter(builder, loc, program, options, target).emit(name);
}

}  // namespace catena::codegen
