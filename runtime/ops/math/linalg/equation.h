#pragma once

#include <string>
#include <vector>

namespace catena {

/// The equation of an einsum: a letter for each axis. The axes under "..." are digits, counted from
/// the right.
struct Equation {
    std::string text;
    std::vector<std::string> terms;
    std::string result;
};
inline bool is_ellipsis(char letter) { return letter >= '0' && letter <= '9'; }

/// Parses an equation for operands of these ranks; ValueError when they do not match.
Equation parse_equation(const std::string& text, const std::vector<int>& ranks);

}  // namespace catena
