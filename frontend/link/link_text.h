#pragma once

#include <string>

namespace catena {

class Link;

/// The class of a link and its settings without the last ")": "Linear(in_size=3, out_size=4".
std::string head_of(const Link& link);

}  // namespace catena
