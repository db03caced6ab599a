#pragma once

#include <span>
#include <string>
#include <vector>

#include "runtime/core/array/array.h"
#include "runtime/core/array/device.h"
#include "runtime/cpu/blocks/map_kernel.h"
#include "runtime/ops/define/symbolic.h"

namespace catena::test {

/// Runs a formula as a map over `inputs`; outputs have the broadcast shape and the given dtypes.
inline std::vector<Array> map_all(Formula formula, std::vector<Array> inputs,
                                  std::vector<Dtype> dtypes, std::vector<double> scalars = {}) {
    OpDef op;
    op.name = "a map of the tests";
    op.kind = Kind::map;
    op.formula = std::move(formula);
    Shape shape;
    for (const Array& input : inputs) EXPECT_TRUE(broadcast_shapes(shape, input.shape(), shape));
    std::vector<Array> outputs;
    for (Dtype dtype : dtypes) outputs.push_back(Array::empty({dtype, shape}));
    run_map({op, inputs, outputs, Attributes(), scalars});
    return outputs;
}

inline Array map(Formula formula, std::vector<Array> inputs, Dtype dtype,
                 std::vector<double> scalars = {}) {
    return map_all(std::move(formula), std::move(inputs), {dtype}, std::move(scalars))[0];
}

/// A small generator with the same numbers on every machine.
class Numbers {
public:
    explicit Numbers(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
    uint64_t next() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return state_;
    }
    double uniform(double low, double high) {
        return low + (high - low) * double(next() >> 11) * 0x1p-53;
    }

private:
    uint64_t state_;
};

/// Uniform elements of any dtype; integers are rounded down.
inline Array random_array(Dtype dtype, const Shape& shape, uint64_t seed, double low = -4,
                          double high = 4) {
    Numbers numbers(seed);
    std::vector<double> values(size_t(element_count(shape)));
    for (double& value : values) {
        value = numbers.uniform(low, high);
        if (!is_float(dtype)) value = double(int64_t(value));
    }
    return Array::from(values, shape).astype(dtype);
}

/// Small integers of any dtype: sums and products of them are exact in every float.
inline Array whole_array(Dtype dtype, const Shape& shape, uint64_t seed, double low = -4,
                         double high = 9) {
    return random_array(Dtype::int32, shape, seed, low, high).astype(dtype);
}

}  // namespace catena::test
