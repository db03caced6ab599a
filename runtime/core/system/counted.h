#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace catena {

/// A number with what it counts: "1 launch", "2 launches", "0 calls".
std::string counted(int64_t number, std::string_view what);

}  // namespace catena
