#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "frontend/serializer/npz.h"
#include "runtime/graph/variable.h"

namespace catena::tool {

/// What a model takes. Sizes are numbers, names ("batch"), or "" where the file says nothing.
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

/// ValueError, in `command`'s name, in a build without ONNX.
ModelFile open_onnx(const std::string& command, const std::string& path);

/// The results by name, in test mode and without a graph: of the functions one by one, or of a
/// static region.
NamedArrays run_model(const ModelFile& model, const std::vector<Array>& inputs, bool eager);

}  // namespace catena::tool
