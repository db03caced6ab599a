#pragma once

#include <random>

#include "runtime/graph/settings/config.h"
#include "runtime/graph/variable/variable.h"

namespace catena::tool {

/// A source of inputs for the benchmarks: the same numbers in every process.
class RandomInputs {
public:
    /// Numbers of config().dtype, uniform in [0, 1): float32 numbers, the same ones in every dtype
    /// that holds them.
    Array uniform(const Shape& shape) {
        std::uniform_real_distribution<float> distribution(0, 1);
        return filled<float>(shape, distribution).astype(config().dtype);
    }
    /// Labels, int32, uniform in [0, classes).
    Array labels(int32_t classes, const Shape& shape) {
        std::uniform_int_distribution<int32_t> distribution(0, classes - 1);
        return filled<int32_t>(shape, distribution);
    }

private:
    template <class T, class Distribution>
    Array filled(const Shape& shape, Distribution& distribution) {
        std::vector<T> values(element_count(shape));
        for (T& value : values) value = distribution(generator_);
        return Array::from(values, shape);
    }
    std::mt19937 generator_{0};
};

}  // namespace catena::tool
