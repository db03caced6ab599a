#pragma once

#include <string>
#include <vector>

#include "frontend/caffe/errors.h"
#include "frontend/recorded_graph/call_model.h"

namespace catena::caffe {

struct ExportOptions {
    bool export_params = true;  ///< False: only the .prototxt.
    std::string graph_name = "Graph";
    std::string file_name = "catena_model";      ///< Of both files, without folder and ending.
    std::vector<std::string> input_names = {};   ///< Default "data", or "data0", "data1", ...
    std::vector<std::string> output_names = {};  ///< Default "y", or "y0", "y1", ...
};

/// Writes the computation of `body` on arrays like `inputs` as a Caffe network:
/// DIRECTORY/FILE_NAME.prototxt (the layers, as text) and .caffemodel (layers and parameters). It
/// is recorded on shapes only, in test mode. A layer with parameters is called like the link that
/// has them, its blob too. UnsupportedError naming the operator and its line where Caffe has no
/// layer for it.
void export_function(const std::function<Variables(std::span<const Variable>)>& body,
                     const std::vector<Variable>& inputs, const std::string& directory,
                     const ExportOptions& options = {});

/// The same for a link, a static region or any callable of up to eight Variables (or a list of
/// them), returning a Variable, or lists and structs of them.
template <class F>
void export_model(F&& model, const std::vector<Variable>& inputs, const std::string& directory,
                  const ExportOptions& options = {}) {
    export_function(as_function_of_lists(model), inputs, directory, options);
}

}  // namespace catena::caffe
