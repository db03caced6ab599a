#include "frontend/trainer/extensions/unchain_variables.h"

#include "frontend/trainer/reporter.h"
#include "frontend/trainer/trainer.h"
#include "runtime/graph/settings/config.h"

namespace catena::extensions {

void UnchainVariables::initialize(Trainer&) { kept_ = config().keep_graph_on_report; }

void UnchainVariables::operator()(Trainer& trainer) {
    const bool unchain = std::exchange(kept_, config().keep_graph_on_report);
    if (!unchain) return;
    for (auto& [key, reported] : trainer.observation())
        if (reported.variable().defined()) reported.variable().unchain_backward();
}

}  // namespace catena::extensions
