#pragma once

#include "frontend/trainer/extension.h"
#include "runtime/graph/variable_dot.h"

namespace catena::extensions {

/// Writes the graph of a reported Variable as DOT, once, in the first iteration, and beside it the picture, cg.png, with
/// Graphviz's `dot`; where that is not installed, one line says so. Of a step that StandardUpdater compiles the graph is
/// the one that its loss function makes.
class DumpGraph : public Extension {
public:
    explicit DumpGraph(std::string root_name, std::string filename = "cg.dot", DotOptions options = {});
    static bool available();  ///< `dot` is on the PATH.
    void initialize(Trainer& trainer) override;
    void operator()(Trainer& trainer) override;
    void serialize(const Serializer& s) override;
    std::string default_name() const override { return "DumpGraph"; }

private:
    std::string root_name_, filename_;
    DotOptions options_;
    bool original_flag_ = false, called_ = false;
};

}  // namespace catena::extensions
