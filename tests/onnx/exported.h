#pragma once

#include <string>
#include <vector>

#include "frontend/onnx/export.h"

namespace catena::testing {

/// An empty folder of this test.
std::string fresh_folder(const std::string& name);

/// Writes FOLDER/NAME.onnx and, for ONNX Runtime, inputs and expected outputs to NAME.npz.
void write_case(const std::string& folder, const std::string& name,
                const std::vector<Variable>& inputs, const Variables& outputs);

/// Runs what was written in ONNX Runtime; skips without Python.
void expect_agreement_in_onnx_runtime(const std::string& folder);

void expect_equal(const Array& actual, const Array& expected, double tolerance,
                  const std::string& what);

}  // namespace catena::testing
