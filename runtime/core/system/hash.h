#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

namespace catena {

/// The 64-bit FNV-1a hash of a text. It is equal on every machine, so it may stand in names of
/// files and symbols. `before`: the hash of the text before this.
constexpr uint64_t fnv1a(std::string_view text, uint64_t before = 0xcbf29ce484222325) {
    for (const char c : text) before = (before ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return before;
}

/// Combines a hash with one more number, for hash tables in memory.
constexpr uint64_t mixed_hash(uint64_t hash, uint64_t number) {
    const uint64_t mixed = (std::rotl(hash, 23) ^ number) * 0x9e3779b97f4a7c15u;
    return mixed ^ mixed >> 31;
}

}  // namespace catena
