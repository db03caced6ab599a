#pragma once

#include <cstdint>
#include <cstdlib>

namespace catena::fuzz {

/// The number in a variable of the environment; `fallback` where it is not set or empty.
inline int64_t environment_number(const char* name, int64_t fallback) {
    const char* const value = std::getenv(name);
    return value && *value ? std::atoll(value) : fallback;
}

}  // namespace catena::fuzz
