#pragma once

#include <string>
#include <vector>

#include "frontend/caffe/errors.h"
#include "frontend/recorded_graph/call_model.h"

namespace catena::caffe {

struct ExportOptions {
    /// Whether the .caffemodel with parameters is written; false: only the .prototxt.
    bool export_params = true;
    std::string graph_name = "Graph";
    std::string file_name = "catena_model";  ///< The name of both files, without folder and ending.
    /// Names of the inputs; by default "data", or "data0", "data1", ...
    std::vector<std::string> input_names = {};
    /// Names of the outputs; by default "y", or "y0", "y1", ...
    std::vector<std::string> output_names = {};
};

/// Writes the computation of `body` on arrays like `inputs` as a Caffe network:
/// DIRECTORY/FILE_NAME.prototxt (the layers, as text) and .caffemodel (layers and parameters). It
/// is recorded on shapes only, in test mode. A layer with parameters, and its blob, have the name
/// of the link that owns them. UnsupportedError naming the operator and its line where Caffe has no
/// layer for it.
void export_function(const std::function<Variables(std::span<const Variable>)>& body,
                     const std::vector<Variable>& inputs, const std::string& directory,
                     const ExportOptions& options = {});

/// Writes a link, a static region or any callable of up to eight Variables (or a list of them),
/// which returns a Variable, or lists and structs of them, as export_function() does.
template <class F>
void export_model(F&& model, const std::vector<Variable>& inputs, const std::string& directory,
                  const ExportOptions& options = {}) {
    export_function(as_function_of_lists(model), inputs, directory, options);
}

}  // namespace catena::caffe
