#pragma once

#include "runtime/ops/by_name/function.h"

namespace catena::tool {

/// Prints what a function of the registry computes, takes and returns, and how `catena call` is
/// given it.
void print_function(const FunctionDef& def);

}  // namespace catena::tool
