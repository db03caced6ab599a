#pragma once

#include <string_view>

namespace catena {

/// What the comment of its declaration says of a function of the registry (`key` is "topk"), of an
/// argument ("topk.k") or of what it returns ("topk.returns"); empty: nothing. Paragraphs are
/// separated by an empty line.
std::string_view description(std::string_view key);

}  // namespace catena
