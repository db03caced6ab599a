#include "frontend/onnx/import.h"

#include <filesystem>
#include <new>
#include <set>
#include <stdexcept>
#include <unordered_map>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <onnx/onnx_pb.h>

#include "frontend/onnx/functions.h"
#include "frontend/onnx/importer.h"
#include "frontend/onnx/sort_nodes.h"
#include "frontend/onnx/tensor.h"
#include "frontend/onnx/unsigned_types.h"
#include "runtime/core/device.h"
#include "runtime/core/out_of_memory.h"
#include "runtime/file/file.h"
#include "runtime/file/limits.h"
#include "runtime/graph/config.h"
#include "runtime/graph/recorder.h"
#include "runtime/graph/tracer.h"

namespace catena::onnx {
namespace {

using Graph = ::onnx::GraphProto;
using Node = ::onnx::NodeProto;

constexpr int oldest_imported_opset = 7;  // Before it arithmetic broadcast by attributes.

/// A value, and whether its elements are known without the caller's arrays: sizes and what is
/// computed from them. Known values are computed separately, not recorded, so that a static region may
/// read them.
struct Value {
    Item item;
    bool known = false;
};

struct Scope {
    const Scope* outer = nullptr;
    std::unordered_map<std::string, Value> values;
    /// Remaining number of subgraph runs: one for every step of a loop.
    int64_t* steps_left = nullptr;

    const Value* find(const std::string& name) const {
        for (const Scope* scope = this; scope; scope = scope->outer)
            if (auto found = scope->values.find(name); found != scope->values.end())
                return &found->second;
        return nullptr;
    }
};

template <class Proto>
void parse(const std::string& path, Proto& proto, const char* what) {
    std::string problem;
    const int descriptor = open_regular_file(path.c_str(), problem);
    if (descriptor < 0) fail<FileError>("onnx: {}: {}", path, problem);
    google::protobuf::io::FileInputStream input(descriptor);
    input.SetCloseOnDelete(true);
    google::protobuf::io::CodedInputStream coded(&input);
    try {
        if (!proto.ParseFromCodedStream(&coded) || !coded.ConsumedEntireMessage() ||
            coded.CurrentPosition() == 0)
            fail<FileError>("onnx: {} is not a {}, or is truncated", path, what);
    } catch (const std::bad_alloc&) {
        fail<FileError>("onnx: {}: not enough memory for its content", path);
    }
}

Port port_of(const ::onnx::ValueInfoProto& info) {
    Port port{info.name(), {}, {}};
    const ::onnx::TypeProto* type = &info.type();
    if (type->has_optional_type()) {
        port.is_optional = true;
        type = &type->optional_type().elem_type();
    }
    if (type->has_sequence_type()) {
        port.is_sequence = true;
        type = &type->sequence_type().elem_type();
    }
    if (!type->has_tensor_type()) return port;
    const int element = type->tensor_type().elem_type();
    port.dtype = held_as(element) ? held_as(element) : from_onnx(element);
    if (!type->tensor_type().has_shape()) return port;
    port.shape.emplace();
    for (const auto& dim : type->tensor_type().shape().dim())
        port.shape->push_back(dim.has_dim_value() ? std::to_string(dim.dim_value()) : dim.dim_param());
    return port;
}

/// UnsupportedError unless the input is of arrays of a known type.
void check_input_type(const ::onnx::ValueInfoProto& input, const std::string& path) {
    const ::onnx::TypeProto* type = &input.type();
    if (held_as(type->tensor_type().elem_type())) return;
    if (type->has_optional_type()) type = &type->optional_type().elem_type();
    if (type->has_sequence_type()) type = &type->sequence_type().elem_type();
    if (!type->has_tensor_type())
        fail<UnsupportedError>("onnx: {}: input '{}' is neither a tensor nor a sequence of tensors", path, input.name());
    dtype_from_onnx(type->tensor_type().elem_type(), "input '" + input.name() + "'");
}

bool is_number(const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

}  // namespace

struct Model::Implementation {
    ::onnx::ModelProto proto;
    std::string path, folder;
    int opset = 0;
    std::vector<Port> inputs, outputs;
    std::vector<std::pair<std::string, Array>> initializers;
    bool trainable = false;
    Scope constants;  ///< Initializers that are not learned.

    bool is_learned(const Array& array) const { return trainable && is_float(array.dtype()); }

    void check_ports(std::span<const Item> given) const;
    void check_array(const Port& port, const Variable& x) const;
    Items run_graph(const Graph& graph, Scope& scope) const;
    void run_node(const Node& node, Scope& scope) const;
};

namespace {

/// Checks that every node reads what exists and that every operator is known, before anything runs.
class Checker {
public:
    Checker(const Model::Implementation& model) : model_(model) {}

    void check(const Graph& graph) const { check(graph, nullptr); }

private:
    /// The names visible in a subgraph.
    struct Known {
        const Known* outer;
        std::set<std::string_view> names;
        void insert(std::string_view name) { names.insert(name); }
        bool contains(std::string_view name) const {
            return names.contains(name) || (outer && outer->contains(name));
        }
    };

    void check(const Graph& graph, const Known* outer) const {
        Known known{outer, {}};
        for (const auto& input : graph.input()) known.insert(input.name());
        for (const auto& tensor : graph.initializer()) known.insert(tensor.name());
        for (const Node& node : graph.node()) {
            check_operator(node);
            for (const std::string& name : node.input())
                if (!name.empty() && !known.contains(name))
                    fail<FileError>(
                        "onnx: {}: {} node '{}' reads '{}', which is not defined",
                        model_.path, node.op_type(), node.name(), name);
            for (const auto& attribute : node.attribute())
                if (attribute.has_g()) check(attribute.g(), &known);
            for (const std::string& name : node.output()) known.insert(name);
        }
        for (const auto& output : graph.output())
            if (!known.contains(output.name()))
                fail<FileError>("onnx: {}: output '{}' is not defined", model_.path,
                                output.name());
    }

    void check_operator(const Node& node) const {
        if (find_importer(node.domain(), node.op_type())) return;
        const std::string domain = node.domain().empty() ? "" : node.domain() + ".";
        const std::string name =
            node.name().empty() && node.output_size() > 0 ? node.output(0) : node.name();
        fail<UnsupportedError>(
            "onnx: {}: the operator {}{} of node '{}' (opset {}) is not supported", model_.path,
            domain, node.op_type(), name, model_.opset);
    }

    const Model::Implementation& model_;
};

void read_opset(Model::Implementation& model) {
    for (const auto& import : model.proto.opset_import())
        if (import.domain().empty() || import.domain() == "ai.onnx")
            model.opset = int(import.version());
    if (model.opset == 0 && model.proto.opset_import_size() == 0)
        fail<FileError>("onnx: {} names no opset", model.path);
    if (model.opset != 0 && model.opset < oldest_imported_opset)
        fail<UnsupportedError>("onnx: {} is of opset {}; {} and later are supported", model.path,
                               model.opset, oldest_imported_opset);
}

void read_initializers(Model::Implementation& model) {
    if (model.proto.graph().sparse_initializer_size() > 0)
        fail<UnsupportedError>("onnx: {}: sparse initializers are not supported", model.path);
    std::set<std::string> names;
    for (const auto& tensor : model.proto.graph().initializer()) {
        const Array array = read_tensor(tensor, model.folder);
        if (!names.insert(tensor.name()).second)
            fail<FileError>("onnx: {}: two initializers are called '{}'", model.path,
                            tensor.name());
        model.initializers.emplace_back(tensor.name(), array);
        if (model.is_learned(array)) continue;
        Variable variable(array, false);
        variable.set_name(tensor.name());
        const bool small = !is_float(array.dtype()) || array.size() <= 64;
        model.constants.values.emplace(tensor.name(), Value{variable, small});
    }
}

}  // namespace

void Model::Implementation::check_array(const Port& port, const Variable& x) const {
    if (port.dtype && *port.dtype != x.dtype())
        fail<DtypeError>("onnx: {}: input '{}' is {}, {} is given", path, port.name, catena::name_of(*port.dtype),
                         catena::name_of(x.dtype()));
    if (!port.shape) return;
    bool fits = int(port.shape->size()) == x.rank();
    std::string expected;
    for (size_t a = 0; a < port.shape->size(); ++a) {
        const std::string& size = (*port.shape)[a];
        expected += (a ? "," : "") + (size.empty() ? "?" : size);
        fits = fits && (!is_number(size) || std::to_string(x.shape()[int(a)]) == size);
    }
    if (!fits)
        fail<ShapeError>("onnx: {}: input '{}' is [{}], {} is given", path, port.name, expected, to_string(x.shape()));
}

void Model::Implementation::check_ports(std::span<const Item> given) const {
    if (given.size() != inputs.size())
        fail<ValueError>("onnx: {} takes {} inputs, {} are given", path, inputs.size(), given.size());
    for (size_t i = 0; i < given.size(); ++i) {
        const Port& port = inputs[i];
        if (!given[i].is_present()) continue;
        if (port.is_sequence != bool(given[i].sequence))
            fail<ValueError>("onnx: {}: input '{}' is {} of arrays", path, port.name, port.is_sequence ? "a sequence" : "no sequence");
        if (!port.is_sequence) check_array(port, given[i].variable);
        for (size_t k = 0; port.is_sequence && k < given[i].sequence->size(); ++k) check_array(port, (*given[i].sequence)[k]);
    }
}

void Model::Implementation::run_node(const Node& node, Scope& scope) const {
    Items inputs;
    std::vector<bool> known_inputs;
    bool known = true;
    for (const std::string& name : node.input()) {
        const Value* value = name.empty() ? nullptr : scope.find(name);
        inputs.push_back(value ? value->item : Item());
        known_inputs.push_back(value && value->known);
        known &= !value || value->known;
    }
    for (const auto& attribute : node.attribute()) known &= !attribute.has_g();
    const RunGraph run_below = [&](const Graph& graph, std::span<const Item> values) {
        if (--*scope.steps_left < 0)
            fail<ValueError>(
                "onnx: {}: its loops take more than {} steps; call set_file_limits() if you trust it",
                path, file_limits().steps);
        Scope below{&scope, {}, scope.steps_left};
        if (int(values.size()) != graph.input_size())
            fail<FileError>("onnx: {}: a graph in node '{}' takes {} inputs, not {}", path,
                            node.name(), graph.input_size(), values.size());
        for (int i = 0; i < graph.input_size(); ++i)
            below.values[graph.input(i).name()] = {values[size_t(i)], false};
        for (const auto& tensor : graph.initializer())
            below.values[tensor.name()] = {Variable(read_tensor(tensor, folder), false), true};
        return run_graph(graph, below);
    };
    const Importer* importer = find_importer(node.domain(), node.op_type());
    const NodeCall call(node, opset, std::move(inputs), std::move(known_inputs), folder, run_below);
    const bool reads_shape = node.op_type() == "Shape" || node.op_type() == "Size";
    Items outputs;
    try {
        if (known || reads_shape) {
            RecorderScope aside(nullptr);
            auto mode = no_backprop_mode();
            outputs = importer->run(call);
        } else {
            outputs = importer->run(call);
        }
    } catch (const OutOfMemory& error) {
        if (std::string_view(error.what()).starts_with("onnx: ")) throw;  // Already reported by an
                                                                          // inner node.
        throw OutOfMemory(fmt::format("onnx: {}: {}", path, call.describe()), error.bytes, error.held);
    } catch (const std::bad_alloc&) {
        throw OutOfMemory(fmt::format("onnx: {}: {}", path, call.describe()), 0,
                          cpu_memory_statistics().bytes_reserved);
    } catch (const std::length_error&) {
        fail<FileError>("onnx: {}: {}: needs more elements than can be counted", path,
                        call.describe());
    }
    if (int(outputs.size()) < node.output_size()) outputs.resize(size_t(node.output_size()));
    for (int i = 0; i < node.output_size(); ++i) {
        if (node.output(i).empty()) continue;
        const Item& item = outputs[size_t(i)];
        if (!item.is_present() && !item.is_absent) call.unsupported(fmt::format("output {}", i));
        const bool small = item.variable.defined() && (!is_float(item.variable.dtype()) || item.variable.size() <= 64);
        scope.values[node.output(i)] = {item, (known && small) || reads_shape};
    }
}

Items Model::Implementation::run_graph(const Graph& graph, Scope& scope) const {
    for (const Node& node : graph.node()) run_node(node, scope);
    Items outputs;
    for (const auto& output : graph.output()) outputs.push_back(scope.find(output.name())->item);
    return outputs;
}

namespace {

/// Holds one initializer, so that a link can own any number of them.
struct WeightLink : Link {
    Parameter value;
    WeightLink(const std::string& name, const Array& array) : value(array) { add_param(name, value); }
};

/// "l1/W" as link and parameter: {"l1", "W"}.
std::pair<std::string, std::string> place_of(const std::string& name) {
    for (const char separator : {'/', '.'})
        if (const size_t at = name.rfind(separator);
            at != name.npos && at > 0 && at + 1 < name.size())
            return {name.substr(0, at), name.substr(at + 1)};
    return {name, "value"};
}

}  // namespace

Model::Model(std::shared_ptr<const Implementation> implementation)
    : implementation_(std::move(implementation)) {
    std::set<std::pair<std::string, std::string>> taken;
    for (const auto& [name, array] : implementation_->initializers) {
        if (!implementation_->is_learned(array)) continue;
        auto place = place_of(name);
        while (!taken.insert(place).second) place.second += "_";
        weights_.push_back({name, OwnedLink(WeightLink(place.second, array))});
        name_child(*weights_.back().link, place.first);
    }
}

std::vector<std::pair<std::string, Link*>> Model::named_children() const {
    std::vector<std::pair<std::string, Link*>> found = Link::named_children();
    for (const Weight& weight : weights_) found.emplace_back(weight.link->name(), weight.link.get());
    return found;
}

const std::vector<Port>& Model::inputs() const { return implementation_->inputs; }
const std::vector<Port>& Model::outputs() const { return implementation_->outputs; }

std::vector<std::pair<std::string, Variable>> Model::initializers() const {
    std::vector<std::pair<std::string, Variable>> found;
    size_t learned = 0;
    for (const auto& [name, array] : implementation_->initializers)
        if (implementation_->is_learned(array))
            found.emplace_back(name, weights_[learned++].parameter());
        else
            found.emplace_back(name, implementation_->constants.values.at(name).item.variable);
    return found;
}

Items Model::run_items(std::span<const Item> inputs) const {
    implementation_->check_ports(inputs);
    int64_t steps = file_limits().steps;
    Scope learned{&implementation_->constants, {}, &steps};
    for (const Weight& weight : weights_)
        learned.values[weight.initializer] = {weight.parameter(), false};
    Scope scope{&learned, {}, &steps};
    for (size_t i = 0; i < inputs.size(); ++i)
        scope.values[implementation_->inputs[i].name] = {inputs[i], false};
    return implementation_->run_graph(implementation_->proto.graph(), scope);
}

Variables Model::run(std::span<const Variable> inputs) const {
    Variables found;
    for (const Item& item : run_items(Items(inputs.begin(), inputs.end()))) {
        if (!item.variable.defined())
            fail<UnsupportedError>("onnx: {}: output '{}' is {}; call run_items()", implementation_->path,
                                   outputs()[found.size()].name, item.sequence ? "a sequence" : "an absent optional value");
        found.push_back(item.variable);
    }
    return found;
}

Variable Model::operator()(const Variable& x) const {
    Variables outputs = called({&x}, [&] { return run(std::span(&x, 1)); });
    if (outputs.size() != 1)
        fail<ValueError>("onnx: {} has {} outputs; pass a list of inputs to get a list",
                         implementation_->path, outputs.size());
    return outputs[0];
}

std::vector<Variable> Model::operator()(const std::vector<Variable>& inputs) const {
    Variables outputs = called_with([&] { return run(inputs); }, inputs);
    return {outputs.begin(), outputs.end()};
}

Model import_model(const std::string& path, const ImportOptions& options) {
    auto model = std::make_shared<Model::Implementation>();
    model->path = path;
    model->folder = std::filesystem::path(path).parent_path().string();
    parse(path, model->proto, "ONNX model");
    if (!model->proto.has_graph()) fail<FileError>("onnx: {} holds no graph", path);
    read_opset(*model);
    inline_functions(model->proto, path);
    sort_nodes(*model->proto.mutable_graph(), path);
    prepare_unsigned(*model->proto.mutable_graph(), path);
    Checker(*model).check(model->proto.graph());
    model->trainable = options.trainable;
    read_initializers(*model);
    std::set<std::string> given;
    for (const auto& [name, array] : model->initializers) given.insert(name);
    for (const auto& input : model->proto.graph().input())
        if (!given.contains(input.name())) {
            check_input_type(input, path);
            model->inputs.push_back(port_of(input));
        }
    for (const auto& output : model->proto.graph().output())
        model->outputs.push_back(port_of(output));
    model->proto.mutable_graph()->clear_initializer();
    return Model(std::move(model));
}

Array load_tensor(const std::string& path) {
    ::onnx::TensorProto tensor;
    parse(path, tensor, "ONNX tensor");
    return read_tensor(tensor, std::filesystem::path(path).parent_path().string());
}

}  // namespace catena::onnx
