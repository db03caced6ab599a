#pragma once

#include "frontend/trainer/extension.h"

namespace catena::extensions {

/// Drops the graphs of everything reported, after the other extensions of an iteration, if graphs
/// are kept on report (Config::keep_graph_on_report): otherwise they stay in memory until the next
/// iteration.
class UnchainVariables : public Extension {
public:
    void initialize(Trainer& trainer) override;
    void operator()(Trainer& trainer) override;
    std::string default_name() const override { return "unchain_variables"; }
    int priority() const override { return 0; }

private:
    bool kept_ = false;  ///< Whether graphs were kept in the previous iteration.
};

/// An UnchainVariables.
inline UnchainVariables unchain_variables() { return {}; }

}  // namespace catena::extensions
