#include "runtime/cpu/convolution/winograd/phase_sizes.h"

#include <algorithm>

#include "runtime/cpu/convolution/winograd/even_windows.h"
#include "runtime/cpu/convolution/winograd/read_tiles.h"
#include "runtime/cpu/machine.h"

namespace catena::polyphase {
namespace {

/// Positions first, first + step, ..., `side` of them, of an axis.
Axis::Part part(int64_t first, int64_t step, int64_t side, int64_t size) {
    const int64_t top = first < 0 ? (step - 1 - first) / step : 0;
    const int64_t end = first < size ? std::min(side, (size - first + step - 1) / step) : 0;
    return {top, std::max<int64_t>(end - top, 0), first + top * step, step};
}

Tile tile_of(int64_t image, const Axis::Part& rows, const Axis::Part& columns, int64_t height,
             int64_t width, int64_t channels) {
    return {rows.top,
            columns.top,
            rows.count,
            columns.count,
            ((image * height + rows.first) * width + columns.first) * channels,
            rows.step * width * channels,
            columns.step * channels};
}

/// The image, row and column of a tile.
struct Place {
    int64_t image, row, column;
};

Place place_of(int64_t index, int64_t rows, int64_t columns) {
    return {index / columns / rows, index / columns % rows, index % columns};
}

}  // namespace

Axis::Part Axis::result(int64_t t) const { return part(out_side * t, 1, out_side, results); }
Axis::Part Axis::input(int64_t t, int64_t phase) const {
    return part(2 * out_side * t + phase - pad, 2, in_side, size);
}

int64_t Axis::gradient_tiles() const {
    int64_t most = 0;
    for (int64_t phase = 0; phase < 2; ++phase)
        most = std::max(most, (size - (2 * first_of(phase) + phase - pad) + 1) / 2);
    return (most + out_side - 1) / out_side;
}

// Position 2 m + phase - pad gets the taps phase and phase + 2 of the results m and m - 1.

Axis::Part Axis::gradient_result(int64_t t, int64_t phase) const {
    return part(2 * (first_of(phase) + out_side * t) + phase - pad, 2, out_side, size);
}
Axis::Part Axis::gradient_input(int64_t t, int64_t phase) const {
    return part(first_of(phase) + out_side * t - 1, 1, in_side, results);
}

Tile Sizes::result(int64_t index) const {
    const Place p = place_of(index, rows.tiles(), columns.tiles());
    return tile_of(p.image, rows.result(p.row), columns.result(p.column), rows.results,
                   columns.results, out);
}

Tile Sizes::input(int64_t index, int64_t phase) const {
    const Place p = place_of(index, rows.tiles(), columns.tiles());
    return tile_of(p.image, rows.input(p.row, phase / 2), columns.input(p.column, phase % 2),
                   rows.size, columns.size, in);
}

Tile Sizes::gradient_result(int64_t index, int64_t phase) const {
    const Place p = place_of(index, rows.gradient_tiles(), columns.gradient_tiles());
    return tile_of(p.image, rows.gradient_result(p.row, phase / 2),
                   columns.gradient_result(p.column, phase % 2), rows.size, columns.size, in);
}

Tile Sizes::gradient_input(int64_t index, int64_t phase) const {
    const Place p = place_of(index, rows.gradient_tiles(), columns.gradient_tiles());
    return tile_of(p.image, rows.gradient_input(p.row, phase / 2),
                   columns.gradient_input(p.column, phase % 2), rows.results, columns.results, out);
}

bool Sizes::read_inputs(int64_t first, int64_t end, const float* x) const {
    constexpr winograd::TileForm form{2 * in_side, 2 * out_side, 4, 2};  // Of all phases.
    bool are_even = true;
    winograd::in_rows(first, end, columns.tiles(), [&](int64_t begin, int64_t next) {
        const Place p = place_of(begin, rows.tiles(), columns.tiles());
        are_even &= winograd::are_windows_even({x, rows.size, columns.size, in},
                                               {p.image, p.row * form.step - rows.pad,
                                                p.column * form.step - columns.pad, next - begin},
                                               form);
    });
    return are_even;
}

bool Sizes::read_gradient_inputs(int64_t first, int64_t end, const float* gy) const {
    // Tiles of even and of odd positions may begin one result apart.
    constexpr winograd::TileForm form{in_side + 1, out_side, 2, 1};
    const int64_t in_row = columns.gradient_tiles();
    bool are_even = true;
    winograd::in_rows(first, end, in_row, [&](int64_t begin, int64_t next) {
        const Place p = place_of(begin, rows.gradient_tiles(), in_row);
        are_even &=
            are_windows_even({gy, rows.results, columns.results, out},
                             {p.image, p.row * form.step + rows.gradient_begin(),
                              p.column * form.step + columns.gradient_begin(), next - begin},
                             form);
    });
    return are_even;
}

bool fits(const Shape& x, const Shape& W, const Shape& y, const WindowSteps& steps) {
    if (x.rank() != 4 || W[2] != 4 || W[3] != 4 || steps.groups != 1) return false;
    for (int d = 0; d < 2; ++d)
        if (steps.stride[d] != 2 || steps.dilate[d] != 1 || steps.pad[d] < 0 || steps.pad[d] > 3)
            return false;
    return x[1] % lanes == 0 && y[1] % lanes == 0;
}

Sizes sizes_of(const Shape& x, const Shape& y, const WindowSteps& steps) {
    return {x[0], x[1], y[1], {x[2], y[2], steps.pad[0]}, {x[3], y[3], steps.pad[1]}};
}

bool is_faster(const Sizes& s, int64_t tiles, int64_t moved) {
    // Estimates for one thread of a processor with 512-bit vectors; only their ratios count.
    constexpr double products_a_second = machine::products_a_second * 11 / 12,
                     bytes_a_second = machine::bytes_a_second * 5 / 4, gain = 0.9,
                     weight_passes = 1.5;
    const double weights = double(s.in * s.out),
                 products = double(phases * values * tiles) * weights;
    const double bytes =
        4.0 * double(values) * (double(tiles * moved) + double(phases) * weight_passes * weights);
    const double direct = double(s.images * s.rows.results * s.columns.results * taps) * weights;
    return products / products_a_second + bytes / bytes_a_second <
           gain * direct / products_a_second;
}

}  // namespace catena::polyphase
