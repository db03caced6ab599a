#include "tools/catena/model_file.h"

#include <memory>

#include "frontend/static_graph/static_graph.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/settings/config.h"
#ifdef CATENA_HAS_ONNX
#include "frontend/onnx/import.h"
#endif

namespace catena::tool {

std::vector<std::string> ModelFile::input_names() const {
    std::vector<std::string> names;
    for (const ModelInput& input : inputs) names.push_back(input.name);
    return names;
}

#ifdef CATENA_HAS_ONNX

ModelFile open_onnx(const std::string&, const std::string& path) {
    const auto model = std::make_shared<onnx::Model>(onnx::import_model(path));
    ModelFile file;
    for (const onnx::Port& port : model->inputs())
        file.inputs.push_back({port.name, port.dtype, port.shape});
    for (const onnx::Port& port : model->outputs()) file.outputs.push_back(port.name);
    file.call = [model](const std::vector<Variable>& xs) { return (*model)(xs); };
    return file;
}

#else

ModelFile open_onnx(const std::string& command, const std::string& path) {
    fail<ValueError>(
        "{}: {} cannot be read, this Catena was built without ONNX (libprotobuf-dev libonnx-dev)",
        command, path);
}

#endif

NamedArrays run_model(const ModelFile& model, const std::vector<Array>& inputs, bool eager) {
    const auto test_mode = using_config(&Config::train, false);
    const auto no_graph = no_backprop_mode();
    std::vector<Variable> xs;
    for (const Array& input : inputs) xs.emplace_back(input, false);
    std::vector<Variable> ys;
    if (eager) {
        ys = model.call(xs);
    } else {
        auto region = static_graph(model.call, {.name = "model"});
        region(xs);  // Records.
        ys = region(xs);
    }
    NamedArrays results;
    for (size_t i = 0; i < ys.size(); ++i) results.emplace_back(model.outputs[i], ys[i].array());
    return results;
}

}  // namespace catena::tool
