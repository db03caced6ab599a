#include "frontend/capture/graph/record_graph.h"

#include <algorithm>
#include <map>

#include "frontend/capture/call/followed_call.h"
#include "frontend/capture/path/path_trace.h"
#include "runtime/core/array/device.h"
#include "runtime/graph/trace/tracer.h"
#include "runtime/graph/walk/backward.h"

namespace catena::capture {
namespace {

/// During its lifetime the scalars of a region's nodes are cells, to identify them in recorded
/// gradients.
class TaggedNumbers {
public:
    explicit TaggedNumbers(const FollowedCall& call) : reads_(call.numbers.values().size()) {
        for (const MadeNode& made : call.nodes.all()) {
            if (!made.node) continue;
            for (size_t k = 0; k < made.node->scalars.size(); ++k) {
                Scalar& scalar = made.node->scalars[k];
                const int slot = made.slot_of(k);
                Cell tag(scalar.present());
                tag.body()->reads = &reads_[size_t(slot)];
                tags_[tag.body().get()] = slot;
                before_.push_back({made.node, k, scalar});
                scalar = Scalar(tag);
            }
        }
    }
    ~TaggedNumbers() {
        for (auto& [node, k, scalar] : before_) node->scalars[k] = scalar;
    }
    TaggedNumbers(const TaggedNumbers&) = delete;

    BackwardProgram::Number number_of(const Trace::ScalarSlot& slot) const {
        if (!slot.cell) return {.value = slot.value};
        auto tag = tags_.find(slot.cell.get());
        if (tag == tags_.end()) return {.cell = slot.cell};
        return {.slot = tag->second};
    }
    /// Scalar slots that gradients have read on the host.
    std::vector<std::pair<int, double>> computed_with(std::span<const double> scalars) const {
        std::vector<std::pair<int, double>> slots;
        for (size_t s = 0; s < reads_.size(); ++s)
            if (reads_[s]) slots.emplace_back(int(s), scalars[s]);
        return slots;
    }

private:
    struct Before {
        Node* node;
        size_t k;
        Scalar scalar;
    };
    std::vector<int> reads_;
    std::map<const Cell::Body*, int> tags_;  ///< The slot of each cell.
    std::vector<Before> before_;
};

std::span<const Type> kept_in(Tree& tree, std::span<const Type> types) {
    return {tree.kept(types), types.size()};
}

/// The records for creating the nodes of `live` again.
void record_nodes(const FollowedCall& call, const LiveGraph& live,
                  std::span<const std::pair<Array, int>> known, RecordedNodes& recorded) {
    std::map<const ArrayBody*, int> values;
    for (const auto& [array, v] : known) values[array.body()] = v;
    auto value_of = [&](const Array& array) {
        if (!array.defined()) return -1;
        const auto found = values.find(array.body());
        return found == values.end() ? -2 : found->second;
    };
    std::vector<const Node*> in_order = live.nodes;
    std::sort(in_order.begin(), in_order.end(),
              [](const Node* a, const Node* b) { return a->number < b->number; });
    std::map<const Node*, int> numbers;
    for (const Node* node : in_order) numbers[node] = int(numbers.size());
    for (const Node* node : live.nodes) recorded.walk_order.push_back(numbers.at(node));
    recorded.border_locations.resize(live.border.size());
    for (const Node* node : in_order) {
        const MadeNode& made = call.nodes.all()[size_t(node->number)];
        NodeRecord& record = recorded.records.emplace_back();
        record.op = node->op;
        record.attributes = node->attributes;
        record.location = node->location;
        record.input_types = kept_in(call.cursor.tree(), node->input_types);
        record.output_types = kept_in(call.cursor.tree(), node->output_types);
        for (size_t k = 0; k < node->scalars.size(); ++k) record.scalars.push_back(made.slot_of(k));
        for (const Edge& edge : node->edges) {
            NodeRecord::Target& target = record.targets.emplace_back();
            if (!edge.wanted()) continue;
            if (edge.node && call.nodes.made(*edge.node)) {
                target = {NodeRecord::Target::inside, numbers.at(edge.node.get()), edge.index};
                continue;
            }
            const auto outside = std::find_if(live.border.begin(), live.border.end(),
                                              [&](const Edge& e) { return same_edge(e, edge); });
            target = {NodeRecord::Target::outside, int(outside - live.border.begin()), 0};
            recorded.border_locations[size_t(target.number)] = node->location;
        }
        for (const Array& array : node->kept_inputs) record.kept_inputs.push_back(value_of(array));
        for (const Array& array : node->kept_outputs)
            record.kept_outputs.push_back(value_of(array));
    }
    for (const Variable& y : live.results)
        recorded.results.emplace_back(numbers.at(y.body()->creator.get()), y.body()->output_index);
}

/// Extracts the backward part from the recording, whose inputs are `forward_inputs`, and describes
/// it in `end`.
Trace split(const Trace& full, size_t forward_steps, const std::vector<int>& forward_inputs,
            const std::vector<int>& start, const std::vector<int>& gradients,
            const std::vector<Trace::Assign>& assigns, BackwardProgram& end) {
    enum : char { none, forward, backward, given };
    std::vector<char> where(full.values.size(), none);
    for (int v : forward_inputs) where[size_t(v)] = forward;
    for (size_t s = 0; s < full.steps.size(); ++s)
        for (int o : full.steps[s].outputs)
            where[size_t(o)] = s < forward_steps ? forward : backward;
    for (int v : start) where[size_t(v)] = given;

    std::vector<char> taken(full.values.size());
    std::vector<int> extra_values;
    auto read = [&](int v) {
        if (std::exchange(taken[size_t(v)], 1)) return;
        if (where[size_t(v)] == forward) end.kept.push_back(v);
        if (where[size_t(v)] == none) extra_values.push_back(v);
    };
    for (size_t s = forward_steps; s < full.steps.size(); ++s)
        for (int i : full.steps[s].inputs) read(i);
    for (int g : gradients)
        if (g >= 0) read(g);
    for (const Trace::Assign& a : assigns) read(a.target), read(a.value);
    std::vector<int> inputs = end.kept, outputs;
    for (int v : extra_values) {
        const Trace::Value& value = full.values[size_t(v)];
        end.extras.push_back({value.state, value.captured});
        inputs.push_back(v);
    }
    inputs.insert(inputs.end(), start.begin(), start.end());
    for (int g : gradients) {
        end.gradients.push_back(g < 0 ? -1 : int(outputs.size()));
        if (g >= 0) outputs.push_back(g);
    }
    return slice_trace(full, int(forward_steps), int(full.steps.size()), inputs, outputs, assigns);
}

}  // namespace

std::unique_ptr<GraphEnd> record_graph(const FollowedCall& call, const LiveGraph& live,
                                       const AskedMask& asked) {
    auto end = std::make_unique<GraphEnd>();
    end->key = live.key;
    end->asked = asked;
    const std::vector<std::pair<Array, int>> known = call.values.known_arrays();
    end->name = call.rules.region;
    Trace forward = trace_of_path(call.cursor.tree(), call.cursor.segment(), call.cursor.step(),
                                  call.rules.region, call.numbers.values());
    end->forward.inputs = forward.inputs;
    const size_t forward_steps = forward.steps.size();
    end->reach = Reach(live, call.nodes);
    record_nodes(call, live, known, end->nodes);

    TaggedNumbers numbers(call);
    Tracer tracer(Trace(forward), known);
    std::vector<int> start, gradients;
    {
        RecorderScope recording(&tracer);
        std::vector<Variable> ys, gys;
        for (size_t i = 0; i < live.results.size(); ++i) {
            if (!asked[i]) continue;
            const Variable& y = ys.emplace_back(live.results[i]);
            Array gy = Array::empty(y.type(), meta_device());
            start.push_back(tracer.add_argument(gy, "gy" + std::to_string(start.size())));
            gys.emplace_back(gy, false);
        }
        Variables gx = gradients_at_border(ys, live.border, gys);
        for (const Variable& g : gx)
            gradients.push_back(g.defined() ? tracer.value_of(g.array()) : -1);
        for (const Variable& y : live.results) {
            forward.outputs.push_back(tracer.value_of(y.array()));
            end->zero_is_none.push_back(!y.body()->creator->discerns_zeros);
        }
    }
    tracer.restore();
    const Trace& full = tracer.trace();
    Trace backward = split(full, forward_steps, end->forward.inputs, start, gradients, full.assigns,
                           end->backward);
    backward.name = end->name + "_backward";
    for (const Trace::ScalarSlot& slot : backward.scalars)
        end->backward.scalars.push_back(numbers.number_of(slot));
    for (const Trace::Assign& assign : backward.assigns)
        end->backward.assigned.push_back(backward.values[size_t(assign.target)].state);
    end->forward.outputs = forward.outputs;
    end->backward.gradient_count = backward.outputs.size();
    end->forward.trace = PackedTrace(forward);
    end->backward.trace = PackedTrace(backward);
    end->numbers = numbers.computed_with(call.numbers.values());
    return end;
}

}  // namespace catena::capture
