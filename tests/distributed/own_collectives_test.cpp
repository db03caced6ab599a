// Catena's own collectives, over messages alone, between numbers of ranks that are powers of two
// and others; and calls that do not match, between more than two ranks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/distributed/collectives.h"
#include "tests/distributed/counted_ranks.h"
#include "tests/distributed/tcp_ranks.h"

namespace catena {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class OwnCollectives : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(ranks, OwnCollectives, ::testing::Values(1, 2, 3, 4, 5, 6, 8, 13),
                         ::testing::PrintToStringParamName());

TEST_P(OwnCollectives, move_what_they_should) {
    traffic_of(GetParam(), [](CountedCommunicator& comm) {
        comm.set_sums(Sums::rank_order);  // The checks know the bits.
        check_collectives(comm);
        check_background(comm);
    });
}

/// Values that tell who has sent what to whom.
Array marked(int from, int to, int64_t size) {
    return Array::full({Dtype::int32, {size}}, from * 100 + to);
}

TEST_P(OwnCollectives, bring_blocks_of_all_sizes_to_the_right_ranks) {
    const int n = GetParam();
    // In trees, directly, and some of each.
    for (const int64_t size : {int64_t(0), int64_t(3), int64_t(1024), int64_t(5000)})
        for (const bool differ : {false, true})
            traffic_of(n, [&](CountedCommunicator& comm) {
                const int rank = comm.rank();
                auto size_of_rank = [&](int r) { return differ ? size + r * 300 : size; };
                for (int root = 0; root < n; root += 3) {
                    const auto gathered = comm.gather(marked(rank, root, size_of_rank(rank)), root);
                    for (size_t r = 0; r < gathered.size(); ++r)
                        EXPECT_EQ(gathered[r].to_vector<int>(),
                                  marked(int(r), root, size_of_rank(int(r))).to_vector<int>());
                    std::vector<Array> xs;
                    for (int r = 0; r < n && rank == root; ++r)
                        xs.push_back(marked(root, r, size_of_rank(r)));
                    const Array mine = marked(root, rank, size_of_rank(rank));
                    if (root % 2 == 1 && rank != root) {
                        EXPECT_EQ(comm.type_of_scatter(root), mine.type());
                    }
                    EXPECT_EQ(comm.scatter(xs, root).to_vector<int>(), mine.to_vector<int>());
                }
                std::vector<Array> xs;
                for (int r = 0; r < n; ++r) xs.push_back(marked(rank, r, size_of_rank(r)));
                const std::vector<Array> ys = comm.alltoall(xs);
                for (int r = 0; r < n; ++r)
                    EXPECT_EQ(ys[size_t(r)].to_vector<int>(),
                              marked(r, rank, size_of_rank(rank)).to_vector<int>());
                EXPECT_EQ(
                    comm.reduce_scatter(xs).to_vector<int>(),
                    std::vector<int>(size_t(size_of_rank(rank)), 50 * n * (n - 1) + n * rank));
            });
}

std::string error_of_call(const std::function<void()>& call) {
    try {
        call();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "no error";
}

/// Rank `odd` makes other calls than the rest; each rank's error names it and another rank. Then
/// the communicator is as before.
void check_differing_calls(Communicator& comm, int odd) {
    const bool is_odd = comm.rank() == odd;
    const int other = is_odd ? (odd == 0 ? 1 : 0) : odd;
    const Array x = Array::full({Dtype::float32, {3}}, 1);
    EXPECT_THAT(error_of_call([&] { is_odd ? comm.barrier() : void(comm.allreduce(x)); }),
                AllOf(HasSubstr(fmt::format("{} of rank {}", is_odd ? "barrier" : "allreduce",
                                            comm.rank())),
                      HasSubstr(fmt::format("meets {} of rank {}", is_odd ? "allreduce" : "barrier",
                                            other))));
    EXPECT_THAT(error_of_call([&] { comm.bcast(x, is_odd ? 1 : 0); }),
                HasSubstr(fmt::format("bcast: root is {} on rank {} and {} on rank {}", int(is_odd),
                                      comm.rank(), int(!is_odd), other)));
    const Array mine = is_odd ? Array::full({Dtype::float32, {4}}, 1) : x;
    const std::string types = fmt::format("rank {} gives float32[{}], rank {} gives float32[{}]",
                                          comm.rank(), is_odd ? 4 : 3, other, is_odd ? 3 : 4);
    EXPECT_THAT(error_of_call([&] { comm.allreduce(mine); }), HasSubstr("allreduce: " + types));
    EXPECT_THAT(error_of_call([&] { comm.allgather(mine); }), HasSubstr("allgather: " + types));
    EXPECT_THAT(error_of_call([&] { comm.gather(is_odd ? x.astype(Dtype::int8) : x); }),
                HasSubstr(fmt::format("gather: rank {} gives", comm.rank())));
    EXPECT_EQ(comm.allreduce(Array::scalar<int32_t>(1)).item<int>(), comm.size());
}

TEST_P(OwnCollectives, name_both_sides_of_a_call_that_one_rank_makes_differently) {
    const int n = GetParam();
    if (n == 1) return;  // There is no other side.
    for (const int odd : {0, n / 2, n - 1})
        traffic_of(n, [&](CountedCommunicator& comm) { check_differing_calls(comm, odd); });
}

TEST(OwnCollectivesOverTcp, name_both_sides_of_a_call_that_one_rank_makes_differently) {
    for (const char* shared : {"0", "1"}) {
        setenv("CATENA_SHARED_MEMORY", shared, 1);
        EXPECT_EQ(run_tcp(5, file_place("differing"),
                          [](const std::shared_ptr<Communicator>& comm) {
                              for (const int odd : {0, 3}) check_differing_calls(*comm, odd);
                          }),
                  std::vector<std::string>(5));
        unsetenv("CATENA_SHARED_MEMORY");
    }
}

}  // namespace
}  // namespace catena
