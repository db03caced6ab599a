// How many messages and bytes each rank sends for a call, against formulas in the number of ranks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "tests/distributed/counted_ranks.h"

namespace catena {
namespace {

constexpr int64_t mebibyte = 1 << 20;

/// The smallest k with 2^k >= n.
int log2_up(int n) { return std::bit_width(unsigned(n - 1)); }

Array floats(int64_t bytes, double value = 1) {
    return Array::full({Dtype::float32, {bytes / 4}}, value);
}

class MessageCount : public ::testing::TestWithParam<int> {
protected:
    const int n = GetParam(), log = log2_up(n);

    /// What each rank sends in f, without the check that all make the same call.
    std::vector<Traffic> of(const std::function<void(Communicator&)>& f) {
        std::vector<Traffic> all = traffic_of(n, [&](CountedCommunicator& comm) { f(comm); });
        const Traffic check = traffic_of(n, [&](CountedCommunicator& comm) { comm.barrier(); })[0];
        for (Traffic& each : all) {
            each.messages -= check.messages;
            each.bytes -= check.bytes;
        }
        return all;
    }
    static int64_t sum_of_bytes(const std::vector<Traffic>& all) {
        int64_t sum = 0;
        for (const Traffic& each : all) sum += each.bytes;
        return sum;
    }
};

INSTANTIATE_TEST_SUITE_P(ranks, MessageCount, ::testing::Values(2, 3, 4, 7, 8, 16, 32, 64),
                         ::testing::PrintToStringParamName());

TEST_P(MessageCount, of_the_check_is_log2_of_the_ranks) {
    for (const Traffic& each : traffic_of(n, [](CountedCommunicator& comm) { comm.barrier(); })) {
        EXPECT_EQ(each.messages, log);
        EXPECT_LE(each.bytes, log * 256);
    }
}

TEST_P(MessageCount, of_a_broadcast_is_at_most_log2_of_the_ranks) {
    for (const int root : {0, n - 1}) {
        const std::vector<Traffic> all = of([&](Communicator& comm) {
            const Array x = comm.rank() == root ? floats(mebibyte, 3) : Array();
            EXPECT_EQ(comm.bcast(x, root).to_vector<float>()[1000], 3);
        });
        for (const Traffic& each : all) EXPECT_LE(each.messages, log);
        EXPECT_EQ(all[size_t(root)].bytes, mebibyte * log);
        EXPECT_EQ(sum_of_bytes(all), mebibyte * (n - 1)) << "each other rank gets it once";
    }
}

TEST_P(MessageCount, of_a_gather_is_one_and_few_at_the_root) {
    for (const int64_t bytes : {int64_t(40), mebibyte / 8}) {
        const std::vector<Traffic> all =
            of([&](Communicator& comm) { comm.gather(floats(bytes, comm.rank()), n / 2); });
        for (int r = 0; r < n; ++r) EXPECT_EQ(all[size_t(r)].messages, r == n / 2 ? 0 : 1);
        // In a tree blocks travel more often.
        const int64_t direct = bytes * (n - 1);
        EXPECT_LE(sum_of_bytes(all), bytes == 40 ? direct * (log + 1) / 2 : direct);
    }
}

TEST_P(MessageCount, of_a_scatter_is_log2_of_the_ranks_for_small_blocks) {
    for (const int64_t bytes : {int64_t(40), mebibyte / 8}) {
        const std::vector<Traffic> all = of([&](Communicator& comm) {
            comm.scatter(std::vector<Array>(size_t(n), floats(bytes)), n / 2);
        });
        EXPECT_EQ(all[size_t(n / 2)].messages, bytes == 40 ? log : n - 1);
        EXPECT_EQ(all[size_t(n / 2)].bytes, bytes * (n - 1));
        for (int r = 0; r < n; ++r) {
            if (r == n / 2) continue;
            EXPECT_LE(all[size_t(r)].messages, bytes == 40 ? log - 1 : 0);
        }
    }
}

TEST_P(MessageCount, of_an_all_gather_of_small_blocks_is_log2_of_more_than_4_ranks) {
    for (const int64_t bytes : {int64_t(40), mebibyte / 8}) {
        const std::vector<Traffic> all =
            of([&](Communicator& comm) { comm.allgather(floats(bytes)); });
        for (const Traffic& each : all) {
            EXPECT_EQ(each.messages, bytes == 40 && n > 4 ? log : n - 1);
            EXPECT_EQ(each.bytes, bytes * (n - 1));
        }
    }
}

TEST_P(MessageCount, of_arrays_of_different_types_is_log2_of_the_ranks_more) {
    const std::vector<Traffic> all = of([&](Communicator& comm) {
        comm.allgather_bytes(std::string(size_t(1 + comm.rank()), 'x'), "names");
    });
    for (const Traffic& each : all) EXPECT_LE(each.messages, n > 4 ? 2 * log : 2 * (n - 1));
}

TEST_P(MessageCount, of_an_all_to_all_and_a_reduce_scatter_is_one_for_each_other_rank) {
    const std::vector<Array> xs(size_t(n), floats(4000));
    for (const Traffic& each : of([&](Communicator& comm) { comm.alltoall(xs); })) {
        EXPECT_EQ(each.messages, n - 1);
        EXPECT_EQ(each.bytes, 4000 * (n - 1));
    }
    for (const Traffic& each : of([&](Communicator& comm) { comm.reduce_scatter(xs); })) {
        EXPECT_EQ(each.messages, n - 1);
        EXPECT_EQ(each.bytes, 4000 * (n - 1));
    }
}

TEST_P(MessageCount, of_a_sum_of_few_elements_is_log2_of_the_ranks) {
    for (const Sums sums : {Sums::rank_order, Sums::engine})
        for (const Traffic& each : of([&](Communicator& comm) {
                 comm.set_sums(sums);
                 comm.allreduce(floats(16));
             })) {
            EXPECT_EQ(each.messages, log);
            EXPECT_EQ(each.bytes, 16 * (n - 1));
        }
}

TEST_P(MessageCount, of_a_large_sum_in_rank_order_has_the_fewest_bytes) {
    for (const Traffic& each : of([&](Communicator& comm) {
             comm.set_sums(Sums::rank_order);
             comm.allreduce(floats(mebibyte));
         })) {
        EXPECT_EQ(each.messages, 2 * (n - 1));
        EXPECT_NEAR(double(each.bytes), 2.0 * mebibyte * (n - 1) / n, 8.0 * n);
    }
}

TEST_P(MessageCount, of_a_large_sum_in_any_order_is_twice_log2_of_the_ranks) {
    const int power = int(std::bit_floor(unsigned(n)));
    for (const Traffic& each : of([&](Communicator& comm) {
             comm.set_sums(Sums::engine);
             comm.allreduce(floats(mebibyte));
         })) {
        EXPECT_LE(each.messages, 2 * log2_up(power) + (power < n ? 1 : 0));
        // Ranks beyond the power of two give all, or get all.
        EXPECT_LE(double(each.bytes),
                  2.0 * mebibyte * (power - 1) / power + (power < n ? mebibyte : 0) + 8 * n);
    }
}

TEST(MessageCountDefault, of_sums_changes_beyond_16_ranks) {
    const auto sum = [](CountedCommunicator& comm) { comm.allreduce(floats(mebibyte)); };
    EXPECT_EQ(traffic_of(16, sum)[0].messages, 4 + 2 * 15);
    EXPECT_EQ(traffic_of(17, sum)[0].messages, 5 + 1) << "rank 0 gives to rank 1";
    EXPECT_EQ(traffic_of(17, sum)[16].messages, 5 + 8);
}

}  // namespace
}  // namespace catena
