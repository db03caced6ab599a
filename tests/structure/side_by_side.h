#pragma once

#include <cstddef>
#include <functional>

namespace catena::structure {

/// each(0) ... each(count - 1), two at a time and begun in that order: tests of this folder run
/// alone, and wait for compilers.
void side_by_side(size_t count, const std::function<void(size_t)>& each);

}  // namespace catena::structure
