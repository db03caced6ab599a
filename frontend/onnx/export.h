#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "frontend/recorded_graph/call_model.h"
#include "frontend/static_graph/sizes/open_size.h"

namespace catena::onnx {

/// The range of ONNX operator sets that can be written.
inline constexpr int oldest_opset = 13, newest_opset = 26;

using catena::OpenSize;

struct ExportOptions {
    int opset = 18;
    std::string graph_name = "catena";
    /// Names of the inputs; by default "x", or "x0", "x1", ...
    std::vector<std::string> input_names = {};
    /// Names of the outputs; by default "y", or "y0", "y1", ...
    std::vector<std::string> output_names = {};
    /// Axes whose size stays open in the model (dynamic axes): {{0, 0, "batch"}} is the first axis
    /// of the first input.
    std::vector<OpenSize> open_sizes = {};
    /// ONNX forms of ops, by name, which replace their own (OpDef::onnx). An operator's type may
    /// have a domain before it, "com.example.Scale"; its version stands in `opset_imports`.
    std::map<std::string, OnnxMapping> converters = {};
    std::map<std::string, int> opset_imports = {};
    bool train = false;  ///< The mode (Config::train) in which the model is recorded.
    /// Largest total size of parameters, in bytes, inside of the model's file; if they exceed it,
    /// they are written to PATH.data in the same folder.
    int64_t most_bytes_inside = int64_t(1) << 30;
};

/// Writes the computation of `body` on arrays like `inputs` as an ONNX model. It is run on shapes
/// only, once, and twice more for open sizes. Parameters become initializers under their names,
/// "l1/W"; states that the model changes become further inputs and, under NAME.next, further
/// outputs. ValueError naming the op and its line when ONNX cannot express it.
void export_function(const std::function<Variables(std::span<const Variable>)>& body,
                     const std::vector<Variable>& inputs, const std::string& path,
                     const ExportOptions& options = {});

/// Writes a link, a static region or any callable of up to eight Variables (or a list of them),
/// which returns a Variable, or lists and structs of them, as export_function() does.
template <class F>
void export_model(F&& model, const std::vector<Variable>& inputs, const std::string& path,
                  const ExportOptions& options = {}) {
    export_function(as_function_of_lists(model), inputs, path, options);
}

}  // namespace catena::onnx
