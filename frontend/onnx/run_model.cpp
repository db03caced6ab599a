#include <new>
#include <stdexcept>

#include <onnx/onnx_pb.h>

#include "frontend/onnx/model.h"
#include "frontend/onnx/tensor.h"
#include "runtime/core/array/device.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/forget_location.h"
#include "runtime/file/limits.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/settings/config.h"
#include "runtime/graph/trace/tracer.h"

namespace catena::onnx {
namespace {

using Graph = ::onnx::GraphProto;
using Node = ::onnx::NodeProto;

bool is_number(const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

}  // namespace

void Model::Implementation::check_array(const Port& port, const Variable& x) const {
    if (port.dtype && *port.dtype != x.dtype())
        fail<DtypeError>("onnx: {}: input '{}' is {}, {} is given", path, port.name,
                         catena::name_of(*port.dtype), catena::name_of(x.dtype()));
    if (!port.shape) return;
    bool fits = int(port.shape->size()) == x.rank();
    std::string expected;
    for (size_t a = 0; a < port.shape->size(); ++a) {
        const std::string& size = (*port.shape)[a];
        expected += (a ? "," : "") + (size.empty() ? "?" : size);
        fits = fits && (!is_number(size) || std::to_string(x.shape()[int(a)]) == size);
    }
    if (!fits)
        fail<ShapeError>("onnx: {}: input '{}' is [{}], {} is given", path, port.name, expected,
                         to_string(x.shape()));
}

void Model::Implementation::check_ports(std::span<const Item> given) const {
    if (given.size() != inputs.size()) {
        std::string names;
        for (const Port& port : inputs) names += (names.empty() ? "" : ", ") + port.name;
        fail<ValueError>("onnx: {} takes {} ({}), {} {} given", path,
                         inputs.size() == 1 ? "1 input" : fmt::format("{} inputs", inputs.size()),
                         names, given.size(), given.size() == 1 ? "is" : "are");
    }
    for (size_t i = 0; i < given.size(); ++i) {
        const Port& port = inputs[i];
        if (!given[i].is_present()) continue;
        if (port.is_sequence != bool(given[i].sequence))
            fail<ValueError>("onnx: {}: input '{}' is {} of arrays", path, port.name,
                             port.is_sequence ? "a sequence" : "no sequence");
        if (!port.is_sequence) check_array(port, given[i].variable);
        for (size_t k = 0; port.is_sequence && k < given[i].sequence->size(); ++k)
            check_array(port, (*given[i].sequence)[k]);
    }
}

Items Model::Implementation::run_subgraph(const PreparedNode& node, const Graph& graph,
                                          std::span<const Item> values, const Scope& outer) const {
    if (--*outer.steps_left < 0)
        fail<ValueError>(
            "onnx: {}: its loops take more than {} steps; call set_file_limits() if you trust it",
            path, file_limits().steps);
    if (int(values.size()) != graph.input_size())
        fail<FileError>("onnx: {}: a graph in node '{}' takes {} inputs, not {}", path,
                        node.node->name(), graph.input_size(), values.size());
    const ForgetLocation outer_node;  // The nodes of the graph have places of their own.
    const PreparedGraph& prepared = node.prepared(graph);
    Scope below = prepared.scope(&outer, outer.steps_left);
    for (size_t i = 0; i < values.size(); ++i)
        below.values[size_t(prepared.inputs[i])].item = values[i];
    for (int i = 0; i < graph.initializer_size(); ++i)
        below.values[size_t(prepared.initializers[size_t(i)])] = {
            Variable(read_tensor(graph.initializer(i), files), false), true};
    return run_graph(prepared, below);
}

void Model::Implementation::run_node(const PreparedNode& prepared, Scope& scope) const {
    const Node& node = *prepared.node;
    Items inputs;
    inputs.reserve(prepared.inputs.size());
    std::vector<bool> known_inputs;
    bool known = prepared.graphs.empty();
    for (const ValuePlace& place : prepared.inputs) {
        const Value* value = place.in(scope);
        inputs.push_back(value ? value->item : Item());
        known_inputs.push_back(value && value->known);
        known &= !value || value->known;
    }
    const auto run_below = [&](const Graph& graph, std::span<const Item> values) {
        return run_subgraph(prepared, graph, values, scope);
    };
    const NodeCall call(node, opset, std::move(inputs), std::move(known_inputs), files, run_below);
    Items outputs;
    const LocationScope place(prepared.place);
    try {
        if (known || prepared.reads_shape) {
            RecorderScope aside(nullptr);
            auto mode = no_backprop_mode();
            outputs = prepared.importer->run(call);
        } else {
            outputs = prepared.importer->run(call);
        }
    } catch (const OutOfMemory& error) {
        if (std::string_view(error.what()).starts_with("onnx: "))
            throw;  // Already reported by an
                    // inner node.
        throw OutOfMemory(fmt::format("onnx: {}: {}", path, call.describe()), error.bytes,
                          error.held);
    } catch (const std::bad_alloc&) {
        throw OutOfMemory(fmt::format("onnx: {}: {}", path, call.describe()), 0,
                          cpu_memory_statistics().bytes_reserved);
    } catch (const FileError& error) {
        if (std::string_view(error.what()).starts_with("onnx: ")) throw;  // Named already.
        fail<FileError>("onnx: {}: {}: {}", path, call.describe(), error.what());
    } catch (const std::length_error&) {
        fail<FileError>("onnx: {}: {}: needs more elements than can be counted", path,
                        call.describe());
    }
    if (outputs.size() < prepared.outputs.size()) outputs.resize(prepared.outputs.size());
    for (size_t i = 0; i < prepared.outputs.size(); ++i) {
        if (prepared.outputs[i] < 0) continue;
        Item& item = outputs[i];
        if (!item.is_present() && !item.is_absent) call.unsupported(fmt::format("output {}", i));
        const bool small = item.variable.defined() &&
                           (!is_float(item.variable.dtype()) || item.variable.size() <= 64);
        scope.values[size_t(prepared.outputs[i])] = {std::move(item),
                                                     (known && small) || prepared.reads_shape};
    }
}

Items Model::Implementation::run_graph(const PreparedGraph& graph, Scope& scope) const {
    for (const PreparedNode& node : graph.nodes) run_node(node, scope);
    Items outputs;
    for (const ValuePlace& place : graph.outputs) outputs.push_back(place.in(scope)->item);
    return outputs;
}

}  // namespace catena::onnx
