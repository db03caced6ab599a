#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/core/array/shape.h"

namespace catena::capture {

/// Finds out which sizes of two arrays, and products of adjacent sizes, a number is equal to.
class NumberMatches {
public:
    NumberMatches(const Shape& a, const Shape& b) {
        add(a);
        products_.resize(most, 0);
        add(b);
    }

    /// A bit set of what the number is equal to: 0, 1, and each size and product.
    uint64_t of(int64_t number) const {
        uint64_t bits = uint64_t(number == 0) | uint64_t(number == 1) << 1;
        for (size_t i = 0; i < products_.size(); ++i)
            bits |= uint64_t(products_[i] == number && number > 1) << (2 + i);
        return bits;
    }

private:
    /// The number of sizes and products of an array with seven dimensions.
    static constexpr size_t most = 28;

    void add(const Shape& shape) {
        const size_t end = products_.size() + most;
        for (int first = 0; first < shape.rank(); ++first) {
            int64_t product = 1;
            for (int last = first; last < shape.rank() && products_.size() < end; ++last)
                products_.push_back(product *= shape[last]);
        }
    }

    std::vector<int64_t> products_;
};

}  // namespace catena::capture
