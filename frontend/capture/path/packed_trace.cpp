#include "frontend/capture/path/packed_trace.h"

#include <algorithm>
#include <span>
#include <unordered_map>

#include "frontend/capture/path/type_hash.h"

namespace catena::capture {
namespace {

/// The place of an equal element of `list`, at whose end it is put if there is none.
template <class T>
int packed_place_of(const T& element, uint64_t hash, std::vector<T>& list,
                    std::unordered_multimap<uint64_t, int>& places) {
    const auto [first, last] = places.equal_range(hash);
    for (auto known = first; known != last; ++known)
        if (list[size_t(known->second)] == element) return known->second;
    list.push_back(element);
    return places.emplace(hash, int(list.size()) - 1)->second;
}

template <class T>
std::vector<T> copied(std::span<const T> list) {
    return {list.begin(), list.end()};  // As long as it is.
}

}  // namespace

PackedTrace::PackedTrace(const Trace& trace)
    : name_(trace.name),
      scalars_(copied(std::span(trace.scalars))),
      inputs_(copied(std::span(trace.inputs))),
      outputs_(copied(std::span(trace.outputs))),
      assigns_(copied(std::span(trace.assigns))) {
    std::unordered_multimap<uint64_t, int> types, calls;
    type_of_value_.reserve(trace.values.size());
    for (size_t v = 0; v < trace.values.size(); ++v) {
        const Trace::Value& value = trace.values[v];
        type_of_value_.push_back(
            packed_place_of(value.type, hash_of({&value.type, 1}), types_, types));
        if (value.role != Trace::Role::computed || !value.name.empty())
            given_.push_back({int(v), value});
    }
    size_t numbers = 0;
    for (const Trace::Step& step : trace.steps)
        numbers += 4 + step.inputs.size() + step.outputs.size() + step.scalars.size();
    steps_.reserve(numbers);
    for (const Trace::Step& step : trace.steps) {
        const RecordedCall call{step.op, step.attributes, step.location, step.function};
        steps_.push_back(packed_place_of(call, call.hash(), calls_, calls));
        for (const std::vector<int>* list : {&step.inputs, &step.outputs, &step.scalars})
            steps_.push_back(int(list->size()));
        for (const std::vector<int>* list : {&step.inputs, &step.outputs, &step.scalars})
            steps_.insert(steps_.end(), list->begin(), list->end());
    }
    types_.shrink_to_fit();
    calls_.shrink_to_fit();
    given_.shrink_to_fit();
}

Trace PackedTrace::unpacked() const {
    Trace trace;
    trace.name = name_;
    trace.values.resize(type_of_value_.size());
    for (size_t v = 0; v < trace.values.size(); ++v)
        trace.values[v].type = types_[size_t(type_of_value_[v])];
    for (const Given& given : given_) trace.values[size_t(given.value)] = given.as;
    for (auto next = steps_.begin(); next != steps_.end();) {
        const RecordedCall& call = calls_[size_t(next[0])];
        Trace::Step& step = trace.steps.emplace_back();
        step.op = call.op;
        step.attributes = call.attributes;
        step.location = call.location;
        step.function = call.function;
        const int counts[] = {next[1], next[2], next[3]};
        next += 4;
        std::vector<int>* const lists[] = {&step.inputs, &step.outputs, &step.scalars};
        for (size_t i = 0; i < 3; ++i) {
            lists[i]->assign(next, next + counts[i]);
            next += counts[i];
        }
    }
    trace.scalars = scalars_;
    trace.inputs = inputs_;
    trace.outputs = outputs_;
    trace.assigns = assigns_;
    return trace;
}

size_t PackedTrace::bytes() const {
    return types_.size() * sizeof(Type) + calls_.size() * sizeof(RecordedCall) +
           given_.size() * sizeof(Given) +
           (type_of_value_.size() + steps_.size() + inputs_.size() + outputs_.size()) *
               sizeof(int) +
           scalars_.size() * sizeof(Trace::ScalarSlot) + assigns_.size() * sizeof(Trace::Assign);
}

}  // namespace catena::capture
