#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "frontend/serializer/npz.h"
#include "runtime/graph/variable/variable.h"

namespace catena::tool {

/// The description of a model's input. Sizes are numbers, names ("batch"), or "" where the file
/// says nothing.
struct ModelInput {
    std::string name;
    std::optional<Dtype> dtype = {};
    std::optional<std::vector<std::string>> shape = {};
};

/// A model from a file, whatever the format, as a function of arrays.
struct ModelFile {
    std::vector<ModelInput> inputs;
    std::vector<std::string> outputs;
    std::function<std::vector<Variable>(const std::vector<Variable>&)> call;

    std::vector<std::string> input_names() const;
};

/// Opens an ONNX model. ValueError, in `command`'s name, in a build without ONNX.
ModelFile open_onnx(const std::string& command, const std::string& path);

/// Runs a model in test mode and without a graph, function by function (`eager`) or as a static
/// region, and returns the results by name.
NamedArrays run_model(const ModelFile& model, const std::vector<Array>& inputs, bool eager);

}  // namespace catena::tool
