#pragma once

#include <iosfwd>
#include <string>

#include <fmt/core.h>

#include "runtime/core/array/array.h"

namespace catena {

/// How `std::cout << array` and fmt's "{}" write elements; members as NumPy's printoptions.
struct PrintOptions {
    /// The most digits after the decimal point; zeros at the end of all numbers are left out.
    int precision = 8;
    int64_t threshold = 1000;  ///< The largest number of elements that is printed in full.
    /// How many elements are printed at each end of an axis of a shortened array.
    int64_t edge_items = 3;
};
/// The print options of this thread, which may be changed.
PrintOptions& print_options();

/// The elements in brackets, as NumPy's str(): aligned in columns, a row in each line.
///
///     [[ 1.0 -2.5]
///      [10.0  0.0]]
std::string to_text(const Array& array, const PrintOptions& options = print_options());
/// Writes the elements, as to_text().
std::ostream& operator<<(std::ostream& out, const Array& array);

std::ostream& operator<<(std::ostream& out, const Dims& shape);  ///< Writes a shape: [2,3].
std::ostream& operator<<(std::ostream& out, const Type& type);   ///< Writes a type: float32[2,3].
std::ostream& operator<<(std::ostream& out, Dtype dtype);  ///< Writes the dtype's name: float32.

}  // namespace catena

template <>
struct fmt::formatter<catena::Array> : fmt::formatter<std::string> {
    template <class Context>
    auto format(const catena::Array& array, Context& context) const {
        return fmt::formatter<std::string>::format(catena::to_text(array), context);
    }
};
