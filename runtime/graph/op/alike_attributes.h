#pragma once

#include <algorithm>
#include <string_view>

#include "runtime/graph/op/attributes.h"

namespace catena {

/// Whether two attributes are equal except for integers, which may differ from one size of a
/// program to another. Both must be of one kind, and lists must have one length.
inline bool alike_attributes(const Attribute& a, const Attribute& b) {
    if (a.index() != b.index()) return false;
    if (const Dims* dims = std::get_if<Dims>(&a)) return dims->rank() == std::get<Dims>(b).rank();
    return std::holds_alternative<int64_t>(a) || a == b;
}
inline bool alike_attributes(const Attributes& a, const Attributes& b) {
    return std::ranges::equal(
        a.entries(), b.entries(), [](const Attributes::Entry& x, const Attributes::Entry& y) {
            return std::string_view(x.name) == y.name && alike_attributes(x.value, y.value);
        });
}

}  // namespace catena
