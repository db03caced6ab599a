#include "frontend/optimizer/rules/update_rule.h"

#include "runtime/core/memory/reused_vector.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/define/register_map.h"

namespace catena {
namespace {

using Slots = std::vector<UpdateSlot*>;

SmallVector<Scalar, 6> numbers_of(const UpdateGroup& group, std::span<const Cell> cells) {
    SmallVector<Scalar, 6> numbers;
    for (const Cell& cell : cells) numbers.push_back(group.number(cell));
    return numbers;
}

void sweep_slots(const Sweep& sweep, const Slots& slots, std::span<const Variable> shared,
                 std::span<const Scalar> scalars) {
    ReusedVector<Variables> rows, results;
    for (UpdateSlot* slot : slots) {
        Variables& row = rows.emplace_back();
        row.push_back(slot->param);
        row.push_back(slot->param.grad_variable());
        for (const State& moment : slot->moments) row.push_back(moment);
    }
    sweep.run(rows, shared, scalars, results);
    for (size_t k = 0; k < slots.size(); ++k) {
        auto store = [&](const Variable& state, const Variable& value) {
            if (!(state.array() == value.array()))
                assign(state, value);  // Equal: changed in place.
        };
        store(slots[k]->param, results[k][0]);
        for (size_t i = 0; i < slots[k]->moments.size(); ++i)
            store(slots[k]->moments[i], results[k][i + 1]);
    }
}

}  // namespace

void sweep_parameters(const Sweep& sweep, const UpdateGroup& group, std::span<const Cell> scalars,
                      std::span<const Variable> shared) {
    const SmallVector<Scalar, 6> numbers = numbers_of(group, scalars);
    if (shared.empty()) return sweep_slots(sweep, group.slots, {}, numbers);
    // A float64 number would make a float32 parameter's update be computed in float64.
    ReusedVector<UpdateSlot*> left, alike;
    left.assign(group.slots.begin(), group.slots.end());
    while (!left.empty()) {
        const Dtype dtype = compute_dtype(left[0]->param.dtype());
        alike.clear();
        std::erase_if(left, [&](UpdateSlot* slot) {
            const bool is_alike = compute_dtype(slot->param.dtype()) == dtype;
            if (is_alike) alike.push_back(slot);
            return is_alike;
        });
        SmallVector<Variable, 4> cast_shared;
        for (const Variable& number : shared) cast_shared.push_back(cast(number, dtype));
        sweep_slots(sweep, alike, cast_shared, numbers);
    }
}

const OpDef& define_step_numbers(std::string name, std::vector<std::string> scalars, int outputs,
                                 Formula formula) {
    OpDef op;
    op.name = std::move(name);
    op.kind = Kind::map;
    op.output_count = outputs;
    op.scalar_names = std::move(scalars);
    op.formula = std::move(formula);
    op.type = [outputs](const TypeCall& call) {
        Types types;
        for (int i = 0; i < outputs; ++i) types.push_back({Dtype::float64, call.inputs[0].shape});
        return types;
    };
    return register_map(std::move(op));
}

Variables step_numbers(const OpDef& map, const UpdateGroup& group, std::span<const Cell> scalars) {
    const Variable t = cast(group.t, Dtype::float64);
    const Variable* inputs[] = {&t};
    return apply(map, inputs, known_location(), {}, numbers_of(group, scalars));
}

void check_eps(const Optimizer& optimizer, const UpdateGroup& group, const Cell& of_optimizer) {
    const double eps = group.number(of_optimizer);
    if (eps == 0 || float(eps) != 0) return;
    for (const UpdateSlot* slot : group.slots)
        if (const Dtype dtype = compute_dtype(slot->param.dtype()); dtype != Dtype::float64)
            fail<ValueError>("{}: {} {} is 0 in {}, in which {} is computed; use at least 1e-45",
                             optimizer.type_name(), of_optimizer.name(), eps, name_of(dtype),
                             slot->path);
}

}  // namespace catena
