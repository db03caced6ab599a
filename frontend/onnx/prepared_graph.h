#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frontend/onnx/importer.h"

namespace catena::onnx {

/// A value, and whether its elements are known without the caller's arrays: sizes and what is
/// computed from them. Known values are computed separately, not recorded, so that a static region
/// may read them.
struct Value {
    Item item;
    bool known = false;
};

/// The values of the model itself, by name.
using Constants = std::unordered_map<std::string, Value>;

/// The values of a graph that is running, indexed by the numbers that PreparedGraph gives their
/// names.
struct Scope {
    const Scope* outer = nullptr;
    std::vector<Value> values;
    /// Remaining number of subgraph runs: one for every step of a loop.
    int64_t* steps_left = nullptr;
};

/// The place where a node finds an input: among the constants, or in the scope so many levels
/// further out. If neither, it has none.
struct ValuePlace {
    const Value* constant = nullptr;
    int scopes = -1, number = 0;

    const Value* in(const Scope& inner) const {
        if (constant || scopes < 0) return constant;
        const Scope* scope = &inner;
        for (int i = 0; i < scopes; ++i) scope = scope->outer;
        return &scope->values[size_t(number)];
    }
};

struct PreparedGraph;

/// A node with everything that each run would otherwise look up by a name.
struct PreparedNode {
    const ::onnx::NodeProto* node = nullptr;
    const Importer* importer = nullptr;
    std::vector<ValuePlace> inputs;
    std::vector<int> outputs;  ///< The outputs' numbers in the graph's scope; -1: not used.
    /// Whether the result is known although the input array is not, since only its shape is read.
    bool reads_shape = false;
    SourceLoc place;  ///< The place that errors and recorded operations name.
    std::vector<std::unique_ptr<PreparedGraph>> graphs;  ///< The graphs in the node's attributes.

    const PreparedGraph& prepared(const ::onnx::GraphProto& graph) const;
};

/// A graph whose names are numbers. Refers to the graph and to the constants, which must outlive
/// it.
struct PreparedGraph {
    const ::onnx::GraphProto* graph = nullptr;
    std::vector<int> inputs;        ///< The numbers of the given names.
    std::vector<int> initializers;  ///< The numbers of the initializers of a subgraph.
    std::vector<PreparedNode> nodes;
    std::vector<ValuePlace> outputs;
    int values = 0;  ///< The count of numbers.

    Scope scope(const Scope* outer, int64_t* steps_left) const {
        return {outer, std::vector<Value>(size_t(values)), steps_left};
    }
};

/// Prepares a model's graph. `given` are the first names of its scope; `path` is that of the
/// model's file.
PreparedGraph prepare_graph(const ::onnx::GraphProto& graph, const std::vector<std::string>& given,
                            const Constants& constants, const std::string& path);
/// Prepares a node that reads constants alone, in a scope that holds only its outputs.
PreparedNode prepare_node(const ::onnx::NodeProto& node, const Constants& constants,
                          const std::string& path);

}  // namespace catena::onnx
