#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "frontend/onnx/port.h"
#include "frontend/onnx/prepared_graph.h"
#include "frontend/onnx/tensor.h"

namespace onnx {
class GraphProto;
class ModelProto;
}  // namespace onnx

namespace catena::onnx {

/// A model from a file, read, checked and prepared.
struct LoadedModel {
    std::shared_ptr<::onnx::ModelProto> proto;  ///< The model without its initializers.
    std::string path;
    ModelFiles files;
    int opset = 0;
    std::vector<Port> inputs, outputs;
    std::vector<std::pair<std::string, Array>> initializers;
    std::set<std::string> learned;  ///< Names of the initializers that are parameters.
    /// The initializers that are not learned, and the results of fold_constants().
    Constants constants;
    /// The prepared graph; its scope begins with `inputs` and the initializers that are learned.
    PreparedGraph prepared;

    void check_ports(std::span<const Item> given) const;
    void check_array(const Port& port, const Variable& x) const;
    Items run_graph(const PreparedGraph& graph, Scope& scope) const;
    Items run_subgraph(const PreparedNode& node, const ::onnx::GraphProto& graph,
                       std::span<const Item> values, const Scope& outer) const;
    void run_node(const PreparedNode& node, Scope& scope) const;
};

// Of the file in `proto`; FileError or UnsupportedError as import_model().
void read_opset(LoadedModel& model);
/// Reads the initializers, inputs and outputs.
void read_model(LoadedModel& model);

/// Runs the nodes that only give names to the model's own numbers (Importer::only_names), and takes
/// them out of the graph: exporters write one for each bound and each weight that is used twice,
/// and every call would run them again.
void fold_constants(LoadedModel& model);

/// Prepares model.prepared, after all of the above.
void prepare_model(LoadedModel& model);

/// FileError for a node without outputs. Called before the passes that name things after a node's
/// outputs.
void check_outputs(const ::onnx::GraphProto& graph, const std::string& path);

/// FileError unless every node reads existing values, UnsupportedError unless every operator is
/// known. Called before anything runs.
void check_model(const LoadedModel& model);

}  // namespace catena::onnx
