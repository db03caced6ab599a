#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/core/array/shape.h"

namespace catena {

/// A value written as text: None/null, True/true, 3, 2.5, 'text', "text", [..] or (..). A list of
/// few integers may be Dims instead, which need no memory of their own; parse_literal gives a List.
struct LiteralValue {
    using List = std::vector<LiteralValue>;
    std::variant<std::monostate, bool, int64_t, double, std::string, List, Dims> value;

    bool is_none() const { return value.index() == 0; }
    /// The elements of a list, in either form; none for everything else.
    std::optional<List> items() const;
};
/// Parses a value; ValueError with the position when the text is not a single value.
LiteralValue parse_literal(std::string_view text);
std::string to_string(const LiteralValue& value);

}  // namespace catena
