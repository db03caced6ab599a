#include <set>

#include <onnx/onnx_pb.h>

#include "frontend/onnx/loaded_model.h"
#include "frontend/onnx/tensor.h"
#include "frontend/onnx/unsigned_types.h"

namespace catena::onnx {
namespace {

constexpr int oldest_imported_opset = 7;  // Before it arithmetic broadcast by attributes.

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
        port.shape->push_back(dim.has_dim_value() ? std::to_string(dim.dim_value())
                                                  : dim.dim_param());
    return port;
}

/// UnsupportedError unless the input is of arrays of a known type.
void check_input_type(const ::onnx::ValueInfoProto& input, const std::string& path) {
    const ::onnx::TypeProto* type = &input.type();
    if (held_as(type->tensor_type().elem_type())) return;
    if (type->has_optional_type()) type = &type->optional_type().elem_type();
    if (type->has_sequence_type()) type = &type->sequence_type().elem_type();
    if (!type->has_tensor_type())
        fail<UnsupportedError>("onnx: {}: input '{}' is neither a tensor nor a sequence of tensors",
                               path, input.name());
    dtype_from_onnx(type->tensor_type().elem_type(), "input '" + input.name() + "'");
}

void read_initializers(LoadedModel& model) {
    if (model.proto->graph().sparse_initializer_size() > 0)
        fail<UnsupportedError>("onnx: {}: sparse initializers are not supported", model.path);
    std::set<std::string> names;
    for (const auto& tensor : model.proto->graph().initializer()) {
        const Array array = read_tensor(tensor, model.files);
        if (!names.insert(tensor.name()).second)
            fail<FileError>("onnx: {}: two initializers are called '{}'", model.path,
                            tensor.name());
        model.initializers.emplace_back(tensor.name(), array);
        if (model.learned.contains(tensor.name())) continue;
        Variable variable(array, false);
        variable.set_name(tensor.name());
        const bool small = !is_float(array.dtype()) || array.size() <= 64;
        model.constants.emplace(tensor.name(), Value{variable, small});
    }
}

}  // namespace

void read_opset(LoadedModel& model) {
    for (const auto& import : model.proto->opset_import())
        if (import.domain().empty() || import.domain() == "ai.onnx")
            model.opset = int(import.version());
    if (model.opset == 0 && model.proto->opset_import_size() == 0)
        fail<FileError>("onnx: {} names no opset", model.path);
    if (model.opset != 0 && model.opset < oldest_imported_opset)
        fail<UnsupportedError>("onnx: {} is of opset {}; {} and later are supported", model.path,
                               model.opset, oldest_imported_opset);
}

void read_model(LoadedModel& model) {
    read_initializers(model);
    std::set<std::string> given;
    for (const auto& [name, array] : model.initializers) given.insert(name);
    for (const auto& input : model.proto->graph().input())
        if (!given.contains(input.name())) {
            check_input_type(input, model.path);
            model.inputs.push_back(port_of(input));
        }
    for (const auto& output : model.proto->graph().output())
        model.outputs.push_back(port_of(output));
}

void prepare_model(LoadedModel& model) {
    std::vector<std::string> given;
    for (const Port& port : model.inputs) given.push_back(port.name);
    for (const auto& [name, array] : model.initializers)
        if (model.learned.contains(name)) given.push_back(name);
    model.prepared = prepare_graph(model.proto->graph(), given, model.constants, model.path);
}

}  // namespace catena::onnx
