#pragma once

#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/graph/op/op.h"

// The output of ops' ONNX mappings: plain structs, which frontend/onnx writes to files.

namespace catena {

/// A size in an exported program: a constant plus multiples of the sizes that were left open.
struct OnnxSize {
    int64_t constant = 0;
    std::vector<int64_t> factors;  ///< The multiples, one per open size; missing ones are 0.

    OnnxSize(int64_t constant = 0) : constant(constant) {}
    bool is_constant() const;
    friend OnnxSize operator+(const OnnxSize& a, const OnnxSize& b);
    friend OnnxSize operator*(const OnnxSize& a, int64_t factor);
    friend OnnxSize operator-(const OnnxSize& a, const OnnxSize& b) { return a + b * -1; }
    friend bool operator==(const OnnxSize& a, const OnnxSize& b) {
        OnnxSize difference = a - b;
        return difference.constant == 0 && difference.is_constant();
    }
};
using OnnxSizes = std::vector<OnnxSize>;
OnnxSizes to_sizes(std::span<const int64_t> dims);

using OnnxAttribute =
    std::variant<int64_t, double, std::string, std::vector<int64_t>, Dtype, Array>;
using OnnxAttributes = std::vector<std::pair<std::string, OnnxAttribute>>;

/// A node of a graph. Its inputs and outputs are numbers of values; -1 is an input that is not
/// given.
struct OnnxNode {
    std::string type;
    std::vector<int> inputs, outputs;
    OnnxAttributes attributes;
};

/// A graph under construction, in the operators of one opset.
class OnnxGraph {
public:
    explicit OnnxGraph(int opset) : opset_(opset) {}
    int opset() const { return opset_; }

    int add_value() { return value_count_++; }
    int value_count() const { return value_count_; }
    const std::vector<OnnxNode>& nodes() const { return nodes_; }
    const std::map<int, Array>& constants() const { return constants_; }

    int node(std::string type, std::vector<int> inputs, OnnxAttributes attributes = {});
    std::vector<int> node(std::string type, std::vector<int> inputs, OnnxAttributes attributes,
                          int outputs);
    int constant(const Array& array);
    int number(double value, Dtype dtype);          ///< Adds a constant without axes.
    int integers(std::span<const int64_t> values);  ///< Adds a constant int64 vector.
    /// Adds an int64 vector, which is computed in the graph where sizes are open.
    int integers(const OnnxSizes& sizes);
    int cast(int value, Dtype from, Dtype to) {
        return from == to ? value : node("Cast", {value}, {{"to", to}});
    }
    /// Adds a reshape of `value`; if a reshape from that shape made it, returns the source instead.
    int reshape(int value, const OnnxSizes& from, const OnnxSizes& to);

    /// Adds an open size, whose `value` is int64[1].
    void add_open_size(int value) { open_sizes_.push_back(value); }

private:
    struct Reshaped {
        int source;
        OnnxSizes shape;  ///< The sizes of the source.
    };
    int size_value(const OnnxSize& size);

    int opset_;
    int value_count_ = 0;
    std::vector<OnnxNode> nodes_;
    std::map<int, Array> constants_;
    std::map<int, Reshaped> reshaped_;
    std::vector<int> open_sizes_;
};

/// One recorded call, as passed to the OnnxMapping of its op.
struct OnnxCall {
    struct Value {
        int id;
        Dtype dtype;
        OnnxSizes shape;
        int rank() const { return int(shape.size()); }
    };
    const OpDef& op;
    OnnxGraph& graph;
    std::vector<Value> inputs, outputs;  ///< The inputs and outputs; the ids of outputs are -1.
    /// The attributes as recorded; for sizes among them use the functions below.
    const Attributes& attributes;
    std::vector<double> scalars;
    std::map<std::string, OnnxSizes, std::less<>> open;  ///< The attributes that hold open sizes.

    int opset() const { return graph.opset(); }
    int input(int i) const { return inputs[size_t(i)].id; }
    int input(int i, Dtype dtype) const {
        return graph.cast(input(i), inputs[size_t(i)].dtype, dtype);
    }
    Dtype result() const { return outputs[0].dtype; }
    OnnxSizes sizes(std::string_view attribute) const;
    /// An attribute with sizes; ValueError where sizes are open.
    std::vector<int64_t> dims(std::string_view attribute) const;
    int64_t constant(const OnnxSize& size, const char* what) const;
    /// Adds a node with one output and returns it, as the op's outputs.
    std::vector<int> node(std::string type, std::vector<int> values,
                          OnnxAttributes attributes = {}) {
        return {graph.node(std::move(type), std::move(values), std::move(attributes))};
    }
};

/// The ONNX form of a reduction with attributes "axes" and "keepdims": the operator takes its axes
/// as an attribute before opset `since` and as an input from then on.
OnnxMapping onnx_reduction(const char* name, int since = 18);

/// Adds the nodes of the op's mapping or formula; returns the values of the outputs, none when ONNX
/// cannot express it.
std::vector<int> write_onnx(OnnxCall& call);

}  // namespace catena
