#pragma once

#include "runtime/core/array/print_array.h"
#include "runtime/graph/variable/variable.h"

namespace catena {

/// The elements of x, as to_text() of its array (print_array.h) writes them for `std::cout << y`.
/// For the gradient and the graph see summary() in inspect.h. Reads elements, so a static region is
/// cut there.
std::string to_text(const Variable& x, const PrintOptions& options = print_options());
std::ostream& operator<<(std::ostream& out, const Variable& x);

}  // namespace catena

template <>
struct fmt::formatter<catena::Variable> : fmt::formatter<std::string> {
    template <class Context>
    auto format(const catena::Variable& x, Context& context) const {
        return fmt::formatter<std::string>::format(catena::to_text(x), context);
    }
};
