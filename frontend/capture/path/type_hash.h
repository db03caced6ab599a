#pragma once

#include <cstdint>
#include <span>

#include "runtime/core/array/array.h"
#include "runtime/core/system/hash.h"

namespace catena::capture {

inline uint64_t hash_of(std::span<const Type> types) {
    uint64_t h = types.size();
    const auto add = [&](uint64_t number) { h = mixed_hash(h, number); };
    for (const Type& type : types) {
        add(uint64_t(type.dtype) << 8 | uint64_t(type.shape.rank()));
        for (const int64_t size : type.shape) add(uint64_t(size));
    }
    return h;
}

}  // namespace catena::capture
