#pragma once

// Winograd's minimal filtering F(m x m, r x r) for any m and r (A. Lavin and S. Gray, "Fast
// Algorithms for Convolutional Neural Networks", arXiv:1509.09308): m x m results of a window of
// r x r are y = A^T [(G w G^T) * (B^T d B)] A, elementwise products of transformed windows w and
// transformed inputs d. Along an axis, n = m + r - 1 multiplications give m results instead of
// m * r. The matrices follow from n - 1 points (Toom and Cook; S. Winograd, Arithmetic Complexity
// of Computations, 1980): a filter is defined by its points alone.

#include <array>
#include <cstddef>

#include "runtime/cpu/convolution/winograd/winograd_lanes.h"

namespace catena::winograd {

/// The points of F(m, r) but the last one, which is infinity. Points p and -p follow each other, so
/// that their rows share their sums.
template <size_t m, size_t r>
constexpr std::array<double, m + r - 2> filter_points;

/// The points of F(4, 3). Of the usual choices these have the smallest error (0, +-1, +-2: twice
/// that); their first two powers are exact.
template <>
inline constexpr std::array<double, 5> filter_points<4, 3>{0, 0.625, -0.625, 1.5, -1.5};
/// The points of F(4, 2), which have nearly the smallest error, and exact numbers in all but G.
template <>
inline constexpr std::array<double, 4> filter_points<4, 2>{0.5, -0.5, 1.25, -1.25};
template <>
inline constexpr std::array<double, 2> filter_points<2, 2>{0, 1};

/// A matrix of `n` rows. Two rows of which each element of the one is that of the other or its
/// negative are a pair: they become the half of their sum and the half of their difference, whose
/// elements are 0 where the other has one. So a pair takes as many multiplications as a row.
template <size_t n, size_t columns>
struct FilterMatrix {
    std::array<std::array<float, columns>, n> at{};
    std::array<bool, n> begins_pair{};

    constexpr explicit FilterMatrix(const std::array<std::array<double, columns>, n>& from) {
        for (size_t i = 0; i < n; ++i)
            for (size_t j = 0; j < columns; ++j) at[i][j] = float(from[i][j]);
        for (size_t i = 0; i + 1 < n; ++i) {
            bool has_equal = false, has_opposite = false, is_pair = true;
            for (size_t j = 0; j < columns; ++j) {
                has_equal |= from[i][j] != 0 && from[i][j] == from[i + 1][j];
                has_opposite |= from[i][j] != 0 && from[i][j] == -from[i + 1][j];
                is_pair &= from[i][j] == from[i + 1][j] || from[i][j] == -from[i + 1][j];
            }
            begins_pair[i] = is_pair && has_equal && has_opposite;
            if (!begins_pair[i]) continue;
            for (size_t j = 0; j < columns; ++j) {
                const bool is_equal = from[i][j] == from[i + 1][j];
                at[i + 1][j] = is_equal ? 0 : at[i][j];
                if (!is_equal) at[i][j] = 0;
            }
            ++i;
        }
    }
    constexpr std::array<float, n> column(size_t j) const {
        std::array<float, n> made{};
        for (size_t i = 0; i < n; ++i) made[i] = at[i][j];
        return made;
    }
};

/// The matrices of F(m, r): A and G with a row for each point, and the transpose of B, too.
template <size_t m, size_t r>
struct MinimalFilter {
    static constexpr size_t points = m + r - 1;
    template <size_t columns>
    using Rows = std::array<std::array<double, columns>, points>;

    /// The powers of point i, below `columns`; of infinity the highest one alone.
    template <size_t columns>
    static constexpr Rows<columns> powers() {
        Rows<columns> made{};
        for (size_t i = 0; i + 1 < points; ++i) {
            double power = 1;
            for (double& each : made[i]) {
                each = power;
                power *= filter_points<m, r>[i];
            }
        }
        made[points - 1][columns - 1] = 1;
        return made;
    }
    static constexpr Rows<r> windows() {
        Rows<r> made = powers<r>();
        for (size_t i = 0; i + 1 < points; ++i) {
            double differences = 1;
            for (size_t j = 0; j + 1 < points; ++j)
                if (j != i) differences *= filter_points<m, r>[i] - filter_points<m, r>[j];
            for (double& each : made[i]) each /= differences;
        }
        return made;
    }
    /// The coefficients of the polynomial whose zeros are all other points.
    static constexpr Rows<points> inputs() {
        Rows<points> made{};
        for (size_t i = 0; i < points; ++i) {
            made[i][0] = 1;
            for (size_t j = 0; j + 1 < points; ++j) {
                if (j == i) continue;
                for (size_t k = points; k-- > 0;)
                    made[i][k] = (k > 0 ? made[i][k - 1] : 0) - filter_points<m, r>[j] * made[i][k];
            }
        }
        return made;
    }

    static constexpr FilterMatrix<points, m> A{powers<m>()};
    static constexpr FilterMatrix<points, r> G{windows()};
    static constexpr FilterMatrix<points, points> B_transposed{inputs()};
};

constexpr bool is_zero_before(const auto& coefficients, size_t end) {
    for (size_t i = 0; i < end; ++i)
        if (coefficients[i] != 0) return false;
    return true;
}

/// The sum of coefficients times x[0, end), in this order. What is 0 is left out, and 1 and -1
/// multiply nothing.
template <auto coefficients, size_t end = coefficients.size(), class Lanes, size_t n>
CATENA_INLINE Lanes weighted_sum(const Column<Lanes, n>& x) {
    constexpr float last = coefficients[end - 1];
    if constexpr (last == 0) {
        return weighted_sum<coefficients, end - 1>(x);
    } else if constexpr (is_zero_before(coefficients, end - 1)) {
        if constexpr (last == 1)
            return x[end - 1];
        else
            return last * x[end - 1];
    } else if constexpr (last == 1) {
        return weighted_sum<coefficients, end - 1>(x) + x[end - 1];
    } else if constexpr (last == -1) {
        return weighted_sum<coefficients, end - 1>(x) - x[end - 1];
    } else {
        return weighted_sum<coefficients, end - 1>(x) + last * x[end - 1];
    }
}

/// x[i], or in a pair of rows the sum for the first one and the difference for the second.
template <const auto& matrix, size_t i, class Lanes, size_t n>
CATENA_INLINE Lanes paired(const Column<Lanes, n>& x) {
    if constexpr (matrix.begins_pair[i]) {
        return x[i] + x[i + 1];
    } else if constexpr (i > 0) {
        if constexpr (matrix.begins_pair[i - 1])
            return x[i - 1] - x[i];
        else
            return x[i];
    } else {
        return x[i];
    }
}
template <const auto& matrix, class Lanes, size_t n>
CATENA_INLINE Column<Lanes, n> all_paired(const Column<Lanes, n>& x) {
    return [&]<size_t... i>(std::index_sequence<i...>) __attribute__((always_inline)) {
        return Column<Lanes, n>{paired<matrix, i>(x)...};
    }(std::make_index_sequence<n>());
}

/// A matrix by which an axis of a tile is multiplied, from `from` numbers to `to`.
template <const auto& matrix>
struct Multiplied {
    static constexpr size_t from = matrix.at[0].size(), to = matrix.at.size();

    template <class Lanes>
    CATENA_INLINE Column<Lanes, to> operator()(const Column<Lanes, from>& x) const {
        return [&]<size_t... i>(std::index_sequence<i...>) __attribute__((always_inline)) {
            return all_paired<matrix>(Column<Lanes, to>{weighted_sum<matrix.at[i]>(x)...});
        }(std::make_index_sequence<to>());
    }
};

/// Transforms by the transpose of the matrix.
template <const auto& matrix>
struct MultipliedTransposed {
    static constexpr size_t from = matrix.at.size(), to = matrix.at[0].size();

    template <class Lanes>
    CATENA_INLINE Column<Lanes, to> operator()(const Column<Lanes, from>& rows) const {
        const Column<Lanes, from> x = all_paired<matrix>(rows);
        return [&]<size_t... j>(std::index_sequence<j...>) __attribute__((always_inline)) {
            return Column<Lanes, to>{weighted_sum<matrix.column(j)>(x)...};
        }(std::make_index_sequence<to>());
    }
};

}  // namespace catena::winograd
