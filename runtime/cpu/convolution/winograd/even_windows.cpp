#include "runtime/cpu/convolution/winograd/even_windows.h"

#include <algorithm>
#include <array>
#include <limits>

#include "runtime/core/system/error.h"
#include "runtime/cpu/convolution/winograd/read_tiles.h"
#include "runtime/cpu/convolution/winograd/winograd_lanes.h"

namespace catena::winograd {
namespace {

constexpr int64_t most_side = 10, most_step = 8,
                  most_columns = tiles_at_once * most_step + most_side - most_step;
/// The largest ratio of squares for which windows count as even.
constexpr float largest_ratio = 1 << 20;

/// The squares of the lengths of positions, 0 outside of the image.
struct Grid {
    std::array<std::array<float, most_columns>, most_side> at;
    int64_t rows, columns;
};

template <int bytes>
CATENA_INLINE void measure_of(const float* from, int64_t positions, int64_t channels, float* to) {
    using Lanes = LanesOf<bytes>;
    for (int64_t p = 0; p < positions; ++p, from += channels) {
        Lanes squares{};
        for (int64_t c = 0; c < channels; c += lanes_of<Lanes>) {
            const Lanes v = Vector<float, bytes>::load(from + c);
            squares += v * v;
        }
        to[p] = total<bytes>(squares);
    }
}
CATENA_VECTOR_WIDTHS(void, measure,
                     (const float* from, int64_t positions, int64_t channels, float* to),
                     (from, positions, channels, to))

void fill(Grid& grid, const Images& images, const TileStrip& strip) {
    const int64_t left = std::clamp<int64_t>(-strip.column, 0, grid.columns),
                  right = std::clamp<int64_t>(images.width - strip.column, left, grid.columns);
    for (int64_t i = 0; i < grid.rows; ++i) {
        float* const to = grid.at[size_t(i)].data();
        const int64_t row = strip.row + i;
        if (row < 0 || row >= images.height || left == right) {
            std::fill_n(to, grid.columns, 0.0f);
            continue;
        }
        std::fill(to, to + left, 0.0f);
        std::fill(to + right, to + grid.columns, 0.0f);
        const int64_t at = (strip.image * images.height + row) * images.width + strip.column + left;
        measure(images.first + at * images.channels, right - left, images.channels, to + left);
    }
}

/// Whether even the smallest of all positions is large enough beside the largest.
bool is_even(const Grid& grid) {
    float largest = 0, smallest = std::numeric_limits<float>::infinity();
    for (int64_t i = 0; i < grid.rows; ++i)
        for (int64_t j = 0; j < grid.columns; ++j) {
            const float v = grid.at[size_t(i)][size_t(j)];
            largest = v > largest ? v : largest;
            const float other = v > 0 ? v : std::numeric_limits<float>::infinity();
            smallest = other < smallest ? other : smallest;
        }
    return !(smallest * largest_ratio < largest);
}

/// The largest magnitude of each column of the rows [begin, end).
std::array<float, most_columns> largest_of(const Grid& grid, int64_t begin, int64_t end) {
    std::array<float, most_columns> largest = grid.at[size_t(begin)];
    for (int64_t i = begin + 1; i < end; ++i)
        for (int64_t j = 0; j < grid.columns; ++j)
            largest[size_t(j)] = std::max(largest[size_t(j)], grid.at[size_t(i)][size_t(j)]);
    return largest;
}

float largest_of(const std::array<float, most_columns>& columns, int64_t begin, int64_t count) {
    return *std::max_element(columns.begin() + begin, columns.begin() + begin + count);
}

}  // namespace

bool are_windows_even(const Images& images, const TileStrip& strip, const TileForm& form) {
    Grid grid;
    grid.rows = form.side;
    grid.columns = (strip.tiles - 1) * form.step + form.side;
    CATENA_ASSERT(grid.rows <= most_side && grid.columns <= most_columns, "so many tiles at once");
    fill(grid, images, strip);
    if (is_even(grid)) return true;
    const auto of_tiles = largest_of(grid, 0, grid.rows);
    for (int64_t i = 0; i + form.window <= form.side; i += form.window_step) {
        const auto of_windows = largest_of(grid, i, i + form.window);
        for (int64_t t = 0; t < strip.tiles; ++t) {
            const float largest = largest_of(of_tiles, t * form.step, form.side);
            for (int64_t j = 0; j + form.window <= form.side; j += form.window_step) {
                const float own = largest_of(of_windows, t * form.step + j, form.window);
                if (own > 0 && own * largest_ratio < largest) return false;
            }
        }
    }
    return true;
}

}  // namespace catena::winograd
