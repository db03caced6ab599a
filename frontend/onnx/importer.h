#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/onnx/errors.h"
#include "runtime/core/function_ref.h"
#include "runtime/graph/op.h"

namespace onnx {
class AttributeProto;
class GraphProto;
class NodeProto;
}  // namespace onnx

namespace catena::onnx {

struct ModelFiles;
using Sequence = std::shared_ptr<const std::vector<Variable>>;

/// What a name stands for: an array, or a sequence of arrays; neither: an optional value that is
/// absent.
struct Item {
    Variable variable;
    Sequence sequence;
    bool is_absent = false;  ///< On purpose: an optional value without content.

    Item() = default;
    static Item absent() {
        Item item;
        item.is_absent = true;
        return item;
    }
    Item(Variable variable) : variable(std::move(variable)) {}
    explicit Item(std::vector<Variable> list)
        : sequence(std::make_shared<const std::vector<Variable>>(std::move(list))) {}
    bool is_present() const { return variable.defined() || sequence; }
};
using Items = std::vector<Item>;

/// Runs a subgraph (a branch, a loop's body) on values for its inputs.
using RunGraph = FunctionRef<Items(const ::onnx::GraphProto&, std::span<const Item>)>;

/// One node of a model with its input values, as passed to an importer.
class NodeCall {
public:
    /// `known`: one for each input, whether it follows from the model alone.
    NodeCall(const ::onnx::NodeProto& node, int opset, Items items, std::vector<bool> known,
             const ModelFiles& files, RunGraph run_graph);

    int opset() const { return opset_; }
    int count() const { return int(items_.size()); }
    int output_count() const;
    bool wants_output(int i) const;  ///< False when output i has no name.
    bool has(int i) const {
        return size_t(i) < items_.size() && items_[size_t(i)].variable.defined();
    }
    /// FileError when the input is missing.
    const Variable& operator[](int i) const;
    std::vector<Variable> inputs() const;  ///< All of them.
    const Items& items() const { return items_; }
    /// FileError when the input is no sequence.
    const std::vector<Variable>& sequence(int i) const;
    NodeCall with_inputs(std::vector<Variable> inputs) const;  ///< The same node on other inputs.
    /// What ONNX's operator `op` gives for other inputs, with the attributes of this node.
    Variable as(std::string_view op, std::vector<Variable> inputs) const;

    bool has_attribute(std::string_view name) const { return find(name) != nullptr; }
    bool has_attributes() const;
    int64_t integer(std::string_view name, int64_t otherwise) const;
    int64_t integer(std::string_view name) const;  ///< FileError when it is missing; also below.
    double number(std::string_view name, double otherwise) const;
    std::string text(std::string_view name, std::string otherwise) const;
    std::vector<int64_t> integers(std::string_view name, std::vector<int64_t> otherwise = {}) const;
    std::vector<double> numbers(std::string_view name) const;
    std::vector<std::string> texts(std::string_view name) const;
    Array tensor(std::string_view name) const;
    Items run_graph(std::string_view attribute, std::span<const Item> inputs) const;
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
    Items items_;
    std::vector<bool> known_;
    const ModelFiles& files_;
    const RunGraph run_graph_;
};

/// The domain of the operators that ONNX Runtime's optimizer and quantizer put into models.
inline constexpr const char* microsoft = "com.microsoft";

/// Converts an operator to calls of Catena's functions. Every family has a file in
/// frontend/onnx/importers.
struct Importer {
    /// `run` takes a NodeCall and returns Variables or Items.
    template <class F>
    Importer(std::string op, F run, std::string domain = "")
        : op(std::move(op)),
          domain(std::move(domain)),
          run([run](const NodeCall& n) { return to_items(run(n)); }) {}

    std::string op, domain;
    std::function<Items(const NodeCall&)> run;
    /// The operator computes nothing: where a model's own numbers are all that it reads, it runs
    /// once, when the model is read.
    bool only_names = false;

    Importer only_naming() && {
        only_names = true;
        return std::move(*this);
    }

private:
    static Items to_items(Items items) { return items; }
    static Items to_items(const Variables& variables) {
        return {variables.begin(), variables.end()};
    }
};

/// Adds operators; for static initialisers.
int add_importers(std::vector<Importer> importers);
/// Null when there is no such operator. Operators that map one to one to an op of Catena need no
/// importer: it follows from OpDef::onnx.
const Importer* find_importer(std::string_view domain, std::string_view op);
std::vector<std::string> importer_names();

/// A number of the file with type `dtype`, so that it does not promote an integer array.
inline Scalar number_of(Dtype dtype, double value) {
    return is_float(dtype)         ? Scalar(value)
           : dtype == Dtype::bool_ ? Scalar(value != 0)
                                   : Scalar(int64_t(value));
}

}  // namespace catena::onnx
