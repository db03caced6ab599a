#include "codegen/sides.h"

#include <map>

#include "codegen/batch_kernels.h"
#include "codegen/minimal_cut.h"
#include "codegen/uses.h"
#include "runtime/ops/declare/message.h"

namespace catena::codegen {
namespace {

enum class Side : char { free, forward, backward };

class Divider {
public:
    Divider(const Schedule& schedule, const std::vector<Launch>& in_order)
        : schedule_(schedule),
          in_order_(in_order),
          writer_(schedule.buffers.size(), -1),
          sides_(in_order.size(), Side::free) {
        for (const Launch& launch : in_order) {
            for (int b : uses_.emplace_back(uses_of(schedule, launch)).writes)
                writer_[size_t(b)] = int(uses_.size()) - 1;
        }
    }

    Sides run() {
        for (size_t l = 0; l < in_order_.size(); ++l)
            if (reads_given(l)) sides_[l] = Side::backward;
        const int count = int(schedule_.results.size()),
                  gradients_end = count - schedule_.cut.assigns;
        for (int r = 0; r < count; ++r)
            if (r < schedule_.cut.outputs || r >= gradients_end)
                need_forward(schedule_.results[size_t(r)]);
        for (size_t l = in_order_.size(); l-- > 0;) {
            if (must_stay(in_order_[l]) && sides_[l] == Side::free) sides_[l] = Side::forward;
            if (sides_[l] == Side::forward)
                for (int b : uses_[l].reads) need_forward(b);
        }
        for (int r = schedule_.cut.outputs; r < gradients_end; ++r)
            check_gradient(schedule_.results[size_t(r)], r);
        place_free();
        return in_order();
    }

private:
    bool reads_given(size_t l) const {
        for (int b : uses_[l].reads) {
            const Buffer& buffer = schedule_.buffers[size_t(b)];
            if (buffer.place == Buffer::Place::input && buffer.index >= schedule_.cut.inputs)
                return true;
            if (const int writer = writer_[size_t(b)];
                writer >= 0 && sides_[size_t(writer)] == Side::backward)
                return true;
        }
        return false;
    }

    void need_forward(const program::Result& result) {
        if (result.input < 0) return need_forward(result.view.buffer);
        if (result.input >= schedule_.cut.inputs)
            throw InternalError("codegen: a result of the forward part is a gradient");
    }

    void need_forward(int buffer) {
        const int writer = writer_[size_t(buffer)];
        if (writer < 0) return;
        if (sides_[size_t(writer)] == Side::backward)
            fail<CompileError>("the forward part reads what the backward part makes");
        sides_[size_t(writer)] = Side::forward;
    }

    bool must_stay(const Launch& launch) const {
        if (launch.library_call < 0) return false;
        const OpDef& op = *schedule_.library_calls[size_t(launch.library_call)].op;
        return op.checks_values || is_message(op);
    }

    void check_gradient(const program::Result& result, int r) {
        if (result.input >= 0) return;
        const int writer = writer_[size_t(result.view.buffer)];
        const int owner = schedule_.buffers[size_t(result.view.buffer)].index;
        if (owner < schedule_.cut.outputs || owner > r ||
            (writer >= 0 && sides_[size_t(writer)] == Side::forward))
            fail<CompileError>("gradient {} is an array that the forward part computes",
                               r - schedule_.cut.outputs);
        if (writer >= 0) sides_[size_t(writer)] = Side::backward;
    }

    /// The node of a launch: the source is all of forward, the sink all of backward.
    int node_of(FlowGraph& graph, size_t l) {
        if (sides_[l] != Side::free) return sides_[l] == Side::forward ? source_ : sink_;
        auto [found, is_new] = nodes_.try_emplace(l);
        if (is_new) found->second = graph.add_node();
        return found->second;
    }

    void place_free() {
        FlowGraph graph;
        source_ = graph.add_node();
        sink_ = graph.add_node();
        std::map<int, int> values;  // Node by buffer.
        for (size_t l = 0; l < in_order_.size(); ++l)
            for (int b : uses_[l].reads) {
                const int writer = writer_[size_t(b)];
                if (writer < 0 || (sides_[l] != Side::free && sides_[size_t(writer)] != Side::free))
                    continue;
                const int from = node_of(graph, size_t(writer)), to = node_of(graph, l);
                auto [value, is_new] = values.try_emplace(b);
                if (is_new) {
                    value->second = graph.add_node();
                    const Buffer& buffer = schedule_.buffers[size_t(b)];
                    graph.add_edge(
                        from, value->second,
                        buffer.place == Buffer::Place::arena ? int64_t(buffer.bytes) : 0);
                }
                graph.add_edge(value->second, to, FlowGraph::unlimited);
                graph.add_edge(to, from,
                               FlowGraph::unlimited);  // What forward reads is made there.
            }
        if (nodes_.empty()) {
            for (Side& side : sides_)
                if (side == Side::free) side = Side::backward;
            return;
        }
        const std::vector<bool> is_forward = graph.source_side(source_, sink_);
        for (size_t l = 0; l < in_order_.size(); ++l) {
            if (sides_[l] != Side::free) continue;
            const auto node = nodes_.find(l);
            sides_[l] = node != nodes_.end() && is_forward[size_t(node->second)] ? Side::forward
                                                                                 : Side::backward;
            if (sides_[l] == Side::backward) late_.push_back(l);
        }
    }

    /// Adds a launch of backward behind those it waits for.
    void add(size_t l, Sides& sides, std::vector<bool>& is_added) const {
        if (is_added[l]) return;
        is_added[l] = true;
        for (int b : uses_[l].reads)
            if (const int writer = writer_[size_t(b)];
                writer >= 0 && sides_[size_t(writer)] == Side::backward)
                add(size_t(writer), sides, is_added);
        sides.backward.push_back(in_order_[l]);
    }

    Sides in_order() const {
        Sides sides;
        std::vector<bool> is_added(in_order_.size(), false), is_late(in_order_.size(), false);
        for (size_t l : late_) is_late[l] = true;
        for (size_t l = 0; l < in_order_.size(); ++l) {
            if (sides_[l] == Side::forward)
                sides.forward.push_back(in_order_[l]);
            else if (!is_late[l])
                add(l, sides, is_added);
        }
        for (size_t l : late_) add(l, sides, is_added);
        return sides;
    }

    const Schedule& schedule_;
    const std::vector<Launch>& in_order_;
    std::vector<Uses> uses_;
    std::vector<int> writer_;  ///< For each buffer, the launch that writes it; -1: it is an input.
    std::vector<Side> sides_;
    std::vector<size_t> late_;  ///< Launches of backward that no reader of gradients needs.
    std::map<size_t, int> nodes_;
    int source_ = 0, sink_ = 0;
};

}  // namespace

Sides divide_launches(const Schedule& schedule, const std::vector<Launch>& in_order) {
    return Divider(schedule, in_order).run();
}

void batch_in_parts(Schedule& schedule, const std::vector<Launch>& in_order,
                    const StateResults& states) {
    const Sides sides = divide_launches(schedule, in_order);
    batch_kernels(schedule, sides.forward, states, sides.backward);
    schedule.cut.launch = int(schedule.launches.size());
    batch_kernels(schedule, sides.backward, {});
}

}  // namespace catena::codegen
