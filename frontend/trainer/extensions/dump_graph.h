#pragma once

#include "frontend/trainer/extension.h"
#include "runtime/graph/trace/variable_dot.h"

namespace catena::extensions {

/// Writes the graph of a reported Variable as DOT, once, in the first iteration, and the image
/// cg.png with Graphviz's `dot`; prints a message if that is not installed. Until then a step
/// compiled by StandardUpdater runs as eager code, since the graph shows eager operations.
class DumpGraph : public Extension {
public:
    /// An extension for the graph of the Variable that is reported as `root_name`: "main/loss".
    explicit DumpGraph(std::string root_name, std::string filename = "cg.dot",
                       DotOptions options = {});
    /// Whether `dot` is on the PATH.
    static bool available();
    void initialize(Trainer& trainer) override;
    void finalize() override;
    void operator()(Trainer& trainer) override;
    void serialize(const Serializer& s) override;
    std::string default_name() const override { return "DumpGraph"; }

private:
    std::string root_name_, filename_;
    DotOptions options_;
    bool original_flag_ = false, called_ = false;
    bool is_flag_set_ = false;  ///< Whether this extension has set config().keep_graph_on_report.
};

}  // namespace catena::extensions
