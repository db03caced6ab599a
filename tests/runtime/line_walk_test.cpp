// Which addresses are fetched ahead (runtime/cpu/product/tiles/line_walk.h).
#include "runtime/cpu/product/tiles/line_walk.h"

#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace catena {
namespace {

uintptr_t line_of(const float* at) { return uintptr_t(at) / 64; }

TEST(LineWalk, meets_every_line_of_every_row_at_any_alignment) {
    std::vector<float> memory(8192);
    for (const int64_t offset : {0, 1, 4, 15})
        for (const int64_t row_step : {64, 96, 50, 101})
            for (const int64_t columns : {1, 16, 48, 50}) {
                const int64_t rows = 5;
                std::set<uintptr_t> met, wanted;
                const float* const first = memory.data() + offset;
                LineWalk walk(first, row_step, rows, columns);
                const int64_t lines = walk.lines();
                int64_t count = 0;
                while (const float* at = walk.next()) met.insert(line_of(at)), ++count;
                for (int64_t i = 0; i < rows; ++i)
                    for (int64_t j = 0; j < columns; ++j)
                        wanted.insert(line_of(first + i * row_step + j));
                EXPECT_EQ(count, lines);
                for (const uintptr_t line : wanted)
                    EXPECT_TRUE(met.contains(line)) << row_step << " " << columns << " " << offset;
            }
}

TEST(LineWalk, of_no_rows_or_columns_is_done) {
    const float x = 0;
    EXPECT_TRUE(LineWalk().is_done());
    EXPECT_EQ(LineWalk(&x, 16, 0, 4).next(), nullptr);
    EXPECT_EQ(LineWalk(&x, 16, 4, 0).next(), nullptr);
}

}  // namespace
}  // namespace catena
