#pragma once

#include <string>
#include <utility>
#include <vector>

#include "frontend/link/link.h"
#include "frontend/onnx/export.h"

namespace catena::onnx {

struct TestcaseOptions {
    ExportOptions model = {};
    /// Whether the parameters' gradients are written, too, from ones for the outputs.
    bool output_grad = false;
};

using NamedParameters = std::vector<std::pair<std::string, Parameter*>>;

/// Writes a model with its inputs and outputs in the form of ONNX's tests: FOLDER/model.onnx, and
/// in FOLDER/test_data_set_0 input_I.pb and output_I.pb under the names of the model's ports, and
/// for the parameters gradient_I.pb under theirs ("l1/W"). A parameter without gradient is left
/// out. The model is run once, in the mode of the options.
void export_testcase(const std::function<Variables(std::span<const Variable>)>& body,
                     const NamedParameters& parameters, const std::vector<Variable>& inputs,
                     const std::string& folder, const TestcaseOptions& options = {});

/// Writes a test of a link or any other callable, as export_model takes it; only links have
/// parameters.
template <class F>
void export_testcase(F&& model, const std::vector<Variable>& inputs, const std::string& folder,
                     const TestcaseOptions& options = {}) {
    NamedParameters parameters;
    if constexpr (std::is_base_of_v<Link, std::remove_cvref_t<F>>) parameters = model.namedparams();
    export_testcase(as_function_of_lists(model), parameters, inputs, folder, options);
}

}  // namespace catena::onnx
