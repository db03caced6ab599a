#include "runtime/program/schedule/shared_pieces.h"

#include <algorithm>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace catena::program {
namespace {

TEST(SharedPieces, a_thread_goes_through_its_own_from_the_first_to_the_last) {
    SharedPieces pieces;
    pieces.begin(std::vector<int64_t>{2, 5});
    EXPECT_EQ(pieces.take(1), 2);
    EXPECT_EQ(pieces.take(0), 0);
    EXPECT_EQ(pieces.take(1), 3);
    EXPECT_EQ(pieces.take(0), 1);
}

TEST(SharedPieces, who_is_done_takes_the_last_of_the_others) {
    SharedPieces pieces;
    pieces.begin(std::vector<int64_t>{4, 5});
    EXPECT_EQ(pieces.take(1), 4);
    EXPECT_EQ(pieces.take(1), 3);
    EXPECT_EQ(pieces.take(0), 0);
    EXPECT_EQ(pieces.take(1), 2);
    EXPECT_EQ(pieces.take(0), 1);
    EXPECT_EQ(pieces.take(0), -1);
    EXPECT_EQ(pieces.take(1), -1);
}

TEST(SharedPieces, each_is_taken_once) {
    SharedPieces pieces;
    for (int threads : {1, 2, 3, 4, 7})
        for (int64_t count : {0, 1, 2, 5, 1000}) {
            std::vector<int64_t> until;
            for (int t = 0; t < threads; ++t)
                until.push_back(t + 1 == threads ? count : std::min<int64_t>(count, t * 13));
            pieces.begin(until);
            std::vector<std::vector<int64_t>> taken(static_cast<size_t>(threads));
            {
                std::vector<std::jthread> workers;
                for (int t = 0; t < threads; ++t)
                    workers.emplace_back([&, t] {
                        for (int64_t piece; (piece = pieces.take(t)) >= 0;)
                            taken[size_t(t)].push_back(piece);
                    });
            }
            std::vector<int> times(size_t(count), 0);
            for (const auto& of_thread : taken)
                for (int64_t piece : of_thread) ++times.at(size_t(piece));
            EXPECT_EQ(times, std::vector<int>(size_t(count), 1)) << threads << " threads";
        }
}

}  // namespace
}  // namespace catena::program
