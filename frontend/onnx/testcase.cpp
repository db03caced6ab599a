#include "frontend/onnx/testcase.h"

#include <filesystem>

#include <onnx/onnx_pb.h>

#include "frontend/onnx/import.h"
#include "frontend/onnx/tensor.h"
#include "runtime/file/write_file.h"
#include "runtime/graph/settings/config.h"

namespace catena::onnx {
namespace {

void write(const std::string& path, const Array& array, const std::string& name) {
    ::onnx::TensorProto tensor;
    write_tensor(array, name, tensor);
    write_file(path, tensor.SerializeAsString());
}

/// "l1/W" of "/l1/W", as the model calls it.
std::string in_model(const std::string& path) {
    return path.starts_with('/') ? path.substr(1) : path;
}

}  // namespace

void export_testcase(const std::function<Variables(std::span<const Variable>)>& body,
                     const NamedParameters& parameters, const std::vector<Variable>& inputs,
                     const std::string& folder, const TestcaseOptions& options) {
    const std::string data = folder + "/test_data_set_0";
    std::filesystem::create_directories(data);
    const auto mode = using_config(&Config::train, options.model.train);
    const auto backprop = using_config(&Config::enable_backprop, options.output_grad);
    for (const auto& [name, parameter] : parameters) parameter->cleargrad();
    const Variables outputs =
        body(inputs);  // First: links take their sizes from their first inputs.
    export_function(body, inputs, folder + "/model.onnx", options.model);
    const Model model = import_model(folder + "/model.onnx");
    for (size_t i = 0; i < inputs.size(); ++i)
        write(fmt::format("{}/input_{}.pb", data, i), inputs[i].array(), model.inputs().at(i).name);
    for (size_t i = 0; i < outputs.size(); ++i)
        write(fmt::format("{}/output_{}.pb", data, i), outputs[i].array(),
              model.outputs().at(i).name);
    if (!options.output_grad) return;
    for (const Variable& y : outputs) {
        y.set_grad(Array::full(y.type(), 1));
        y.backward();
    }
    size_t i = 0;
    for (const auto& [name, parameter] : parameters)
        if (parameter->grad().defined())
            write(fmt::format("{}/gradient_{}.pb", data, i++), parameter->grad(), in_model(name));
}

}  // namespace catena::onnx
