#pragma once

#include <span>
#include <string>

#include "runtime/graph/variable.h"

namespace catena {

struct DotOptions {
    std::string rankdir = "TB";      ///< "TB", "BT", "LR" or "RL".
    bool remove_variable = false;    ///< Functions alone.
    bool show_name = true;
};

/// The graph that `outputs` were computed with, in Graphviz's language: functions as boxes, variables as octagons.
std::string to_dot(std::span<const Variable> outputs, const DotOptions& options = {});

}  // namespace catena
