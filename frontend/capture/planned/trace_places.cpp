#include "frontend/capture/planned/trace_places.h"

#include <unordered_map>
#include <utility>

#include "frontend/capture/planned/hashes.h"
#include "runtime/ops/declare/border.h"

namespace catena::capture {

TracePlaces::TracePlaces(const Trace& trace, const std::vector<char>& is_computed)
    : trace_(trace),
      places_(trace.values.size()),
      makers_(trace.values.size(), -1),
      computed_as_(trace.steps.size(), -1),
      visited_(trace.values.size(), 0) {
    for (size_t s = 0; s < trace.steps.size(); ++s)
        for (int v : trace.steps[s].outputs) makers_[size_t(v)] = int(s);
    find_same_steps(
        is_computed);  // The second time it knows which steps have become nothing at all.
    find_same_steps(is_computed);
    for (int v : trace.inputs) {
        const Type& type = trace.values[size_t(v)].type;
        places_[size_t(v)] = {{v, 0, type, contiguous_strides(type.shape)}, true};
    }
    for (size_t s = 0; s < trace.steps.size(); ++s) place(s);
}

/// Finds steps that do the same with the same, of which one is computed.
void TracePlaces::find_same_steps(const std::vector<char>& is_computed) {
    std::vector<int> first_same(trace_.values.size(), -1);  // By value; -1: itself.
    std::vector<int> first(trace_.steps.size());
    std::unordered_map<uint64_t, int> known;
    known.reserve(trace_.steps.size());
    for (size_t s = 0; s < trace_.steps.size(); ++s) {
        const Trace::Step& step = trace_.steps[s];
        if (has_become_nothing(s)) {
            const int same = first_same[size_t(step.inputs[0])];
            first_same[size_t(step.outputs[0])] = same < 0 ? step.inputs[0] : same;
            first[s] = int(s);
            continue;
        }
        uint64_t hash = hash_of_numbers(hash_of_code(step), step.attributes);
        for (int v : step.inputs)
            hash = hash_of(hash, uint64_t(first_same[size_t(v)] < 0 ? v : first_same[size_t(v)]));
        for (int scalar : step.scalars) hash = hash_of(hash, uint64_t(scalar));
        first[s] = known.try_emplace(hash, int(s)).first->second;
        const std::vector<int>& outputs = trace_.steps[size_t(first[s])].outputs;
        for (size_t k = 0; k < step.outputs.size() && first[s] != int(s); ++k)
            first_same[size_t(step.outputs[k])] = outputs[k];
        if (is_computed[s]) {
            computed_as_[s] = int(s);
            if (computed_as_[size_t(first[s])] < 0) computed_as_[size_t(first[s])] = int(s);
        }
    }
    for (size_t s = 0; s < trace_.steps.size(); ++s)
        if (computed_as_[s] < 0) computed_as_[s] = computed_as_[size_t(first[s])];
    knows_computed_ = true;
}

/// Whether it gives its one input, unchanged; false before the steps that are computed are known.
bool TracePlaces::has_become_nothing(size_t s) const {
    const Trace::Step& step = trace_.steps[s];
    if (!knows_computed_ || computed_as_[s] >= 0 || step.inputs.size() != 1 ||
        step.outputs.size() != 1)
        return false;
    const Kind kind = step.op->kind;
    return kind != Kind::transpose && kind != Kind::slice && kind != Kind::broadcast &&
           kind != Kind::reshape &&
           trace_.values[size_t(step.inputs[0])].type ==
               trace_.values[size_t(step.outputs[0])].type;
}

void TracePlaces::place(size_t s) {
    const Trace::Step& step = trace_.steps[s];
    for (size_t k = 0; k < step.outputs.size(); ++k) {
        const int v = step.outputs[k];
        if (computed_as_[s] >= 0) {
            const Type& type = trace_.values[size_t(v)].type;
            places_[size_t(v)] = {{trace_.steps[size_t(computed_as_[s])].outputs[k], 0, type,
                                   contiguous_strides(type.shape)},
                                  true};
        } else if (step.op == &border_op()) {
            places_[size_t(v)] = of(step.inputs[step.inputs.size() - step.outputs.size() + k]);
        } else if (step.inputs.size() == 1) {
            places_[size_t(v)] = viewed(step);
        }
    }
}

/// The place of the result of a step with one input.
TracePlaces::Place TracePlaces::viewed(const Trace::Step& step) const {
    Place place = of(step.inputs[0]);
    const Type& made = trace_.values[size_t(step.outputs[0])].type;
    if (place.value() < 0) return place;
    if (place.is_exact && made.dtype == place.view.type.dtype) {
        const Attributes& attributes = step.attributes;
        switch (step.op->kind) {
            case Kind::transpose:
                return {program::transposed(place.view, attributes.dims("axes")), true};
            case Kind::slice:
                return {program::sliced(place.view, attributes.dims("begin"),
                                        attributes.dims("step"), made.shape),
                        true};
            case Kind::broadcast:
                return {program::broadcast(place.view, made.shape), true};
            case Kind::reshape:
                if (const auto view = program::reshaped(place.view, made.shape))
                    return {*view, true};
                break;
            default:
                if (made.shape == place.view.type.shape)
                    return place;  // It has become nothing at all.
        }
    }
    place.is_exact = false;
    return place;
}

void TracePlaces::find_sources(int value, std::vector<int>& sources) {
    ++search_;
    open_.assign(1, value);
    while (!open_.empty()) {
        const int v = open_.back();
        open_.pop_back();
        if (std::exchange(visited_[size_t(v)], search_) == search_) continue;
        if (of(v).value() >= 0) {
            sources.push_back(of(v).value());
        } else if (const int maker = maker_of(v); maker >= 0) {
            const std::vector<int>& inputs = trace_.steps[size_t(maker)].inputs;
            open_.insert(open_.end(), inputs.rbegin(), inputs.rend());
        }
    }
}

}  // namespace catena::capture
