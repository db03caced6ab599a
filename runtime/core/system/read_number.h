#pragma once

#include <optional>
#include <string_view>

namespace catena {

/// The float or double that all of `text` is ("-1.5e3", "inf", "nan"), if it is one: with a point
/// whatever the locale says, without blanks. What T cannot hold is infinity or 0, as in arithmetic.
template <class T>
std::optional<T> read_number(std::string_view text);

}  // namespace catena
