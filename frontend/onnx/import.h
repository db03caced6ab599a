#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "frontend/onnx/errors.h"
#include "runtime/ops/op.h"

namespace catena::onnx {

/// An input or output of a model. Sizes are numbers, names ("batch"), or "" where nothing is said.
struct Port {
    std::string name;
    std::optional<Dtype> dtype;
    std::optional<std::vector<std::string>> shape;
};

struct ImportOptions {
    /// Float initializers become variables that want gradients, for fine-tuning.
    bool trainable = false;
};

/// A model from a file as a callable of Variables: every node is a call of Catena's functions, so
/// it runs eagerly, can be differentiated, and compiles inside static_graph like any region. A
/// cheap handle; copies share the parameters.
class Model {
public:
    struct Implementation;
    explicit Model(std::shared_ptr<const Implementation> implementation)
        : implementation_(std::move(implementation)) {}

    const std::vector<Port>& inputs() const;  ///< Without those that have a default.
    const std::vector<Port>& outputs() const;
    /// Initializers under their names, in file order.
    const std::vector<std::pair<std::string, Variable>>& initializers() const;

    /// All outputs. ValueError, ShapeError or DtypeError when the inputs are not as inputs() says.
    Variables run(std::span<const Variable> inputs) const;
    /// The output of a model that has one.
    Variable operator()(const Variable& x) const;
    std::vector<Variable> operator()(const std::vector<Variable>& inputs) const;

private:
    std::shared_ptr<const Implementation> implementation_;
};

/// FileError when the file is no ONNX model or does not hold together; UnsupportedError naming
/// operator, node and opset when it needs what Catena does not have.
Model import_model(const std::string& path, const ImportOptions& options = {});

/// An array from a file of one TensorProto (.pb), as ONNX's test data are kept.
Array load_tensor(const std::string& path);

}  // namespace catena::onnx
