#include "runtime/program/schedule/launch_pieces.h"

#include <vector>

#include <gtest/gtest.h>

namespace catena::program {
namespace {

constexpr double microsecond = 1000;

/// The pieces of thread `t`.
std::vector<WorkPart> pieces_of(const LaunchPieces& launch, int t) {
    const int64_t begin = t > 0 ? launch.until[size_t(t - 1)] : 0;
    return {launch.pieces.begin() + begin, launch.pieces.begin() + launch.until[size_t(t)]};
}

TEST(LaunchPieces, threads_share_each_kernel_of_a_launch_and_not_the_launch) {
    // As an update of the parameters of two layers: each thread has half of each.
    const std::vector<Work> kernels = {{.units = 100, .unit_cost = microsecond},
                                       {.units = 60, .unit_cost = microsecond}};
    const LaunchPieces launch = divide_launch(kernels, 2);
    ASSERT_EQ(launch.threads(), 2);
    for (int t = 0; t < 2; ++t)
        for (const WorkPart& piece : pieces_of(launch, t)) {
            const int64_t half = kernels[size_t(piece.work)].units / 2;
            EXPECT_GE(piece.units.begin, t * half);
            EXPECT_LE(piece.units.end, (t + 1) * half);
        }
}

TEST(LaunchPieces, pieces_take_five_microseconds_at_least_and_follow_each_other) {
    const LaunchPieces launch =
        divide_launch(std::vector<Work>{{.units = 1000, .unit_cost = 0.1 * microsecond}}, 2);
    int64_t next = 0;
    for (const WorkPart& piece : launch.pieces) {
        EXPECT_EQ(piece.units.begin, next);
        EXPECT_EQ(piece.units.size(), 50);
        next = piece.units.end;
    }
    EXPECT_EQ(next, 1000);
}

TEST(LaunchPieces, one_thread_runs_each_kernel_in_one_go) {
    const LaunchPieces launch =
        divide_launch(std::vector<Work>{{.units = 100, .unit_cost = microsecond},
                                        {.units = 3, .unit_cost = microsecond}},
                      1);
    ASSERT_EQ(launch.pieces.size(), 2u);
    EXPECT_EQ(launch.pieces[0].units.end, 100);
    EXPECT_EQ(launch.pieces[1].work, 1);
}

TEST(LaunchPieces, a_short_launch_is_run_by_one_thread_and_others_by_as_many_as_have_work) {
    EXPECT_EQ(threads_for(1 * microsecond, 64), 1);
    EXPECT_EQ(threads_for(50 * microsecond, 64), 10);
    EXPECT_EQ(threads_for(50 * microsecond, 2), 2);
    EXPECT_EQ(threads_for(1e6 * microsecond, 64), 64);
    EXPECT_EQ(threads_for(1e18, 64), 64);
}

}  // namespace
}  // namespace catena::program
