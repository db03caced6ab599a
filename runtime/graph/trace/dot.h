#pragma once

#include <string>

#include "runtime/graph/trace/trace.h"

namespace catena {

/// The program as a graph in the DOT language of Graphviz: a box for every call, with its line; an
/// oval for each input of the program; edges are labelled with types.
std::string to_dot(const Trace& trace);

/// `text` escaped for the space between the quotes of DOT.
std::string dot_escaped(const std::string& text);

}  // namespace catena
