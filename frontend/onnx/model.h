#pragma once

#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frontend/onnx/import.h"
#include "frontend/onnx/importer.h"

namespace onnx {
class ModelProto;
}

namespace catena::onnx {

/// A value, and whether its elements are known without the caller's arrays: sizes and what is
/// computed from them. Known values are computed separately, not recorded, so that a static region may
/// read them.
struct Value {
    Item item;
    bool known = false;
};

struct Scope {
    const Scope* outer = nullptr;
    std::unordered_map<std::string, Value> values;
    /// Remaining number of subgraph runs: one for every step of a loop.
    int64_t* steps_left = nullptr;

    const Value* find(const std::string& name) const {
        for (const Scope* scope = this; scope; scope = scope->outer)
            if (auto found = scope->values.find(name); found != scope->values.end())
                return &found->second;
        return nullptr;
    }
};

struct Model::Implementation {
    std::shared_ptr<::onnx::ModelProto> proto;  ///< Without its initializers.
    std::string path, folder;
    int opset = 0;
    std::vector<Port> inputs, outputs;
    std::vector<std::pair<std::string, Array>> initializers;
    bool trainable = false;
    Scope constants;  ///< Initializers that are not learned, and what fold_constants() found.

    bool is_learned(const Array& array) const { return trainable && is_float(array.dtype()); }

    void check_ports(std::span<const Item> given) const;
    void check_array(const Port& port, const Variable& x) const;
    Items run_graph(const ::onnx::GraphProto& graph, Scope& scope) const;
    void run_node(const ::onnx::NodeProto& node, Scope& scope) const;
};

// Of the file in `proto`; FileError or UnsupportedError as import_model().
void read_opset(Model::Implementation& model);
/// Initializers, inputs and outputs.
void read_model(Model::Implementation& model);

/// Runs the nodes that only give names to the model's own numbers (Importer::only_names), and takes them out of the graph: exporters write one for
/// each bound and each weight that is used twice, and every call would run them again.
void fold_constants(Model::Implementation& model);

/// FileError unless every node reads what exists, UnsupportedError unless every operator is known: before anything runs.
void check_model(const Model::Implementation& model);

}  // namespace catena::onnx
