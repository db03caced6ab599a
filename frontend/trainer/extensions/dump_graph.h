#pragma once

#include "frontend/trainer/extension.h"

namespace catena::extensions {

/// Writes the graph of a reported Variable as DOT, once, in the first iteration: `dot -Tpng cg.dot` draws it. A
/// step that is compiled as a whole leaves no graph: the file then has the Variable alone.
class DumpGraph : public Extension {
public:
    explicit DumpGraph(std::string root_name, std::string filename = "cg.dot");
    void initialize(Trainer& trainer) override;
    void operator()(Trainer& trainer) override;
    void serialize(const Serializer& s) override;
    std::string default_name() const override { return "DumpGraph"; }

private:
    std::string root_name_, filename_;
    bool original_flag_ = false, called_ = false;
};

}  // namespace catena::extensions
