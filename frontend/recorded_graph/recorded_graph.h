#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frontend/recorded_graph/recording.h"

namespace catena {

/// A recorded model as a graph of ONNX's operators, from which files are written (ONNX's, Caffe's).
/// ValueError naming the op and its line when the operators cannot express it.
class RecordedGraph {
public:
    struct Port {
        int id;     ///< Of a value of the graph.
        int value;  ///< Of the trace.
    };

    /// Refers to the recording and the options.
    RecordedGraph(const Recording& recording, const RecordingOptions& options);

    const OnnxGraph& graph() const { return graph_; }
    const std::vector<Port>& inputs() const { return inputs_; }
    const std::vector<Port>& outputs() const { return outputs_; }
    const Recording& recording() const { return recording_; }
    std::string name_of(int id) const;  ///< "" for -1.
    /// Of a value that the program has, too; none of one that an operator's form added.
    std::optional<OnnxSizes> shape_of(int id) const;
    /// The line of the program that node `n` comes from; "" if unknown.
    const std::string& location(size_t n) const { return locations_[n]; }
    /// For every value whether outputs depend on it.
    std::vector<char> used_values() const;

private:
    void find_changed_states();
    std::string unique(std::string name);
    void add_inputs();
    void add_open_sizes();
    void check_sizes(const Trace::Step& step, size_t first) const;
    Array content_of(const Trace::Value& value) const;
    void add_port(int value, const std::string& name);
    std::vector<OnnxCall::Value> describe(const std::vector<int>& values) const;
    const OpDef& with_converter(const OpDef& op);
    bool is_constant(const Trace::Step& step) const;
    void fold(const Trace::Step& step);
    void add_step(size_t s);
    bool is_wanted(const Trace::Step& step);
    void find_needed();
    void add_output(int value, const std::string& name);
    void add_outputs();

    const Recording& recording_;
    const Trace& trace_;
    const RecordingOptions& options_;
    OnnxGraph graph_;
    std::vector<int> id_of_;      ///< Graph value of every value of the trace; -1: not given.
    std::set<int> not_computed_;  ///< Open sizes that the graph has no nodes for.
    std::set<int> changed_;       ///< States that are assigned.
    std::map<std::string, OpDef> converted_;  ///< Ops whose form the options replace.
    std::vector<char> needed_;
    std::map<int, std::string> names_;
    std::set<std::string> taken_;
    std::vector<std::string> locations_;  ///< Of every node.
    std::vector<Port> inputs_, outputs_;
};

}  // namespace catena
