#pragma once

#include <cstdint>
#include <vector>

#include "runtime/core/system/hash.h"
#include "runtime/graph/trace.h"

namespace catena::capture {

inline uint64_t hash_of(uint64_t a, uint64_t b) { return mixed_hash(a, b); }
template <class... Rest>
uint64_t hash_of(uint64_t a, uint64_t b, Rest... rest) {
    return hash_of(hash_of(a, b), uint64_t(rest)...);
}

uint64_t hash_of_numbers(uint64_t hash, const Dims& numbers);
/// With the integers among the attributes.
uint64_t hash_of_numbers(uint64_t hash, const Attributes& attributes);
/// Of a step's operation and attributes, in this process: all that code may have been made of, so
/// no integers.
uint64_t hash_of_code(const Trace::Step& step);

/// Of what is in the list, however often; it is sorted.
uint64_t hash_of_set(std::vector<uint64_t>& list);

}  // namespace catena::capture
