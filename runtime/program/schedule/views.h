#pragma once

#include <optional>
#include <span>

#include "runtime/program/schedule/schedule.h"

namespace catena::program {

/// The view after an operation; none if that needs a copy.
std::optional<View> reshaped(const View& view, const Shape& shape);
View transposed(const View& view, std::span<const int64_t> axes);
View broadcast(const View& view, const Shape& shape);
View sliced(const View& view, std::span<const int64_t> begin, std::span<const int64_t> step,
            const Shape& shape);

}  // namespace catena::program
