#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "frontend/recorded_graph/call_model.h"
#include "frontend/static_graph/sizes/open_size.h"

namespace catena::onnx {

/// The range of operator sets for export.
inline constexpr int oldest_opset = 13, newest_opset = 26;

using catena::OpenSize;

struct ExportOptions {
    int opset = 18;
    std::string graph_name = "catena";
    std::vector<std::string> input_names = {};   ///< Default "x", or "x0", "x1", ...
    std::vector<std::string> output_names = {};  ///< Default "y", or "y0", "y1", ...
    std::vector<OpenSize> open_sizes =
        {};  ///< {{0, 0, "batch"}}: the first axis of the first input.
    /// How ops, by name, are written instead of by their own form (OpDef::onnx). An operator's type
    /// may have a domain before it, "com.example.Scale"; its version stands in `opset_imports`.
    std::map<std::string, OnnxMapping> converters = {};
    std::map<std::string, int> opset_imports = {};
    bool train = false;  ///< The mode (Config::train) in which the model is recorded.
    /// Parameters are written to PATH.data, beside the model, if they exceed this total size.
    int64_t most_bytes_inside = int64_t(1) << 30;
};

/// Writes the computation of `body` on arrays like `inputs` as an ONNX model. It is run on shapes
/// only, once, and twice more for open sizes. Parameters become initializers under their names,
/// "l1/W"; states that the model changes become further inputs and, under NAME.next, further
/// outputs. ValueError naming the op and its line when ONNX cannot express it.
void export_function(const std::function<Variables(std::span<const Variable>)>& body,
                     const std::vector<Variable>& inputs, const std::string& path,
                     const ExportOptions& options = {});

/// The same for a link, a static region or any callable of up to eight Variables (or a list of
/// them), returning a Variable, or lists and structs of them.
template <class F>
void export_model(F&& model, const std::vector<Variable>& inputs, const std::string& path,
                  const ExportOptions& options = {}) {
    export_function(as_function_of_lists(model), inputs, path, options);
}

}  // namespace catena::onnx
