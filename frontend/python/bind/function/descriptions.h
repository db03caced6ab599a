#pragma once

#include <string_view>

namespace catena::python {

/// What the comment of its declaration says of a function (`key` is "topk"), of an argument
/// ("topk.k") or of what it returns ("topk.returns"); empty: nothing.
std::string_view description(std::string_view key);

}  // namespace catena::python
