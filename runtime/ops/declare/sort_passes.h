#pragma once

#include <string>
#include <vector>

#include "runtime/ops/declare/device_form.h"

namespace catena {

/// A stable sort of each of `lines` lines of `size` elements, for devices: ranks within short runs
/// by counting, then runs merged two by two, each element finding its place by bisection (merge
/// path, Odeh et al. 2012).
struct SortPasses {
    int64_t lines = 1, size = 0;
    std::string before;   ///< Expression: element `a` of line `line` comes before element `b`.
    std::string put;      ///< Statement: element `v` of line `line` has place `place` in it.
    int64_t scratch = 0;  ///< Offset of 2 * lines * size free words.
    Threads threads = Threads::many;
};
std::vector<ElementPass> sort_passes(const SortPasses& sort);

}  // namespace catena
