#pragma once

#include <optional>

#include "codegen/schedule.h"

namespace catena::codegen {

/// A row-major view of a whole buffer.
View whole(int buffer, const Type& type);

/// The view after an operation; none if that needs a copy.
std::optional<View> reshaped(const View& view, const Shape& shape);
View transposed(const View& view, std::span<const int64_t> axes);
View broadcast(const View& view, const Shape& shape);
View sliced(const View& view, std::span<const int64_t> begin, std::span<const int64_t> step, const Shape& shape);

}  // namespace catena::codegen
