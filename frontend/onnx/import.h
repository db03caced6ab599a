#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "frontend/link/owned_link.h"
#include "frontend/onnx/errors.h"
#include "runtime/graph/op/op.h"

namespace catena::onnx {

struct Item;

/// An input or output of a model. Sizes are numbers, names ("batch"), or "" if unspecified.
struct Port {
    std::string name = {};
    std::optional<Dtype> dtype = {};
    std::optional<std::vector<std::string>> shape;
    bool is_sequence = false;  ///< True for a sequence of arrays of this type.
    bool is_optional = false;  ///< True if the value may be absent.
};

struct ImportOptions {
    /// Whether weights become parameters of the model, for fine-tuning. These are the float
    /// initializers that operators read as weights; running statistics, scales and the like stay
    /// constants.
    bool trainable = false;
};

/// A model from a file as a link: every node is a call of Catena's functions, so it runs eagerly,
/// can be differentiated, and compiles inside static_graph like any region. With
/// ImportOptions::trainable it has parameters, for an optimizer, for serializers and for to_device:
/// the initializer "l1/W" or "l1.W" becomes /l1/W, and "W", whose name has no parts, /W/value.
/// Copies have parameters of their own.
class Model : public Link {
public:
    struct Implementation;
    explicit Model(std::shared_ptr<const Implementation> implementation);

    const std::vector<Port>& inputs() const;  ///< The inputs that have no default.
    const std::vector<Port>& outputs() const;
    /// Initializers under their names, in file order; trainable ones are the parameters themselves.
    std::vector<std::pair<std::string, Variable>> initializers() const;

    /// Runs the model and returns all outputs. ValueError, ShapeError or DtypeError when the
    /// arguments do not match inputs(); UnsupportedError when an output is no array.
    Variables run(std::span<const Variable> inputs) const;
    /// Runs a model whose inputs or outputs may be sequences or optional values; Item is in
    /// frontend/onnx/importer.h. Errors as run().
    std::vector<Item> run_items(std::span<const Item> inputs) const;
    /// Runs a model with one input and one output.
    Variable operator()(const Variable& x) const;
    std::vector<Variable> operator()(const std::vector<Variable>& inputs) const;

protected:
    void visit_children(ChildVisitor visit) const override;

private:
    struct Weight {
        std::string initializer;
        OwnedLink link;  ///< The link of the parameter; its only parameter is the weight itself.
        const Parameter& parameter() const { return *link->params()[0]; }
    };
    std::shared_ptr<const Implementation> implementation_;
    std::vector<Weight> weights_;
};

/// Reads a model. FileError when the file is no ONNX model or is inconsistent; UnsupportedError
/// naming operator, node and opset when it needs something Catena lacks.
Model import_model(const std::string& path, const ImportOptions& options = {});

/// Reads an array from a file with one TensorProto (.pb), the form of ONNX's test data.
Array load_tensor(const std::string& path);

}  // namespace catena::onnx
