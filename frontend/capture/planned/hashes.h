#pragma once

#include <cstdint>
#include <vector>

#include "runtime/core/system/hash.h"
#include "runtime/graph/trace/trace.h"

namespace catena::capture {

inline uint64_t hash_of(uint64_t a, uint64_t b) { return mixed_hash(a, b); }
template <class... Rest>
uint64_t hash_of(uint64_t a, uint64_t b, Rest... rest) {
    return hash_of(hash_of(a, b), uint64_t(rest)...);
}

uint64_t hash_of_numbers(uint64_t hash, const Dims& numbers);
/// Continues a hash with the integers among the attributes.
uint64_t hash_of_numbers(uint64_t hash, const Attributes& attributes);
/// A hash of a step's operation and attributes without their integers, that is of everything that
/// may appear in generated code. Valid in this process only.
uint64_t hash_of_code(const Trace::Step& step);

/// A hash of the different values in the list, however often each occurs. Sorts the list.
uint64_t hash_of_set(std::vector<uint64_t>& list);

}  // namespace catena::capture
