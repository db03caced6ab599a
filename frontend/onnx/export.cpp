#include "frontend/onnx/export.h"

#include <algorithm>
#include <filesystem>

#include <onnx/onnx_pb.h>

#include "frontend/onnx/tensor.h"
#include "frontend/recorded_graph/recorded_graph.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/file/file.h"
#include "runtime/file/write_file.h"

namespace catena::onnx {
namespace {

/// Writes a graph in ONNX's messages.
class ModelWriter {
public:
    ModelWriter(const RecordedGraph& graph, const ExportOptions& options)
        : graph_(graph), options_(options) {}

    ::onnx::ModelProto model(const std::string& data_file,
                             std::vector<std::pair<uint64_t, Array>>& outside) const;

private:
    void write_node(size_t n, ::onnx::NodeProto& proto) const;
    void write_port(const RecordedGraph::Port& port, ::onnx::ValueInfoProto& proto) const;

    const RecordedGraph& graph_;
    const ExportOptions& options_;
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

/// "com.example.Scale" as {"com.example", "Scale"}; ONNX's own operators have no dots.
std::pair<std::string, std::string> domain_and_type(const std::string& name) {
    const size_t dot = name.rfind('.');
    return dot == name.npos ? std::pair(std::string(), name)
                            : std::pair(name.substr(0, dot), name.substr(dot + 1));
}

void ModelWriter::write_node(size_t n, ::onnx::NodeProto& proto) const {
    const OnnxNode& node = graph_.graph().nodes()[n];
    const auto [domain, type] = domain_and_type(node.type);
    if (!domain.empty() && !options_.opset_imports.contains(domain))
        fail<ValueError>(
            "onnx: {} is written as {}; give the version of the domain '{}' in opset_imports",
            graph_.location(n).empty() ? "an op" : graph_.location(n), node.type, domain);
    proto.set_op_type(type);
    proto.set_domain(domain);
    proto.set_name(type + "_" + std::to_string(n));
    for (int v : node.inputs) proto.add_input(graph_.name_of(v));
    for (int v : node.outputs) proto.add_output(graph_.name_of(v));
    for (const auto& [name, value] : node.attributes)
        write_attribute(name, value, *proto.add_attribute());
    if (!graph_.location(n).empty()) proto.set_doc_string(graph_.location(n));
}

void ModelWriter::write_port(const RecordedGraph::Port& port, ::onnx::ValueInfoProto& proto) const {
    const Recording& recording = graph_.recording();
    proto.set_name(graph_.name_of(port.id));
    auto* type = proto.mutable_type()->mutable_tensor_type();
    type->set_elem_type(to_onnx(recording.trace.values[size_t(port.value)].type.dtype));
    type->mutable_shape();
    for (const OnnxSize& size : recording.shapes[size_t(port.value)]) {
        auto* dim = type->mutable_shape()->add_dim();
        if (size.is_constant())
            dim->set_dim_value(size.constant);
        else
            for (size_t k = 0; k < recording.open_names.size(); ++k) {
                OnnxSize alone;
                alone.factors.assign(recording.open_names.size(), 0);
                alone.factors[k] = 1;
                if (size == alone) dim->set_dim_param(recording.open_names[k]);
            }
    }
}

::onnx::ModelProto ModelWriter::model(const std::string& data_file,
                                      std::vector<std::pair<uint64_t, Array>>& outside) const {
    ::onnx::ModelProto model;
    // The oldest version of the format that supports this opset.
    model.set_ir_version(8);
    model.set_producer_name("catena");
    auto* opset = model.add_opset_import();
    opset->set_domain("");
    opset->set_version(options_.opset);
    for (const auto& [domain, version] : options_.opset_imports) {
        auto* import = model.add_opset_import();
        import->set_domain(domain);
        import->set_version(version);
    }
    ::onnx::GraphProto& graph = *model.mutable_graph();
    graph.set_name(options_.graph_name);
    const std::vector<char> used = graph_.used_values();
    const OnnxGraph& nodes = graph_.graph();
    for (const auto& port : graph_.inputs()) write_port(port, *graph.add_input());
    for (const auto& port : graph_.outputs()) write_port(port, *graph.add_output());
    for (size_t n = 0; n < nodes.nodes().size(); ++n) {
        const auto& outputs = nodes.nodes()[n].outputs;
        if (std::any_of(outputs.begin(), outputs.end(), [&](int v) { return used[size_t(v)]; }))
            write_node(n, *graph.add_node());
    }
    uint64_t bytes = 0, offset = 0;
    const auto bytes_of = [](const Array& a) { return uint64_t(a.size()) * size_of(a.dtype()); };
    for (const auto& [id, array] : nodes.constants())
        if (used[size_t(id)]) bytes += bytes_of(array);
    const bool beside = bytes > uint64_t(options_.most_bytes_inside);
    for (const auto& [id, array] : nodes.constants()) {
        if (!used[size_t(id)]) continue;
        ::onnx::TensorProto& tensor = *graph.add_initializer();
        if (!beside || bytes_of(array) < 1024) {
            write_tensor(array, graph_.name_of(id), tensor);
            continue;
        }
        tensor.set_name(graph_.name_of(id));
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
        fail<ValueError>(
            "onnx: {} input names are given, the model has {} inputs; give one for each",
            options.input_names.size(), inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i)
        if (!inputs[i].defined() || !inputs[i].array().defined())
            fail<ValueError>("onnx: input {} is undefined; give an array of the input's shape", i);
}

}  // namespace

void export_function(const std::function<Variables(std::span<const Variable>)>& body,
                     const std::vector<Variable>& inputs, const std::string& path,
                     const ExportOptions& options) try {
    check_options(inputs, options);
    const RecordingOptions how{.who = "onnx",
                               .opset = options.opset,
                               .input_names = options.input_names,
                               .output_names = options.output_names,
                               .open_sizes = options.open_sizes,
                               .train = options.train,
                               .converters = options.converters};
    const Recording recording = record(body, inputs, how);
    const RecordedGraph graph(recording, how);
    const ModelWriter writer(graph, options);
    std::vector<std::pair<uint64_t, Array>> outside;
    const std::string data_file = std::filesystem::path(path).filename().string() + ".data";
    const ::onnx::ModelProto model = writer.model(data_file, outside);
    std::string bytes;
    if (!model.SerializeToString(&bytes))
        fail<FileError>("onnx: {} would be larger than the format allows", path);
    if (!outside.empty()) write_outside(path + ".data", outside);
    write_file(path, bytes);
} catch (const std::bad_alloc&) {
    throw_out_of_memory("onnx", path);
}

}  // namespace catena::onnx
