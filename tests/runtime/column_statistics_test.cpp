// Sums of columns and of squares of differences from their means, against float64
// (runtime/cpu/column_statistics.h).
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/cpu/column_statistics.h"

namespace catena {
namespace {

struct Matrix {
    int64_t rows, columns;
    std::vector<float> values;

    Matrix(int64_t rows, int64_t columns, const std::function<double(int64_t, int64_t)>& value)
        : rows(rows), columns(columns) {
        for (int64_t i = 0; i < rows; ++i)
            for (int64_t j = 0; j < columns; ++j) values.push_back(float(value(i, j)));
    }
    double sum(int64_t j) const {
        double total = 0;
        for (int64_t i = 0; i < rows; ++i) total += double(values[size_t(i * columns + j)]);
        return total;
    }
    double squares(int64_t j) const {
        const double mean = sum(j) / double(rows);
        double total = 0;
        for (int64_t i = 0; i < rows; ++i)
            total += std::pow(double(values[size_t(i * columns + j)]) - mean, 2);
        return total;
    }
};

struct Found {
    std::vector<float> sums, squares;
    bool finite;
};

/// Blocks of `block` rows, `together` at a time, and one block to which nothing is added.
Found gathered(const Matrix& m, int64_t block, int64_t together) {
    ColumnStatistics statistics;
    statistics.prepare((m.rows + block - 1) / block + 1, m.columns);
    for (int64_t row = 0; row < m.rows;) {
        const int64_t end = std::min({m.rows, row + together, (row / block + 1) * block});
        // Two parts of the columns, as threads have them.
        const int64_t half = m.columns / 2;
        for (const auto& [from, to] : {std::pair(int64_t(0), half), std::pair(half, m.columns)})
            statistics.add(row / block,
                           {m.values.data() + row * m.columns + from, end - row, m.columns},
                           {from, to}, row % block == 0);
        row = end;
    }
    Found found{std::vector<float>(size_t(m.columns)), std::vector<float>(size_t(m.columns)),
                false};
    found.finite = statistics.finish(found.sums.data(), found.squares.data());
    return found;
}

void expect_near(const Matrix& m, int64_t block, int64_t together, double tolerance) {
    const Found found = gathered(m, block, together);
    EXPECT_TRUE(found.finite);
    for (int64_t j = 0; j < m.columns; ++j) {
        double magnitudes = 0;
        for (int64_t i = 0; i < m.rows; ++i)
            magnitudes += std::abs(double(m.values[size_t(i * m.columns + j)]));
        // Means as near as their deviation asks for.
        ASSERT_NEAR(found.sums[size_t(j)], m.sum(j),
                    1e-6 * (magnitudes + std::sqrt(double(m.rows) * m.squares(j))) + 1e-30)
            << j;
        ASSERT_NEAR(found.squares[size_t(j)], m.squares(j), tolerance * m.squares(j) + 1e-30) << j;
    }
}

double noise(int64_t i, int64_t j) { return std::sin(double(i * i % 977) * 1.3 + double(j) * 0.7); }

TEST(ColumnStatistics, are_those_of_any_number_of_rows_and_columns) {
    for (const int64_t rows : {1, 7, 64, 100, 1000})
        for (const int64_t columns : {2, 5, 16, 24, 67, 200})
            for (const int64_t together : {1, 4, 8, 33})
                expect_near(Matrix(rows, columns, noise), 64, together, 1e-5);
}

TEST(ColumnStatistics, lose_nothing_to_a_mean_that_is_large_beside_the_deviation) {
    for (const double mean : {1e3, -1e5})
        expect_near(Matrix(3000, 20, [&](int64_t i, int64_t j) { return mean + noise(i, j); }), 256,
                    32, 1e-4);
}

TEST(ColumnStatistics, bear_first_rows_unlike_all_others) {
    // The centre of the first block is far from nearly all of it. No kernel adds fewer than four
    // rows first, where there are as many.
    expect_near(
        Matrix(1000, 20, [](int64_t i, int64_t j) { return i < 8 ? 1e4 : 1e-2 * noise(i, j); }),
        256, 32, 1e-4);
    expect_near(Matrix(1000, 20, [](int64_t i, int64_t j) { return i == 0 ? 1e6 : noise(i, j); }),
                256, 4, 1e-4);
}

TEST(ColumnStatistics, of_equal_rows_have_no_squares) {
    const Found found = gathered(Matrix(700, 20, [](int64_t, int64_t) { return 3.0; }), 128, 32);
    for (const float each : found.squares) EXPECT_EQ(each, 0);
}

TEST(ColumnStatistics, that_are_not_finite_say_so) {
    for (const float bad :
         {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()})
        for (const int64_t where : {0, 500, 999}) {
            Matrix m(1000, 20, noise);
            m.values[size_t(where * 20 + 13)] = bad;
            EXPECT_FALSE(gathered(m, 256, 32).finite) << bad << " in row " << where;
        }
}

TEST(ColumnStatistics, of_lines_are_the_same) {
    for (const int64_t length : {1, 5, 16, 300, 1000}) {
        const Matrix m(length, 3, [](int64_t i, int64_t j) { return 50 + noise(i, j); });
        ColumnStatistics statistics;
        statistics.prepare(2, 3);
        for (int64_t j = 0; j < 3; ++j) {
            std::vector<float> line;
            for (int64_t i = 0; i < length; ++i) line.push_back(m.values[size_t(i * 3 + j)]);
            const int64_t half = (length + 1) / 2;
            statistics.add_line(0, j, line.data(), half);
            if (half < length) statistics.add_line(1, j, line.data() + half, length - half);
        }
        float sums[3], squares[3];
        EXPECT_TRUE(statistics.finish(sums, squares));
        for (int64_t j = 0; j < 3; ++j) {
            EXPECT_NEAR(sums[j], m.sum(j), 1e-5 * std::abs(m.sum(j)));
            EXPECT_NEAR(squares[j], m.squares(j), 1e-5 * m.squares(j));
        }
    }
}

}  // namespace
}  // namespace catena
