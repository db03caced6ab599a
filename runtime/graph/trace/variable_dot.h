#pragma once

#include <span>
#include <string>

#include "runtime/graph/variable/variable.h"

namespace catena {

struct DotOptions {
    std::string rankdir = "TB";    ///< Direction of the drawing: "TB", "BT", "LR" or "RL".
    bool remove_variable = false;  ///< Whether only functions are drawn.
    bool show_name = true;
    /// Graphviz attributes of variables.
    std::string variable_style = "shape=\"octagon\",fillcolor=\"#E0E0E0\",style=\"filled\"";
    std::string function_style = "shape=\"record\",fillcolor=\"#6495ED\",style=\"filled\"";
};

/// The graph that `outputs` were computed with, in Graphviz's language: functions as boxes,
/// variables as octagons.
std::string to_dot(std::span<const Variable> outputs, const DotOptions& options = {});

}  // namespace catena
