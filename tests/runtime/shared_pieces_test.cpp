#include "runtime/program/shared_pieces.h"

#include <numeric>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace catena::program {
namespace {

std::vector<double> sums_of(std::vector<double> costs) {
    std::partial_sum(costs.begin(), costs.end(), costs.begin());
    return costs;
}

TEST(SharedPieces, threads_begin_with_the_same_cost_not_the_same_number) {
    SharedPieces pieces;
    std::vector<double> costs(100, 1);
    costs.insert(costs.end(), {100, 100, 100});
    pieces.divide(sums_of(costs), 2);
    EXPECT_EQ(pieces.take(0), 0);
    EXPECT_EQ(pieces.take(1), 101);  // 200 before, 200 from here on.
}

TEST(SharedPieces, who_is_done_takes_from_the_others) {
    SharedPieces pieces;
    pieces.divide(sums_of({1, 1, 1, 1}), 2);
    EXPECT_EQ(pieces.take(1), 2);
    EXPECT_EQ(pieces.take(1), 3);
    EXPECT_EQ(pieces.take(1), 0);
    EXPECT_EQ(pieces.take(0), 1);
    EXPECT_EQ(pieces.take(0), -1);
    EXPECT_EQ(pieces.take(1), -1);
}

TEST(SharedPieces, each_is_taken_once) {
    SharedPieces pieces;
    for (int threads : {1, 2, 3, 4, 7})
        for (size_t count : {0u, 1u, 2u, 5u, 1000u}) {
            std::vector<double> costs(count);
            for (size_t i = 0; i < count; ++i) costs[i] = double(i * 37 % 11);  // Of some nothing is known.
            pieces.divide(sums_of(costs), threads);
            std::vector<std::vector<int64_t>> taken(static_cast<size_t>(threads));
            {
                std::vector<std::jthread> workers;
                for (int t = 0; t < threads; ++t)
                    workers.emplace_back([&, t] {
                        for (int64_t piece; (piece = pieces.take(t)) >= 0;) taken[size_t(t)].push_back(piece);
                    });
            }
            std::vector<int> times(count, 0);
            for (const auto& of_thread : taken)
                for (int64_t piece : of_thread) ++times.at(size_t(piece));
            EXPECT_EQ(times, std::vector<int>(count, 1)) << threads << " threads";
        }
}

}  // namespace
}  // namespace catena::program
