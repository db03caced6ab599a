#include "frontend/capture/run/activation.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <memory>
#include <mutex>

#include "frontend/capture/call/watched_inputs.h"
#include "frontend/capture/graph/joint_trace.h"
#include "frontend/capture/planned/known_sizes.h"
#include "frontend/capture/run/program.h"
#include "frontend/capture/run/trace_interpreter.h"
#include "frontend/capture/run/verify.h"
#include "frontend/compiler/compiler_loader.h"
#include "runtime/core/array/device.h"
#include "runtime/core/memory/object_pool.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/location.h"
#include "runtime/graph/call/assign.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/settings/config.h"
#include "runtime/program/run/joint_executable.h"

namespace catena::capture {
namespace {

const OpDef& define_region_op() {
    OpDef op;
    op.name = "compiled_region";
    op.gradient = [](const GradientCall&) -> Variables {
        throw InternalError("static_graph: nodes have their own gradient");
    };
    return register_op(std::move(op));
}
const OpDef& op_region = define_region_op();

/// The compiled backward; null where the eager kernels compute the gradients, as they do for a call
/// that they have computed before the program was compiled together with its backward.
Executable* compiled_backward(const std::shared_ptr<Tree>& tree, const GraphEnd& graph,
                              const Program& program) {
    if (!compiler_installed() || config().debug || program.plan().device().is_meta() ||
        program.compiled().is_joint())
        return nullptr;
    std::lock_guard lock(graph.mutex);
    if (!graph.executable) {
        const auto start = std::chrono::steady_clock::now();
        const std::shared_ptr<const Trace> backward = graph.backward_trace();
        const KnownSizes::Made made = tree->sizes->compile(
            backward,
            {.fast_math = program.plan().fast_math(), .device = &program.plan().device()});
        graph.executable = made.executable;
        if (!made.is_resized) graph.unpacked_backward = backward;
        graph.compile_seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    return graph.executable.get();
}

/// The backward program's trace, unpacked once for all calls to come.
std::shared_ptr<const Trace> unpacked_backward(const GraphEnd& graph) {
    std::lock_guard lock(graph.mutex);
    return graph.unpacked_backward = graph.backward_trace();
}

}  // namespace

const OpDef& region_op() { return op_region; }

void* Activation::operator new(size_t) { return ObjectPool<Activation>::allocate(); }
void Activation::operator delete(void* activation) { ObjectPool<Activation>::free(activation); }

SmallVector<double, 32> Activation::backward_scalars() const {
    SmallVector<double, 32> present(scalars), values;
    for (const auto& [slot, cell] : cells) present[size_t(slot)] = cell.present();
    for (const BackwardProgram::Number& n : graph.backward.scalars)
        values.push_back(n.cell ? n.cell->value : n.slot >= 0 ? present[size_t(n.slot)] : n.value);
    return values;
}

void Activation::check_computed() const {
    if (!program)
        fail<TraceError>(
            "backward: the call of static_graph {} that made this result ended with an error",
            graph.name);
}

/// Whether somebody has written to inputs since forward has read them.
bool Activation::has_been_written() const {
    const RecorderScope unseen(nullptr);
    return std::ranges::any_of(originals, [&](const auto& original) {
        return !same_bits(original.second, inputs[size_t(original.first)]);
    });
}

/// Value `v` of forward where it lies in memory that somebody outside may write to; undefined for
/// all others.
Array Activation::shown_now(const Trace& forward, int v) const {
    for (const auto& [input, original] : originals)
        if (forward.inputs[size_t(input)] == v) return original;
    for (const Trace::Step& step : forward.steps) {
        if (!step.op->view || step.outputs[0] != v) continue;
        const Array viewed = shown_now(forward, step.inputs[0]);
        return viewed.defined() ? step.op->view(viewed, step.attributes) : Array();
    }
    return {};
}

/// Recomputes the values that the nodes of single operations keep.
std::vector<Array> Activation::kept_by_nodes() const {
    Trace forward = graph.forward.trace.unpacked();
    for (const Trace::Step& step : forward.steps)
        if (step.attributes.has("communicator"))
            fail<TraceError>(
                "backward: static_graph {} sends messages, which cannot be sent once more to take "
                "its gradient in another "
                "region, twice, or only for some of its results; do that inside the region",
                forward.name);
    forward.outputs.clear();
    for (const NodeRecord& node : graph.nodes.records)
        for (const auto* kept : {&node.kept_inputs, &node.kept_outputs})
            for (int v : *kept)
                if (v >= 0) forward.outputs.push_back(v);
    std::vector<Array> values(forward.values.size()), outputs(forward.outputs.size());
    const RecorderScope unseen(nullptr);
    const ForgetLocation steps_name_theirs;
    interpret_trace(forward, {inputs.begin(), inputs.end()}, scalars, outputs);
    for (size_t i = 0; i < outputs.size(); ++i) {
        const int v = forward.outputs[i];
        const Array shown = originals.empty() ? Array() : shown_now(forward, v);
        values[size_t(v)] = shown.defined() ? shown : std::move(outputs[i]);
    }
    return values;
}

bool Activation::serves(std::span<const Variable> gy) {
    if (program && has_been_written() && can_expand()) return false;
    if (graph.serves(gy)) {
        graph.latest->met();
        return true;
    }
    AskedMask asked;
    for (const Variable& g : gy) asked.push_back(g.defined());
    if (graph.latest->missed(asked) && tree->sizes) tree->sizes->expected_results.set(asked);
    return !program ||
           !can_expand();  // Where it cannot, later calls are exact, and this one has zeros.
}

/// Messages are not sent twice, and an operation may keep an array that it does not compute with.
bool Activation::can_expand() const {
    return !program->plan().sends_messages() &&
           std::ranges::none_of(graph.nodes.records, [](const NodeRecord& node) {
               return std::ranges::count(node.kept_inputs, -2) +
                          std::ranges::count(node.kept_outputs, -2) >
                      0;
           });
}

std::vector<Edge> Activation::expand(Node& region) {
    check_computed();
    const std::vector<Array> values = kept_by_nodes();
    auto kept = [&](int v) {
        if (v == -2)
            fail<TraceError>(
                "backward: static_graph {} cannot take its gradient in another region, twice, or "
                "only for some of its "
                "results, because an operation keeps an array that it does not compute with",
                graph.name);
        return v < 0 ? Array() : values[size_t(v)];
    };
    std::vector<Ref<Node>> nodes;
    for (const NodeRecord& record : graph.nodes.records) {
        Ref<Node> node = make_node(*record.op);
        node->attributes = record.attributes;
        node->location = record.location;
        node->rank = region.rank;  // Nodes of equal rank are visited by order of creation.
        for (int slot : record.scalars) {
            const auto cell = std::find_if(cells.begin(), cells.end(),
                                           [&](const auto& c) { return c.first == slot; });
            node->scalars.push_back(cell == cells.end() ? Scalar(scalars[size_t(slot)])
                                                        : cell->second);
        }
        for (const NodeRecord::Target& t : record.targets)
            node->edges.push_back(t.where == NodeRecord::Target::nowhere ? Edge{}
                                  : t.where == NodeRecord::Target::inside
                                      ? Edge{.node = nodes[size_t(t.number)], .index = t.index}
                                      : region.edges[size_t(t.number)]);
        node->input_types = decltype(node->input_types)(record.input_types);
        node->output_types = decltype(node->output_types)(record.output_types);
        node->outputs.resize(record.output_types.size());
        for (int v : record.kept_inputs) node->kept_inputs.push_back(kept(v));
        for (int v : record.kept_outputs) node->kept_outputs.push_back(kept(v));
        nodes.push_back(std::move(node));
    }
    std::vector<Edge> edges;
    for (const auto& [node, output] : graph.nodes.results)
        edges.push_back({.node = nodes[size_t(node)], .index = output});
    return edges;
}

/// Whether the numbers that backward would read now are those that forward has read: a program
/// compiled as one knows no others.
bool Activation::has_forward_numbers(std::span<const double> numbers) const {
    auto same = [](double a, double b) {
        return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
    };
    return std::ranges::equal(numbers, std::span(joint_scalars).subspan(scalars.size()), same);
}

/// `given`: BackwardProgram::extras and the gradients of the asked results.
void Activation::run_joint(SmallVector<Array, 32>& given, std::span<Array> outputs) {
    SmallVector<Array, 32> arrays;
    size_t next = 0;
    for (int from : program->compiled().joint()->backward_inputs())
        arrays.push_back(from < 0                       ? kept[next++]
                         : size_t(from) < inputs.size() ? inputs[size_t(from)]
                                                        : given[size_t(from) - inputs.size()]);
    arrays.push_back(kept[next]);
    kept.clear();
    given.clear();
    program->compiled().run_backward(arrays, joint_scalars, outputs);
}

/// BackwardProgram::extras and the gradients of the asked results; before them, with `with_kept`,
/// BackwardProgram::kept.
SmallVector<Array, 32> Activation::given_to_backward(const Node& node, std::span<const Variable> gy,
                                                     bool with_kept) const {
    SmallVector<Array, 32> given;
    if (with_kept)
        given = is_joint || kept.empty()
                    ? SmallVector<Array, 32>(program->kept_by_interpretation(*this))
                    : kept;
    for (const BackwardProgram::Extra& extra : graph.backward.extras)
        given.push_back(extra.state ? extra.state->array : extra.constant);
    for (size_t i = 0; i < gy.size(); ++i)
        if (graph.asked[i])
            given.push_back(gy[i].defined() ? gy[i].array().as_contiguous()
                                            : Array::zeros(node.output_types[i]));
    return given;
}

/// Messages are not sent twice.
bool Activation::can_verify() const {
    if (!verifies || program->plan().sends_messages()) return false;
    const std::shared_ptr<const Trace> backward = unpacked_backward(graph);
    return std::ranges::none_of(backward->steps, [](const Trace::Step& step) {
        return step.attributes.has("communicator");
    });
}

/// Compares a joint program's gradients, together with forward, whose rounding they depend on.
void Activation::verify_joint(std::span<const Array> given,
                              std::span<const Array> gradients) const {
    const Trace whole = without_border(*program->compiled().joint_trace());
    SmallVector<Array, 32> arrays = inputs;
    arrays.append(given.begin(), given.end());
    std::vector<Array> outputs(whole.outputs.size() +
                               whole.assigns.size());  // Those of forward have been compared.
    std::ranges::copy(gradients,
                      outputs.begin() + ptrdiff_t(whole.outputs.size() - gradients.size()));
    verify_backward(whole, arrays, joint_scalars, *program, outputs);
}

Variables Activation::gradient(Node& node, std::span<const Variable> gy) {
    check_computed();
    const SmallVector<double, 32> numbers = backward_scalars();
    const bool by_interpretation = config().debug || (is_joint && !has_forward_numbers(numbers));
    if (kept.empty() && (is_joint || !graph.backward.kept.empty()) && !by_interpretation)
        program->compute_kept(*this);  // A second backward.
    const bool joint = is_joint && !by_interpretation;
    SmallVector<Array, 32> given = given_to_backward(node, gy, !joint), to_compare;
    Executable* const compiled = joint ? nullptr : compiled_backward(tree, graph, *program);
    if ((joint || compiled) && can_verify()) to_compare = given;
    if (!joint) kept.clear();
    SmallVector<Array, 32> outputs(graph.backward.gradient_count + graph.backward.assigned.size());
    if (joint)
        run_joint(given, outputs);
    else if (compiled)
        compiled->run(given, numbers, {}, outputs);
    else
        interpret_trace(*unpacked_backward(graph), {given.begin(), given.end()}, numbers, outputs);
    if (!to_compare.empty()) {
        if (joint)
            verify_joint(to_compare, outputs);
        else
            verify_backward(*unpacked_backward(graph), to_compare, numbers, *program, outputs);
    }
    for (size_t i = 0; i < graph.backward.assigned.size(); ++i)
        bind_state(*graph.backward.assigned[i], outputs[graph.backward.gradient_count + i]);
    Variables gx;
    for (size_t t = 0; t < graph.backward.gradients.size(); ++t) {
        bool flows = false;
        for (size_t i = 0; i < gy.size() && graph.backward.gradients[t] >= 0; ++i)
            flows |= gy[i].defined() && graph.reach.border(int(i), int(t));
        gx.push_back(flows ? Variable(outputs[size_t(graph.backward.gradients[t])], false)
                           : Variable());
    }
    return gx;
}

}  // namespace catena::capture
