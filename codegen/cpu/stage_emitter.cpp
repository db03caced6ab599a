#include "codegen/cpu/stage_emitter.h"

namespace catena::codegen::cpu {

using mlir::Value;

namespace {

/// Maximum number of successive additions to one accumulator.
constexpr int64_t chain_length = 64;

}  // namespace

void StageEmitter::emit() {
    const Dependence& dependence = e.nest.dependence();
    const bool plain = e.nest.reduced_dims.empty() && dependence.last_stage() == 0;
    for (int stage = 0; stage <= dependence.last_stage() && !plain; ++stage) {
        if (stage > 0) {
            e.values.emit(LoopNest::level_unit, stage);
            if (e.nest.level_chunk > 0) e.values.emit(e.nest.level_chunk, stage);
        }
        e.values.begin_stage(stage);
        stage_ = stage;
        needed_ = dependence.needed_by(stage, e.values.known());
        reductions_ = dependence.reductions_of(stage);
        full_outputs_ = dependence.full_outputs_of(stage);
        if (has_loops(stage)) emit_stage();
    }
    e.values.store_outputs();
}

/// Finds the inputs that are new to each stage: later stages find in a cache what earlier ones have
/// read.
void StageEmitter::find_new_inputs() {
    new_inputs_.assign(e.kernel.inputs.size(), false);
    read_.resize(e.kernel.inputs.size(), false);
    for (size_t v = 0; v < needed_.size(); ++v) {
        const KernelValue& value = e.kernel.values[v];
        if (!needed_[v] || value.kind != KernelValue::Kind::load || read_[size_t(value.operand)])
            continue;
        new_inputs_[size_t(value.operand)] = read_[size_t(value.operand)] = true;
    }
}

void StageEmitter::emit_stage() {
    find_new_inputs();
    if (e.nest.lanes_reduced) e.values.set_copies(e.values.unroll_of(needed_));
    const Values carried = neutral_elements();
    Values done;
    {
        const KernelValues::Scope scope(e.values);
        done = emit_reduced_loops(0, carried);
    }
    set_reductions(done);
}

Values StageEmitter::neutral_elements() {
    Values neutral;
    for (size_t r = 0; r < reductions_.size(); ++r) {
        mlir::Type type = e.lanes.scalar_type(value_of(r).type);
        if (e.lanes.width() > 1) type = e.lanes.vector_of(type);
        for (int c = 0; c < e.values.copies(); ++c)
            neutral.push_back(e.lanes.neutral(value_of(r).combine, type));
    }
    return neutral;
}

void StageEmitter::set_reductions(const Values& done) {
    const int copies = e.values.copies();
    for (size_t i = 0; i < reductions_.size(); ++i) {
        const Combine how = value_of(i).combine;
        Values parts(done.begin() + long(i) * copies, done.begin() + long(i + 1) * copies);
        if (!e.nest.lanes_reduced) {
            e.values.set_copies_of(reductions_[i], std::move(parts));
            continue;
        }
        for (size_t step = 1; step < parts.size(); step *= 2)
            for (size_t at = 0; at + step < parts.size(); at += 2 * step)
                parts[at] = e.lanes.combine(how, parts[at], parts[at + step]);
        e.values.set_uniform(reductions_[i],
                             e.lanes.width() > 1 ? e.lanes.combine_lanes(how, parts[0]) : parts[0]);
    }
}

Values StageEmitter::emit_reduced_loops(size_t at, const Values& carried) {
    const LoopNest& nest = e.nest;
    if (at == nest.reduced_dims.size()) return emit_body(carried);
    const int dim = nest.reduced_dims[at], level = nest.level_first_reduced + int(at);
    if (dim == e.kernel.inner()) return emit_lane_loops(carried);
    auto step = [&](Value i, const Values& inside) {
        e.memory.step(dim, i);
        if (level < nest.level_last) e.values.emit(level, nest.dependence().last_stage(), &needed_);
        return emit_reduced_loops(at + 1, inside);
    };
    const int chained = nest.lanes_reduced ? nest.level_last - 1 : nest.level_last;
    if (level == chained) return loop_in_chains(e.lanes.index(0), e.high_of(dim), 1, carried, step);
    return e.loop(e.lanes.index(0), e.high_of(dim), 1, carried, step);
}

/// A loop as Emission::loop makes it, for reductions: long sums are split into partial sums, for
/// accuracy.
template <class F>
Values StageEmitter::loop_in_chains(Value low, Value high, int64_t step, const Values& carried,
                                    F&& body) {
    if (carried.empty()) return e.loop(low, high, step, carried, body);
    const int64_t chain = chain_length * step;
    return e.loop(low, high, chain, carried, [&](Value begin, const Values& outside) {
        Value end = e.lanes.min(high, e.lanes.add(begin, e.lanes.index(chain)));
        Values sums = loop_side_by_side(begin, end, step, body);
        for (size_t i = 0; i < sums.size(); ++i)
            sums[i] = e.lanes.combine(value_of(i / size_t(e.values.copies())).combine, outside[i],
                                      sums[i]);
        return sums;
    });
}

/// A loop over rows whose values fill few vectors would wait for each addition: several rows at a
/// time, with sums of their own.
template <class F>
Values StageEmitter::loop_side_by_side(Value low, Value high, int64_t step, F&& body) {
    const int rows = e.nest.lanes_reduced ? 1 : e.values.unroll_of(needed_) / e.values.copies();
    if (rows <= 1) return e.loop(low, high, step, neutral_elements(), body);
    const size_t sums = reductions_.size() * size_t(e.values.copies());
    Values carried;
    for (int row = 0; row < rows; ++row) carried.append(neutral_elements());
    const Value middle = e.whole_steps(low, high, rows * step);
    carried = e.loop(low, middle, rows * step, carried, [&](Value i, const Values& inside) {
        Values next;
        for (int row = 0; row < rows; ++row) {
            const KernelValues::Scope scope(e.values);
            const auto own = inside.begin() + long(row) * long(sums);
            next.append(body(row == 0 ? i : e.lanes.add(i, e.lanes.index(row * step)),
                             Values(own, own + long(sums))));
        }
        return next;
    });
    for (size_t apart = 1; apart < size_t(rows); apart *= 2)
        for (size_t row = 0; row + apart < size_t(rows); row += 2 * apart)
            for (size_t s = 0; s < sums; ++s) {
                const Combine how = value_of(s / size_t(e.values.copies())).combine;
                carried[row * sums + s] = e.lanes.combine(how, carried[row * sums + s],
                                                          carried[(row + apart) * sums + s]);
            }
    return e.loop(middle, high, step, Values(carried.begin(), carried.begin() + long(sums)), body);
}

/// The innermost dimension when it is reduced: unrolled vectors, then single vectors under a mask
/// that add to the first copy.
Values StageEmitter::emit_lane_loops(Values carried) {
    Value low = e.lanes.index(0), high = e.high_of(e.kernel.inner());
    const int copies = e.values.copies(), width = e.lanes.width();
    Value middle = e.whole_steps(low, high, int64_t(copies) * width);
    auto step = [&](Value i, const Values& inside) {
        e.memory.step(e.kernel.inner(), i);
        e.memory.set_lane(i);
        return emit_body(inside);
    };
    carried = loop_in_chains(low, middle, int64_t(copies) * width, carried, step);
    Values first;
    for (size_t i = 0; i < reductions_.size(); ++i) first.push_back(carried[i * size_t(copies)]);
    e.values.set_copies(1);
    first = e.loop(middle, high, width, first, [&](Value i, const Values& inside) {
        if (width > 1) e.memory.set_mask(e.lanes.sub(high, i));
        Values next = step(i, inside);
        e.memory.clear_mask();
        return next;
    });
    e.values.set_copies(copies);
    for (size_t i = 0; i < reductions_.size(); ++i) carried[i * size_t(copies)] = first[i];
    return carried;
}

/// One step of the innermost loop: values, accumulations, full outputs.
Values StageEmitter::emit_body(const Values& carried) {
    e.values.emit(e.nest.level_last, e.nest.dependence().last_stage(), &needed_);
    Values next;
    for (size_t i = 0; i < reductions_.size(); ++i) {
        const Combine how = value_of(i).combine;
        for (int c = 0; c < e.values.copies(); ++c) {
            Value x = e.values.in_lanes(value_of(i).args[0], c);
            if (e.memory.mask() && e.nest.lanes_reduced)
                x = e.lanes.select(e.memory.mask(), x, e.lanes.neutral(how, x.getType()));
            next.push_back(
                e.lanes.combine(how, carried[i * size_t(e.values.copies()) + size_t(c)], x));
        }
    }
    for (int o : full_outputs_) e.values.store_output(o);
    e.fetch_ahead(new_inputs_);
    if (e.options.rows_ahead > 0 && stage_ > 0 && !e.memory.mask()) fetch_rows_ahead();
    return next;
}

/// Fetches rows ahead in the stages that find their row in a cache, so that memory is at work while
/// they compute. One input each, as far as they go: a processor has few requests under way at a
/// time. The first ones, because the last one stores, past the caches if results are large.
void StageEmitter::fetch_rows_ahead() {
    const int inner = e.kernel.inner();
    std::vector<int> stages;
    for (int stage = 1; stage <= e.nest.dependence().last_stage(); ++stage)
        if (has_loops(stage)) stages.push_back(stage);
    size_t next = 0;
    for (size_t i = 0; i < e.kernel.inputs.size(); ++i) {
        const KernelOperand& input = e.kernel.inputs[i];
        if (stride_class(e.kernel, input, inner) != StrideClass::one ||
            input.strides[inner - 1] == 0)
            continue;
        if (stages[next++ % stages.size()] != stage_) continue;
        for (int c = 0; c < e.values.copies(); ++c)
            e.memory.fetch(int(i), inner - 1, e.options.rows_ahead, c);
    }
}

bool StageEmitter::has_loops(int stage) const {
    const Dependence& dependence = e.nest.dependence();
    return !dependence.reductions_of(stage).empty() || !dependence.full_outputs_of(stage).empty();
}

}  // namespace catena::codegen::cpu
