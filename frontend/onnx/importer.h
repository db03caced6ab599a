#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/onnx/errors.h"
#include "runtime/graph/op.h"

namespace onnx {
class AttributeProto;
class GraphProto;
class NodeProto;
}  // namespace onnx

namespace catena::onnx {

/// Runs a subgraph (a branch, a loop's body) on values for its inputs.
using RunGraph = std::function<Variables(const ::onnx::GraphProto&, std::span<const Variable>)>;

/// One node of a model with its input values, as passed to an importer.
class NodeCall {
public:
    /// `known`: one for each input, whether it follows from the model alone.
    NodeCall(const ::onnx::NodeProto& node, int opset, std::vector<Variable> inputs, std::vector<bool> known,
             const std::string& folder, const RunGraph& run_graph)
        : node_(node),
          opset_(opset),
          inputs_(std::move(inputs)),
          known_(std::move(known)),
          folder_(folder),
          run_graph_(run_graph) {}

    int opset() const { return opset_; }
    int count() const { return int(inputs_.size()); }
    int output_count() const;
    bool wants_output(int i) const;  ///< False when output i has no name.
    bool has(int i) const { return size_t(i) < inputs_.size() && inputs_[size_t(i)].defined(); }
    /// FileError when the input is missing.
    const Variable& operator[](int i) const;
    const std::vector<Variable>& inputs() const { return inputs_; }

    bool has_attribute(std::string_view name) const { return find(name) != nullptr; }
    bool has_attributes() const;
    int64_t integer(std::string_view name, int64_t otherwise) const;
    int64_t integer(
        std::string_view name) const;  ///< FileError when it is missing; also below.
    double number(std::string_view name, double otherwise) const;
    std::string text(std::string_view name, std::string otherwise) const;
    std::vector<int64_t> integers(std::string_view name, std::vector<int64_t> otherwise = {}) const;
    std::vector<double> numbers(std::string_view name) const;
    std::vector<std::string> texts(std::string_view name) const;
    Array tensor(std::string_view name) const;
    Variables run_graph(std::string_view attribute, std::span<const Variable> inputs) const;
    int graph_input_count(std::string_view attribute) const;

    /// The input follows from the model alone, whatever it is called with.
    bool is_known(int i) const { return has(i) && known_[size_t(i)]; }
    /// Elements of an input, read on the host: a static region that computes them is cut there.
    std::vector<int64_t> values(int i) const;
    int64_t value(int i) const;     ///< The only element.
    double number_at(int i) const;  ///< The only element, as a number.
    /// An axis in [-rank, rank) made non-negative; FileError naming the node otherwise.
    int axis(int64_t axis, int rank) const;

    std::string describe() const;  ///< "Conv node 'conv_1' (opset 13)"
    [[noreturn]] void unsupported(const std::string& what) const;
    [[noreturn]] void wrong(const std::string& what) const;  ///< FileError.

private:
    const ::onnx::AttributeProto* find(std::string_view name) const;

    const ::onnx::NodeProto& node_;
    int opset_;
    std::vector<Variable> inputs_;
    std::vector<bool> known_;
    const std::string& folder_;
    const RunGraph& run_graph_;
};

/// Converts an operator to calls of Catena's functions. Every family has a file in frontend/onnx/importers.
struct Importer {
    std::string op;
    std::function<Variables(const NodeCall&)> run;
};

/// Adds operators of ONNX's own domain; for static initialisers.
int add_importers(std::vector<Importer> importers);
/// Null when there is no such operator. Operators that map one to one to an op of Catena need no importer: it
/// follows from OpDef::onnx.
const Importer* find_importer(std::string_view domain, std::string_view op);
std::vector<std::string> importer_names();

/// A number of the file with type `dtype`, so that it does not promote an integer array.
inline Scalar number_of(Dtype dtype, double value) {
    return is_float(dtype) ? Scalar(value) : dtype == Dtype::bool_ ? Scalar(value != 0) : Scalar(int64_t(value));
}

}  // namespace catena::onnx
