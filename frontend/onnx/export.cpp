#include "frontend/onnx/export.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <onnx/onnx_pb.h>

#include "frontend/onnx/recording.h"
#include "frontend/onnx/tensor.h"
#include "runtime/file/file.h"
#include "runtime/ops/noise/random.h"

namespace catena::onnx {
namespace {

using Role = Trace::Role;

/// The graph of a recording and the names of its values.
class Exporter {
public:
    Exporter(const Recording& recording, const ExportOptions& options)
        : recording_(recording), trace_(recording.trace), options_(options), graph_(options.opset) {
        id_of_.assign(trace_.values.size(), -1);
        find_changed_states();
        add_inputs();
        for (size_t s = 0; s < trace_.steps.size(); ++s) add_step(s);
        add_outputs();
    }

    ::onnx::ModelProto model(const std::string& data_file,
                             std::vector<std::pair<uint64_t, Array>>& outside) const;

private:
    struct Port {
        int id;
        int value;  ///< Of the trace.
    };

    bool is_random_state(const Trace::Value& value) const {
        return value.state.get() == random_state().body();
    }

    void find_changed_states() {
        for (const Trace::Assign& assign : trace_.assigns)
            if (!is_random_state(trace_.values[size_t(assign.target)]))
                changed_.insert(assign.target);
    }

    std::string unique(std::string name) {
        if (name.starts_with('/')) name.erase(0, 1);
        if (name.empty()) name = "constant";
        std::string result = name;
        for (int n = 1; !taken_.insert(result).second; ++n) result = name + "_" + std::to_string(n);
        return result;
    }

    void add_inputs() {
        for (int v : trace_.inputs)
            if (trace_.values[size_t(v)].role == Role::argument)
                add_port(v, trace_.values[size_t(v)].name);
        for (int v : trace_.inputs) {
            const Trace::Value& value = trace_.values[size_t(v)];
            if (value.role == Role::argument) continue;
            if (changed_.contains(v)) {
                if (is_read(trace_, v)) add_port(v, value.name);
                continue;
            }
            const Array array = value.role == Role::captured ? value.captured : content_of(value);
            id_of_[size_t(v)] = graph_.constant(array);
            names_[id_of_[size_t(v)]] = unique(value.name);
        }
        add_open_sizes();
        locations_.resize(graph_.nodes().size());
    }

    void add_open_sizes() {
        std::vector<int> open;
        for (const OpenSize& place : recording_.open_at) {
            const int shape = graph_.node("Shape", {inputs_[size_t(place.input)].id});
            const int64_t axis = place.axis;
            open.push_back(graph_.node("Gather", {shape, graph_.integers(std::span(&axis, 1))},
                                       {{"axis", 0}}));
        }
        for (const auto& product : recording_.products) {
            open.push_back(product
                               ? graph_.node("Mul", {open[product->first], open[product->second]})
                               : graph_.add_value());
            if (!product) not_computed_.insert(open.back());
        }
        for (int value : open) graph_.add_open_size(value);
    }

    /// Nodes from `first` on must not read open sizes that no node computes.
    void check_sizes(const Trace::Step& step, size_t first) const {
        for (size_t n = first; n < graph_.nodes().size(); ++n)
            for (int v : graph_.nodes()[n].inputs)
                if (not_computed_.contains(v))
                    fail<ValueError>(
                        "onnx: {} needs a size that is neither an affine function of the open "
                        "sizes nor a product of two; give "
                        "one of them",
                        step.op->name);
    }

    static Array content_of(const Trace::Value& value) {
        if (value.role == Role::gradient)
            fail<ValueError>("onnx: the model reads the gradient of '{}', which cannot be saved",
                             value.name);
        return value.state->array;
    }

    void add_port(int value, const std::string& name) {
        const int id = graph_.add_value();
        id_of_[size_t(value)] = id;
        names_[id] = unique(name);
        inputs_.push_back({id, value});
    }

    std::vector<OnnxCall::Value> describe(const std::vector<int>& values) const {
        std::vector<OnnxCall::Value> result;
        for (int v : values)
            result.push_back({id_of_[size_t(v)], trace_.values[size_t(v)].type.dtype,
                              recording_.shapes[size_t(v)]});
        return result;
    }

    void add_step(size_t s) {
        const Trace::Step& step = trace_.steps[s];
        LocationScope location(step.location);
        OnnxCall call{*step.op,        graph_, describe(step.inputs),   describe(step.outputs),
                      step.attributes, {},     recording_.attributes[s]};
        for (int i : step.scalars) call.scalars.push_back(trace_.scalars[size_t(i)].value);
        const bool wanted = is_wanted(step);
        for (const OnnxCall::Value& x : call.inputs)
            if (wanted && x.id < 0)
                fail<ValueError>("onnx: {} reads a result that ONNX's operator does not have",
                                 step.op->name);
        const size_t before = graph_.nodes().size();
        const std::vector<int> results =
            wanted ? write_onnx(call) : std::vector<int>(step.outputs.size(), -1);
        if (results.size() != step.outputs.size())
            fail<ValueError>("onnx: {} cannot be expressed in opset {}", step.op->name, options_.opset);
        check_sizes(step, before);
        for (size_t i = 0; i < results.size(); ++i) id_of_[size_t(step.outputs[i])] = results[i];
        locations_.resize(graph_.nodes().size(), to_string(step.location));
    }

    /// Steps that only serve an omitted assignment need not be exported.
    bool is_wanted(const Trace::Step& step) {
        if (needed_.empty()) find_needed();
        return std::any_of(step.outputs.begin(), step.outputs.end(),
                           [&](int v) { return needed_[size_t(v)]; });
    }

    void find_needed() {
        needed_.assign(trace_.values.size(), false);
        for (int v : trace_.outputs) needed_[size_t(v)] = true;
        for (const Trace::Assign& assign : trace_.assigns)
            if (changed_.contains(assign.target)) needed_[size_t(assign.value)] = true;
        for (size_t s = trace_.steps.size(); s-- > 0;) {
            const Trace::Step& step = trace_.steps[s];
            if (std::any_of(step.outputs.begin(), step.outputs.end(),
                            [&](int v) { return needed_[size_t(v)]; }))
                for (int v : step.inputs) needed_[size_t(v)] = true;
        }
    }

    void add_output(int value, const std::string& name) {
        int id = id_of_[size_t(value)];
        if (id < 0)
            fail<ValueError>("onnx: output '{}' is one that ONNX's operator does not have", name);
        if (names_.contains(id)) id = graph_.node("Identity", {id});
        names_[id] = unique(name);
        outputs_.push_back({id, value});
    }

    void add_outputs() {
        const size_t count = trace_.outputs.size();
        if (!options_.output_names.empty() && options_.output_names.size() != count)
            fail<ValueError>("onnx: {} output names are given, the model has {} outputs",
                             options_.output_names.size(), count);
        for (size_t i = 0; i < count; ++i)
            add_output(trace_.outputs[i], !options_.output_names.empty() ? options_.output_names[i]
                                          : count == 1                   ? "y"
                                                                         : "y" + std::to_string(i));
        for (const Trace::Assign& assign : trace_.assigns) {
            if (!changed_.contains(assign.target)) continue;
            const int before = id_of_[size_t(assign.target)];
            const std::string name = before >= 0
                                         ? names_.at(before)
                                         : unique(trace_.values[size_t(assign.target)].name);
            add_output(assign.value, name + ".next");
        }
        locations_.resize(graph_.nodes().size());
    }

    std::vector<char> used_values() const {
        std::vector<char> used(size_t(graph_.value_count()), false);
        for (const Port& port : outputs_) used[size_t(port.id)] = true;
        for (size_t n = graph_.nodes().size(); n-- > 0;) {
            const OnnxNode& node = graph_.nodes()[n];
            if (std::any_of(node.outputs.begin(), node.outputs.end(),
                            [&](int v) { return used[size_t(v)]; }))
                for (int v : node.inputs)
                    if (v >= 0) used[size_t(v)] = true;
        }
        return used;
    }

    std::string name_of(int id) const {
        if (id < 0) return "";
        auto found = names_.find(id);
        return found != names_.end() ? found->second : "v" + std::to_string(id);
    }

    void write_node(size_t n, ::onnx::NodeProto& proto) const;
    void write_port(const Port& port, ::onnx::ValueInfoProto& proto) const;

    const Recording& recording_;
    const Trace& trace_;
    const ExportOptions& options_;
    OnnxGraph graph_;
    std::vector<int> id_of_;      ///< Graph value of every value of the trace; -1: not given.
    std::set<int> not_computed_;  ///< Open sizes that the graph has no nodes for.
    std::set<int> changed_;       ///< States that are assigned.
    std::vector<char> needed_;
    std::map<int, std::string> names_;
    std::set<std::string> taken_;
    std::vector<std::string> locations_;  ///< Of every node.
    std::vector<Port> inputs_, outputs_;
};

void write_attribute(const std::string& name, const OnnxAttribute& value,
                     ::onnx::AttributeProto& proto) {
    proto.set_name(name);
    if (const auto* integer = std::get_if<int64_t>(&value)) {
        proto.set_type(::onnx::AttributeProto::INT);
        proto.set_i(*integer);
    } else if (const auto* number = std::get_if<double>(&value)) {
        proto.set_type(::onnx::AttributeProto::FLOAT);
        proto.set_f(float(*number));
    } else if (const auto* text = std::get_if<std::string>(&value)) {
        proto.set_type(::onnx::AttributeProto::STRING);
        proto.set_s(*text);
    } else if (const auto* integers = std::get_if<std::vector<int64_t>>(&value)) {
        proto.set_type(::onnx::AttributeProto::INTS);
        for (int64_t i : *integers) proto.add_ints(i);
    } else if (const auto* dtype = std::get_if<Dtype>(&value)) {
        proto.set_type(::onnx::AttributeProto::INT);
        proto.set_i(to_onnx(*dtype));
    } else {
        proto.set_type(::onnx::AttributeProto::TENSOR);
        write_tensor(std::get<Array>(value), "", *proto.mutable_t());
    }
}

void Exporter::write_node(size_t n, ::onnx::NodeProto& proto) const {
    const OnnxNode& node = graph_.nodes()[n];
    proto.set_op_type(node.type);
    proto.set_name(node.type + "_" + std::to_string(n));
    for (int v : node.inputs) proto.add_input(name_of(v));
    for (int v : node.outputs) proto.add_output(name_of(v));
    for (const auto& [name, value] : node.attributes)
        write_attribute(name, value, *proto.add_attribute());
    if (!locations_[n].empty()) proto.set_doc_string(locations_[n]);
}

void Exporter::write_port(const Port& port, ::onnx::ValueInfoProto& proto) const {
    proto.set_name(name_of(port.id));
    auto* type = proto.mutable_type()->mutable_tensor_type();
    type->set_elem_type(to_onnx(trace_.values[size_t(port.value)].type.dtype));
    type->mutable_shape();
    for (const OnnxSize& size : recording_.shapes[size_t(port.value)]) {
        auto* dim = type->mutable_shape()->add_dim();
        if (size.is_constant())
            dim->set_dim_value(size.constant);
        else
            for (size_t k = 0; k < recording_.open_names.size(); ++k) {
                OnnxSize alone;
                alone.factors.assign(recording_.open_names.size(), 0);
                alone.factors[k] = 1;
                if (size == alone) dim->set_dim_param(recording_.open_names[k]);
            }
    }
}

::onnx::ModelProto Exporter::model(const std::string& data_file,
                                   std::vector<std::pair<uint64_t, Array>>& outside) const {
    ::onnx::ModelProto model;
    // The oldest version of the format that supports this opset.
    model.set_ir_version(8);
    model.set_producer_name("catena");
    auto* opset = model.add_opset_import();
    opset->set_domain("");
    opset->set_version(options_.opset);
    ::onnx::GraphProto& graph = *model.mutable_graph();
    graph.set_name(options_.graph_name);
    const std::vector<char> used = used_values();
    for (const Port& port : inputs_) write_port(port, *graph.add_input());
    for (const Port& port : outputs_) write_port(port, *graph.add_output());
    for (size_t n = 0; n < graph_.nodes().size(); ++n) {
        const auto& outputs = graph_.nodes()[n].outputs;
        if (std::any_of(outputs.begin(), outputs.end(), [&](int v) { return used[size_t(v)]; }))
            write_node(n, *graph.add_node());
    }
    uint64_t bytes = 0, offset = 0;
    const auto bytes_of = [](const Array& a) { return uint64_t(a.size()) * size_of(a.dtype()); };
    for (const auto& [id, array] : graph_.constants())
        if (used[size_t(id)]) bytes += bytes_of(array);
    const bool beside = bytes > uint64_t(options_.most_bytes_inside);
    for (const auto& [id, array] : graph_.constants()) {
        if (!used[size_t(id)]) continue;
        ::onnx::TensorProto& tensor = *graph.add_initializer();
        if (!beside || bytes_of(array) < 1024) {
            write_tensor(array, name_of(id), tensor);
            continue;
        }
        tensor.set_name(name_of(id));
        tensor.set_data_type(to_onnx(array.dtype()));
        for (int64_t size : array.shape()) tensor.add_dims(size);
        tensor.set_data_location(::onnx::TensorProto::EXTERNAL);
        const std::pair<const char*, std::string> entries[] = {
            {"location", data_file},
            {"offset", std::to_string(offset)},
            {"length", std::to_string(bytes_of(array))}};
        for (const auto& [key, value] : entries) {
            auto* entry = tensor.add_external_data();
            entry->set_key(key);
            entry->set_value(value);
        }
        outside.emplace_back(offset, array);
        offset += bytes_of(array);
    }
    return model;
}

void write_outside(const std::string& path, const std::vector<std::pair<uint64_t, Array>>& arrays) {
    AtomicFile file(path);
    for (const auto& [offset, array] : arrays) {
        const Array dense = array.as_contiguous();
        file.write(dense.elements(), size_t(dense.size()) * size_of(dense.dtype()));
    }
    file.commit();
}

void check_options(const std::vector<Variable>& inputs, const ExportOptions& options) {
    if (options.opset < oldest_opset || options.opset > newest_opset)
        fail<ValueError>("onnx: models are written in opset {} to {}, not {}", oldest_opset,
                         newest_opset, options.opset);
    if (!options.input_names.empty() && options.input_names.size() != inputs.size())
        fail<ValueError>("onnx: {} input names are given, the model has {} inputs",
                         options.input_names.size(), inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i)
        if (!inputs[i].defined() || !inputs[i].array().defined())
            fail<ValueError>("onnx: input {} holds no array", i);
}

}  // namespace

void export_function(const std::function<Variables(std::span<const Variable>)>& body,
                     const std::vector<Variable>& inputs, const std::string& path,
                     const ExportOptions& options) {
    check_options(inputs, options);
    const Recording recording = record(body, inputs, options);
    const Exporter exporter(recording, options);
    std::vector<std::pair<uint64_t, Array>> outside;
    const std::string data_file = std::filesystem::path(path).filename().string() + ".data";
    const ::onnx::ModelProto model = exporter.model(data_file, outside);
    std::string bytes;
    if (!model.SerializeToString(&bytes))
        fail<FileError>("onnx: {} would be larger than the format allows", path);
    if (!outside.empty()) write_outside(path + ".data", outside);
    AtomicFile file(path);
    file.write(bytes.data(), bytes.size());
    file.commit();
}

}  // namespace catena::onnx
