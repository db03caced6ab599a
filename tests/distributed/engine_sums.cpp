#include "tests/distributed/engine_sums.h"

#include <gtest/gtest.h>

#include <cmath>

namespace catena {
namespace {

Array term_of(int rank, Dtype dtype, int64_t n) {
    std::vector<double> values(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) {
        const double value = std::sin(double(i + 1) * (rank + 1)) * 8;
        values[size_t(i)] = dtype == Dtype::uint8 ? std::abs(value) : value;
    }
    return Array::from(values, {n}).astype(dtype);
}

/// How far sums of 13 numbers below 8 may be off.
double tolerance_of(Dtype dtype) {
    switch (dtype) {
        case Dtype::float64:
            return 1e-13;
        case Dtype::float32:
            return 1e-4;
        case Dtype::float16:
            return 4e-3;  // Rounded once: half a unit of means below 8.
        case Dtype::bfloat16:
            return 3e-2;
        default:
            return 0;
    }
}

/// The mean of floats, the sum of integers.
std::vector<double> expected_of(int ranks, Dtype dtype, int64_t n) {
    std::vector<double> sum(static_cast<size_t>(n));
    for (int r = 0; r < ranks; ++r) {
        const std::vector<double> values = term_of(r, dtype, n).to_vector<double>();
        for (size_t i = 0; i < sum.size(); ++i) sum[i] += values[i];
    }
    if (is_float(dtype))
        for (double& each : sum) each /= ranks;
    return is_float(dtype) ? sum : Array::from(sum, {n}).astype(dtype).to_vector<double>();
}

void check_sum(Communicator& comm, Dtype dtype, int64_t n) {
    SCOPED_TRACE(fmt::format("{}[{}] on rank {}", name_of(dtype), n, comm.rank()));
    const Reduction reduction = is_float(dtype) ? Reduction::mean : Reduction::sum;
    const Array sum = comm.allreduce(term_of(comm.rank(), dtype, n), reduction);
    const std::vector<double> values = sum.to_vector<double>(),
                              expected = expected_of(comm.size(), dtype, n);
    ASSERT_EQ(values.size(), expected.size());
    for (size_t i = 0; i < values.size(); ++i)
        ASSERT_NEAR(values[i], expected[i], tolerance_of(dtype)) << i;
    for (const Array& other : comm.allgather(sum)) ASSERT_EQ(other.to_vector<double>(), values);

    std::vector<Array> parts;
    for (int r = 0; r < comm.size(); ++r) parts.push_back(term_of(comm.rank(), dtype, n));
    const std::vector<double> part = comm.reduce_scatter(parts, reduction).to_vector<double>();
    ASSERT_EQ(part.size(), expected.size());
    for (size_t i = 0; i < part.size(); ++i)
        ASSERT_NEAR(part[i], expected[i], tolerance_of(dtype)) << i;
}

}  // namespace

void check_engine_sums(Communicator& comm, int64_t largest) {
    comm.set_sums(Sums::engine);
    for (const Dtype dtype : {Dtype::float64, Dtype::float32, Dtype::float16, Dtype::bfloat16,
                              Dtype::int64, Dtype::int32, Dtype::int16, Dtype::int8, Dtype::uint8})
        for (const int64_t n : {int64_t(0), int64_t(1), int64_t(5), largest})
            check_sum(comm, dtype, n);
    // The sum is more than float16 can hold, the mean is not.
    const Array x = Array::full({Dtype::float16, {largest}}, 40000);
    EXPECT_EQ(comm.allreduce(x, Reduction::mean).to_vector<float>(),
              std::vector<float>(size_t(largest), 40000));
    comm.set_sums({});
}

}  // namespace catena
