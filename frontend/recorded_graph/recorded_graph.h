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
        int id;     ///< Number of the value in the graph.
        int value;  ///< Number of the value in the trace.
    };

    /// Makes the graph; it refers to the recording and the options, which must outlive it.
    RecordedGraph(const Recording& recording, const RecordingOptions& options);

    const OnnxGraph& graph() const { return graph_; }
    const std::vector<Port>& inputs() const { return inputs_; }
    const std::vector<Port>& outputs() const { return outputs_; }
    const Recording& recording() const { return recording_; }
    /// The name of a value of the graph; "" for -1.
    std::string name_of(int id) const;
    /// The sizes of a value that the recorded program has, too; none for one that an operator's
    /// ONNX form added.
    std::optional<OnnxSizes> shape_of(int id) const;
    /// The line of the program that node `n` comes from; "" if unknown.
    const std::string& location(size_t n) const { return locations_[n]; }
    /// For every value of the graph, whether outputs depend on it.
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
    /// For every value of the trace, its value in the graph; -1: none yet.
    std::vector<int> id_of_;
    std::set<int> not_computed_;  ///< The open sizes that the graph has no nodes for.
    std::set<int> changed_;       ///< The states that are assigned.
    /// The ops whose ONNX form the options replace, with that form.
    std::map<std::string, OpDef> converted_;
    std::vector<char> needed_;
    std::map<int, std::string> names_;
    std::set<std::string> taken_;
    std::vector<std::string> locations_;  ///< For every node, the user's line.
    std::vector<Port> inputs_, outputs_;
};

}  // namespace catena
