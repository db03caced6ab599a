#pragma once

#include <string>

namespace catena {

class Link;

/// "Linear(in_size=3, out_size=4": the class and what it prints of itself, without the last ")".
std::string head_of(const Link& link);

}  // namespace catena
