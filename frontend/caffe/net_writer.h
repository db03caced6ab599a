#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frontend/caffe/errors.h"
#include "frontend/recorded_graph/recorded_graph.h"

namespace catena::caffe {

namespace format {
class LayerParameter;
class NetParameter;
}  // namespace format

class NetWriter;

/// One operator of a recorded model, as passed to the function that writes its layers.
class Operator {
public:
    Operator(NetWriter& net, const OnnxNode& node, std::string location)
        : net_(net), node_(node), location_(std::move(location)) {}

    int count() const { return int(node_.inputs.size()); }
    bool has(int i) const { return i < count() && node_.inputs[size_t(i)] >= 0; }
    bool is_constant(int i) const;
    /// Input i as float32; UnsupportedError calling it `what` when it is computed from the
    /// network's inputs.
    Array constant(int i, const char* what) const;
    /// The only element of a constant; none if input i is something else.
    std::optional<double> number(int i) const;
    /// The shape of input i; none if unknown, for values that only the operators have.
    std::optional<Shape> input_shape(int i) const;
    std::optional<Shape> output_shape() const;

    int64_t integer(std::string_view name, int64_t otherwise) const;
    double real(std::string_view name, double otherwise) const;
    std::vector<int64_t> integers(std::string_view name) const;
    std::optional<Dtype> dtype(std::string_view name) const;

    /// Adds a layer from input `input` to output 0, or to a blob between two layers.
    format::LayerParameter& layer(const std::string& type, int input = 0);
    /// Adds a layer behind the last one; the blob between the two is named like the last layer's,
    /// with `suffix`.
    format::LayerParameter& then(const std::string& type, const char* suffix);
    /// Adds a layer from several inputs to several outputs.
    format::LayerParameter& layer(const std::string& type, const std::vector<int>& inputs,
                                  int outputs = 1);
    /// The layer that computes input i, if nothing else reads it; null otherwise.
    format::LayerParameter* only_source(int i) const;
    /// Whether input i is read elsewhere, too.
    bool is_shared(int i) const;
    /// Makes output 0 another name for the blob of input i.
    void alias(int i);
    /// Whether every operator that reads output 0 is of this type.
    bool all_readers_are(const char* type) const;

    [[noreturn]] void unsupported(const std::string& what) const;

private:
    friend class NetWriter;
    NetWriter& net_;
    const OnnxNode& node_;
    std::string location_;
    format::LayerParameter* last_ = nullptr;
};

void add_blob(format::LayerParameter& layer, const Array& array);

/// Writes the layers for ONNX's operator `type`. Every family has a file in frontend/caffe/nodes.
struct LayerWriter {
    std::string type;
    std::function<void(Operator&)> write;
};
/// Adds writers of layers: for static initialisers.
int add_layer_writers(std::vector<LayerWriter> writers);

/// A recorded model as Caffe's layers.
class NetWriter {
public:
    NetWriter(const RecordedGraph& graph, format::NetParameter& net);

private:
    friend class Operator;
    void add_inputs();
    bool fold(const OnnxNode& node);
    void add_operator(size_t n);
    std::string unique(std::string name);
    std::string layer_name(const OnnxNode& node, const std::string& type);
    const std::string& blob(int id) const { return blobs_.at(id); }

    const RecordedGraph& graph_;
    format::NetParameter& net_;
    /// The blob of every value that depends on the network's inputs.
    std::map<int, std::string> blobs_;
    std::map<int, Array> constants_;
    /// For constants computed here, the value from which they come and get their names.
    std::map<int, int> folded_from_;
    std::map<int, format::LayerParameter*> sources_;
    std::map<int, std::vector<const OnnxNode*>> readers_;
    std::set<int> outputs_;
    std::set<std::string> names_;
};

}  // namespace catena::caffe
