#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "runtime/comm/communicator.h"

namespace catena {

/// The unweighted mean of each value over the ranks; all ranks must have the same keys (ValueError
/// naming one that differs).
std::map<std::string, double> mean_over_ranks(Communicator& communicator,
                                              const std::map<std::string, double>& own);

/// Wraps a callable `evaluate`, which returns a map of names and means over this rank's part of the
/// data, into one that returns the means over all ranks.
template <class F>
auto create_multi_node_evaluator(F evaluate, std::shared_ptr<Communicator> communicator) {
    return [evaluate = std::move(evaluate),
            communicator = given(std::move(communicator), "create_multi_node_evaluator")](
               auto&&... arguments) mutable {
        return mean_over_ranks(*communicator,
                               evaluate(std::forward<decltype(arguments)>(arguments)...));
    };
}

}  // namespace catena
