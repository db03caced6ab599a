// The order of sums: set, default, checked, inherited; and what it promises.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <mutex>

#include "runtime/comm/create.h"
#include "tests/distributed/counted_ranks.h"

namespace catena {
namespace {

using ::testing::HasSubstr;

std::vector<double> terms_of(int rank, int64_t n) {
    std::vector<double> values(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) values[size_t(i)] = std::sin(double(i + 1) * (rank + 1)) * 8;
    return values;
}

Array term(int rank, Dtype dtype, int64_t n) {
    return Array::from(terms_of(rank, n), {n}).astype(dtype);
}

std::vector<double> double_sum(int ranks, Dtype dtype, int64_t n) {
    std::vector<double> sum(static_cast<size_t>(n));
    for (int r = 0; r < ranks; ++r) {
        const std::vector<double> values = term(r, dtype, n).to_vector<double>();
        for (size_t i = 0; i < sum.size(); ++i) sum[i] += values[i];
    }
    return sum;
}

class SumsByEngine : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(ranks, SumsByEngine, ::testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 13),
                         ::testing::PrintToStringParamName());

TEST_P(SumsByEngine, are_right_and_equal_on_all_ranks) {
    const int n = GetParam();
    for (const Dtype dtype : {Dtype::float64, Dtype::float32, Dtype::float16, Dtype::bfloat16,
                              Dtype::int64, Dtype::int32, Dtype::int8, Dtype::uint8})
        for (const int64_t elements : {0, 1, 5, 20011}) {
            SCOPED_TRACE(fmt::format("{} {}", name_of(dtype), elements));
            const bool is_mean = is_float(dtype);
            std::vector<std::vector<double>> of_rank(static_cast<size_t>(n));
            traffic_of(n, [&](CountedCommunicator& comm) {
                comm.set_sums(Sums::engine);
                of_rank[size_t(comm.rank())] =
                    comm.allreduce(term(comm.rank(), dtype, elements),
                                   is_mean ? Reduction::mean : Reduction::sum)
                        .to_vector<double>();
            });
            const std::vector<double> sum = double_sum(n, dtype, elements);
            const double unit = dtype == Dtype::float64    ? 1e-15
                                : dtype == Dtype::float32  ? 1e-6
                                : dtype == Dtype::float16  ? 1e-3
                                : dtype == Dtype::bfloat16 ? 8e-3
                                                           : 0;
            for (size_t i = 0; i < sum.size(); ++i) {
                const double right =
                    is_mean ? sum[i] / n
                            : Array::full({Dtype::int64, {}}, sum[i]).astype(dtype).item<double>();
                ASSERT_NEAR(of_rank[0][i], right, 8 * unit) << i;
            }
            for (const auto& each : of_rank) ASSERT_EQ(each, of_rank[0]);
        }
}

/// Halves of 40,000 have a sum that float16 cannot hold, and a mean that it can.
TEST(Sums, of_halves_are_rounded_once) {
    traffic_of(4, [&](CountedCommunicator& comm) {
        const Array x = Array::full({Dtype::float16, {20000}}, 40000);
        for (const Sums sums : {Sums::rank_order, Sums::engine}) {
            comm.set_sums(sums);
            EXPECT_EQ(comm.allreduce(x, Reduction::mean).to_vector<float>(),
                      std::vector<float>(20000, 40000));
        }
    });
}

TEST(Sums, are_in_rank_order_for_up_to_16_ranks) {
    for (const int n : {1, 16, 17})
        traffic_of(n, [&](CountedCommunicator& comm) {
            EXPECT_EQ(comm.sums(), n > 16 ? Sums::engine : Sums::rank_order);
            comm.set_sums(Sums::rank_order);
            EXPECT_EQ(comm.sums(), Sums::rank_order);
            comm.set_sums({});
            EXPECT_EQ(comm.sums(), n > 16 ? Sums::engine : Sums::rank_order);
        });
}

TEST(Sums, of_split_groups_are_as_set_or_as_their_size_says) {
    traffic_of(20, [](CountedCommunicator& comm) {
        EXPECT_EQ(comm.split(comm.rank() % 2, 0)->sums(), Sums::rank_order);
        comm.set_sums(Sums::engine);
        EXPECT_EQ(comm.split(comm.rank() % 2, 0)->sums(), Sums::engine);
    });
}

TEST(Sums, set_differently_are_an_error_that_names_both_and_passes) {
    traffic_of(3, [](CountedCommunicator& comm) {
        comm.set_sums(comm.rank() == 1 ? Sums::engine : Sums::rank_order);
        try {
            comm.allreduce(Array::full({Dtype::float32, {3}}, 1));
            ADD_FAILURE() << "rank " << comm.rank();
        } catch (const CommunicationError& error) {
            EXPECT_THAT(error.what(),
                        HasSubstr(comm.rank() == 1
                                      ? "allreduce: the order of sums is engine on rank 1 and "
                                        "rank_order on rank 0; CommunicatorOptions::sums must be"
                                      : "and engine on rank 1"));
        }
        comm.set_sums({});
        EXPECT_EQ(comm.allreduce(Array::scalar<int32_t>(1)).item<int>(), 3);
    });
}

TEST(Sums, are_an_option_of_create_communicator) {
    EXPECT_EQ(create_communicator("local")->sums(), Sums::rank_order);
    EXPECT_EQ(create_communicator("local", {.sums = Sums::engine})->sums(), Sums::engine);
    create_communicator("local")->set_sums({});  // It is this thread's.
}

}  // namespace
}  // namespace catena
