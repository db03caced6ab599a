#include "runtime/cpu/convolution/winograd/winograd_sizes.h"

#include <algorithm>

#include "runtime/core/array/device.h"
#include "runtime/core/array/memory_order.h"
#include "runtime/core/system/environment.h"
#include "runtime/cpu/convolution/winograd/even_windows.h"
#include "runtime/cpu/machine.h"

namespace catena::winograd {
namespace {

int64_t rounded_up(int64_t n, int64_t by) { return (n + by - 1) / by; }

bool is_channels_last(const Array& images) {
    return memory_order(images.shape(), images.strides()) == MemoryOrder::channels_last;
}

}  // namespace

bool is_on() {
    static const bool on = environment::flag("CATENA_WINOGRAD", true);
    return on;
}

bool fits(const Shape& x, const Shape& W, const Shape& y, const WindowSteps& steps) {
    if (x.rank() != 4 || W[2] != 3 || W[3] != 3 || steps.groups != 1) return false;
    for (int d = 0; d < 2; ++d)
        if (steps.stride[d] != 1 || steps.dilate[d] != 1 || steps.pad[d] < 0 || steps.pad[d] > 2)
            return false;
    return x[1] % lanes == 0 && y[1] % lanes == 0;
}

bool is_faster(const Sizes& s, const Speed& speed) {
    // Values of all tiles and of the weights, which in blocks stay in a core's cache.
    const double weights = (s.has_small_tiles() ? 0.7 : speed.weight_passes) * double(s.in * s.out);
    const double moved = double(values * 4) * (double(s.tiles() * (s.in + s.out)) + weights);
    const double seconds = s.products() / speed.products_a_second + moved / speed.bytes_a_second;
    return seconds < speed.gain * s.direct_products() / speed.products_a_second;
}

Sizes sizes_of(const Shape& x, const Shape& W, const Shape& y, const WindowSteps& steps) {
    return {x[0],
            W[1],
            W[0],
            x[2],
            x[3],
            y[2],
            y[3],
            steps.pad[0],
            steps.pad[1],
            rounded_up(y[2], out_side),
            rounded_up(y[3], out_side)};
}

bool Sizes::has_small_tiles() const {
    constexpr int64_t large = 256 * 256;
    return images > 1 && in * out >= large && values * tiles() * in <= machine::shared_cache_floats;
}

Tile Sizes::result(int64_t index) const {
    const int64_t column = index % tile_columns * out_side, rest = index / tile_columns;
    const int64_t row = rest % tile_rows * out_side, image = rest / tile_rows;
    return {0,
            0,
            std::min(out_side, out_height - row),
            std::min(out_side, out_width - column),
            ((image * out_height + row) * out_width + column) * out,
            out_width * out,
            out};
}

Tile Sizes::input(int64_t index) const {
    const int64_t column = index % tile_columns * out_side - pad_left, rest = index / tile_columns;
    const int64_t row = rest % tile_rows * out_side - pad_top, image = rest / tile_rows;
    const int64_t top = std::max<int64_t>(0, -row), left = std::max<int64_t>(0, -column);
    return {top,
            left,
            std::min(in_side, height - row) - top,
            std::min(in_side, width - column) - left,
            ((image * height + row + top) * width + column + left) * in,
            width * in,
            in};
}

void Sizes::read_results(int64_t first, int64_t end, const float* y) const {
    read_tiles([&](int64_t index) { return result(index); }, first, end, tile_columns, y, out);
}

bool Sizes::read_inputs(int64_t first, int64_t end, const float* x) const {
    constexpr TileForm form{in_side, out_side, 3, 1};
    bool are_even = true;
    in_rows(first, end, tile_columns, [&](int64_t begin, int64_t next) {
        const int64_t column = begin % tile_columns, rest = begin / tile_columns;
        are_even &= are_windows_even({x, height, width, in},
                                     {rest / tile_rows, rest % tile_rows * out_side - pad_top,
                                      column * out_side - pad_left, next - begin},
                                     form);
    });
    return are_even;
}

Array channels_last(const Array& images) {
    if (is_channels_last(images)) return images;
    const Array made = channels_last_like(images);
    copy_elements(images, made);
    return made;
}

Array channels_last_like(const Array& images) {
    if (is_channels_last(images)) return images;
    return Array::empty(images.type(), images.device())
        .view(images.shape(), strides_in(MemoryOrder::channels_last, images.shape()), 0);
}

}  // namespace catena::winograd
