#pragma once

#include <optional>
#include <string_view>

namespace catena {

/// The float or double that the whole `text` spells ("-1.5e3", "inf", "nan"), or nothing. The
/// decimal point is "." in every locale, and blanks are not allowed. A number beyond T's range is
/// infinity or 0, as in arithmetic.
template <class T>
std::optional<T> read_number(std::string_view text);

}  // namespace catena
