#include "frontend/optimizer/sweep.h"

#include <algorithm>

#include "frontend/optimizer/by_device.h"
#include "runtime/core/array/device.h"
#include "runtime/core/memory/reused_vector.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/core/parallel/share.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/per_thread.h"
#include "runtime/cpu/blocks/map_kernel.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/op/hooks.h"
#include "runtime/graph/op/registered_together.h"
#include "runtime/ops/define/register_map.h"

namespace catena {
namespace {

constexpr int64_t chunk_elements =
    16384;  // A row of Adam then takes 448 KiB at most: it fits the L2 cache.

constinit PerThread<SweepStatistics> statistics;

Array flat(const Array& array, int64_t begin, int64_t end) {
    return array.view({end - begin}, {1}, array.body()->offset + begin);
}

class SweepKernel {
public:
    SweepKernel(const OpDef& map, const SweepRule& rule, const KernelCall& call)
        : map_(map), rule_(rule), call_(call) {}

    void run() {
        std::vector<Work> rows;
        int64_t chunks = 0;
        for (int row = 0; row < row_count(); ++row) {
            rows.push_back(work_of(row));
            chunks += rows.back().units;
        }
        const std::vector<ThreadWork> threads = share_work(
            rows, double(chunk_elements), int(std::min<int64_t>(thread_count(), chunks)));
        parallel_for(int64_t(threads.size()), 1, [&](int64_t begin, int64_t end) {
            for (int64_t t = begin; t < end; ++t)
                for (const WorkPart& part : threads[size_t(t)].parts)
                    for (int64_t chunk = part.units.begin; chunk < part.units.end; ++chunk)
                        run(part.work, chunk);
        });
    }

private:
    int outputs() const { return int(rule_.targets.size()); }
    const Array& value(int row, int i) const {
        return call_.inputs[rule_.shared + row * rule_.values + i];
    }
    Array& result(int row, int i) const { return call_.outputs[row * outputs() + i]; }

    bool dense(int row) const {
        for (int i = 0; i < rule_.values; ++i)
            if (!value(row, i).contiguous()) return false;
        return true;
    }

    int row_count() const { return int(call_.inputs.size() - rule_.shared) / rule_.values; }

    /// The work of a parameter, which is divided into chunks; one in other strides is a single
    /// chunk.
    Work work_of(int row) const {
        const int64_t size = value(row, 0).size(),
                      chunks = dense(row) ? (size + chunk_elements - 1) / chunk_elements : 1;
        return {.units = chunks, .unit_cost = double(size) / double(std::max<int64_t>(chunks, 1))};
    }

    void run(int row, int64_t chunk) const {
        SmallVector<Array, 8> inputs;
        SmallVector<Array, 4> results;
        const bool is_whole = !dense(row);
        const int64_t begin = chunk * chunk_elements,
                      end = std::min(begin + chunk_elements, value(row, 0).size());
        auto part = [&](const Array& a) { return is_whole ? a : flat(a, begin, end); };
        for (int i = 0; i < rule_.values; ++i) inputs.push_back(part(value(row, i)));
        for (int i = 0; i < rule_.shared; ++i) inputs.push_back(call_.inputs[i]);
        for (int i = 0; i < outputs(); ++i) results.push_back(part(result(row, i)));
        run_map(KernelCall{map_, inputs, results, call_.attributes, call_.scalars});
    }

    const OpDef& map_;
    const SweepRule& rule_;
    const KernelCall& call_;
};

Types map_types(const SweepRule& rule, const TypeCall& call) {
    Types types;
    for (int target : rule.targets) types.push_back(call.inputs[target]);
    return types;
}

const OpDef& define_map(const std::string& name, const SweepRule& rule) {
    OpDef op;
    op.name = name;
    op.kind = Kind::map;
    op.input_count = rule.values + rule.shared;
    op.output_count = int(rule.targets.size());
    op.scalar_names = rule.scalars;
    op.formula = rule.formula;
    op.type = [rule](const TypeCall& call) { return map_types(rule, call); };
    return register_map(std::move(op));
}

Types all_types(const SweepRule& rule, const TypeCall& call) {
    Types types;
    for (size_t first = rule.shared; first < call.inputs.size(); first += rule.values)
        for (int target : rule.targets) types.push_back(call.inputs[first + target]);
    return types;
}

Variables sweep_body(const OpDef& map, const SweepRule& rule, std::span<const Variable> inputs,
                     std::span<const Scalar> scalars) {
    Variables results;
    for (size_t first = rule.shared; first < inputs.size(); first += rule.values) {
        SmallVector<const Variable*, 8> row;
        for (int i = 0; i < rule.values; ++i) row.push_back(&inputs[first + i]);
        for (int i = 0; i < rule.shared; ++i) row.push_back(&inputs[i]);
        Variables values = apply(map, row, known_location(), {}, scalars);
        results.append(values.begin(), values.end());
    }
    return results;
}

const OpDef& define_all(const std::string& name, const OpDef& map, const SweepRule& rule) {
    OpDef op;
    op.name = name;
    op.kind = Kind::call;
    op.input_count = -1;
    op.output_count = -1;
    op.scalar_names = rule.scalars;
    op.type = [rule](const TypeCall& call) { return all_types(rule, call); };
    op.kernel = [rule, &map](const KernelCall& call) { SweepKernel(map, rule, call).run(); };
    op.body = [rule, &map](std::span<const Variable> inputs, const Attributes&,
                           std::span<const Scalar> scalars) {
        return sweep_body(map, rule, inputs, scalars);
    };
    return register_op(std::move(op));
}

/// True when nothing else sees the elements: nothing references them but `variable`, and this is a
/// state, which is to change, or a gradient that only its owner holds, beside the row. Gradients
/// may have other owners: the user, or another parameter (Variable::addgrad).
bool owned_alone(const Variable& variable) {
    const ArrayBody& sweep_body = *variable.array().body();
    const VariableBody* holder = variable.body();
    const Storage& storage = *sweep_body.storage;
    const uint32_t holders = storage.holders;  // Of a state: they want to see the update.
    const bool is_alone = holders > 0
                              ? sweep_body.owner == holder && storage.use_count() == 1 + holders
                              : storage.may_be_taken(1);
    return sweep_body.use_count() == 1 && is_alone && !storage.is_read_only &&
           sweep_body.contiguous && sweep_body.storage->device->is_host() &&
           (sweep_body.owner == holder || holder->use_count() <= 2);
}

/// The kernel walks over all values of a row by the size of one.
void check_shapes(const std::string& name, std::span<const Variables> rows) {
    for (const Variables& row : rows)
        for (const Variable& value : row)
            if (value.shape() != row[0].shape())
                fail<ShapeError>(
                    "{}: the values of a row have the shapes {} and {}; they should have one", name,
                    to_string(row[0].shape()), to_string(value.shape()));
}

}  // namespace

const SweepStatistics& sweep_statistics() { return statistics.get(); }

Sweep::Sweep(std::string name, SweepRule rule) : rule_(std::move(rule)) {
    RegisteredTogether ops;
    map_ = &ops.add(define_map(name, rule_));
    all_ = &ops.add(define_all(name + "_all", *map_, rule_));
    ops.keep();
}

void Sweep::run(std::span<const Variables> rows, std::span<const Variable> shared,
                std::span<const Scalar> scalars, std::vector<Variables>& results) const {
    results.resize(rows.size());
    check_shapes(map_->name, rows);
    ReusedVector<const Variables*> all;
    for (const Variables& row : rows) all.push_back(&row);
    for_each_device(
        std::span<const Variables* const>(all),
        [](const Variables* row) -> Device& { return (*row)[0].device(); },
        [&](std::span<const Variables* const> some, Device& device) {
            ReusedVector<Variable> there, values;
            for (const Variable& s : shared) there.push_back(beside(s, device));
            ReusedVector<const Variable*> inputs;
            for (const Variable& s : there) inputs.push_back(&s);
            for (const Variables* row : some)
                for (const Variable& value : *row) inputs.push_back(&value);
            run_together(some, inputs, scalars, values);
            size_t next = 0;
            for (const Variables* row : some)
                for (size_t i = 0; i < rule_.targets.size(); ++i)
                    results[size_t(row - rows.data())].push_back(std::move(values[next++]));
        });
}

void Sweep::run_together(std::span<const Variables* const> rows,
                         std::span<const Variable* const> inputs, std::span<const Scalar> scalars,
                         std::vector<Variable>& values) const {
    if (current_recorder() || !std::ranges::all_of(inputs, [](const Variable* input) {
            return input->device().is_host();
        })) {
        for (Variable& value : apply(*all_, inputs, known_location(), {}, scalars))
            values.push_back(std::move(value));
        return;
    }

    const SmallVector<FunctionHook*, 2> hooks(
        function_hooks());  // They see the launch as they would see apply().
    for (FunctionHook* hook : hooks) hook->forward_preprocess(*all_, inputs);
    ReusedVector<Array> outputs, arrays;
    for (const Variables* row : rows)
        for (int target : rule_.targets) {
            const Variable& old = (*row)[target];
            const bool in_place = owned_alone(old);
            (in_place ? statistics.get().in_place : statistics.get().fresh) += 1;
            outputs.push_back(in_place ? old.array() : Array::empty(old.type(), old.device()));
        }
    for (const Variable* input : inputs) arrays.push_back(input->array());
    SmallVector<double, 4> numbers;
    for (const Scalar& s : scalars) numbers.push_back(s.value());
    cpu_device().launch(KernelCall{*all_, arrays, outputs, {}, numbers});
    statistics.get().launches += 1;
    statistics.get().parameters += int64_t(rows.size());

    for (Array& output : outputs) values.emplace_back(std::move(output), false);
    for (FunctionHook* hook : hooks) hook->forward_postprocess(*all_, inputs);
}

}  // namespace catena
