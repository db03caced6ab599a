#include "runtime/cpu/convolution/direct/depthwise_lines.h"

#include <algorithm>
#include <array>

#include "runtime/core/array/device.h"
#include "runtime/cpu/convolution/direct/depthwise_tile_avx2.h"
#include "runtime/cpu/convolution/direct/depthwise_tile_avx512.h"
#include "runtime/core/simd/instruction_set.h"
#include "runtime/cpu/onednn/packed.h"

#if defined(__x86_64__)

namespace catena::depthwise {
namespace {

constexpr int64_t channels_ahead = 128;  ///< How many are fetched ahead.

Array packed(const Array& W) {
    const int64_t channels = W.dim(0);
    const Array made = Array::empty({Dtype::float32, Shape{taps, channels}}, cpu_device());
    const float* const from = W.elements<float>();
    float* const to = made.to_fill<float>();
    for (int64_t t = 0; t < taps; ++t)
        for (int64_t c = 0; c < channels; ++c) to[t * channels + c] = from[c * taps + t];
    return made;
}

using TileKernel = void (*)(const DepthwiseTiles&);

/// Widths of tiles; a line is divided into the widest that fit.
constexpr std::array<int64_t, 4> widths{7, 4, 2, 1};

template <int lines, int steps>
struct Kernels {
    template <bool whole>
    static TileKernel of_avx512(size_t width) {
        static constexpr TileKernel kernels[] = {
            avx512::compute_depthwise_tiles<lines, 7, steps, whole>,
            avx512::compute_depthwise_tiles<lines, 4, steps, whole>,
            avx512::compute_depthwise_tiles<lines, 2, steps, whole>,
            avx512::compute_depthwise_tiles<lines, 1, steps, whole>};
        return kernels[width];
    }

    template <TileEdges edges>
    static TileKernel of_avx2(size_t width) {
        static constexpr TileKernel kernels[] = {
            avx2::compute_depthwise_tiles<lines, 7, steps, edges>,
            avx2::compute_depthwise_tiles<lines, 4, steps, edges>,
            avx2::compute_depthwise_tiles<lines, 2, steps, edges>,
            avx2::compute_depthwise_tiles<lines, 1, steps, edges>};
        return kernels[width];
    }

    /// Wide tiles have code of their own for the edges of lines that have at least one of them.
    static TileKernel of_avx2(size_t width, TileEdges edges) {
        if (edges == TileEdges::none) return of_avx2<TileEdges::none>(width);
        if (width > 0) return of_avx2<TileEdges::any>(width);
        if (edges == TileEdges::left)
            return avx2::compute_depthwise_tiles<lines, widths[0], steps, TileEdges::left>;
        if (edges == TileEdges::right)
            return avx2::compute_depthwise_tiles<lines, widths[0], steps, TileEdges::right>;
        if (edges == TileEdges::both)
            return avx2::compute_depthwise_tiles<lines, widths[0], steps, TileEdges::both>;
        return of_avx2<TileEdges::any>(width);
    }

    static TileKernel find(size_t width, TileEdges edges) {
        if (has_avx512())
            return edges == TileEdges::none ? of_avx512<true>(width) : of_avx512<false>(width);
        return of_avx2(width, edges);
    }
};

TileKernel kernel_of(int64_t lines, int64_t steps, size_t width, TileEdges edges) {
    if (steps == 2) return Kernels<1, 2>::find(width, edges);
    return lines == 2 ? Kernels<2, 1>::find(width, edges) : Kernels<1, 1>::find(width, edges);
}

/// The edges of a tile that sees `columns` columns from `left` on.
TileEdges edges_of(int64_t left, int64_t columns, int64_t width) {
    const int64_t before = std::max<int64_t>(0, -left),
                  after = std::max<int64_t>(0, left + columns - width);
    if (before > 1 || after > 1) return TileEdges::any;
    return before && after ? TileEdges::both
           : before        ? TileEdges::left
           : after         ? TileEdges::right
                           : TileEdges::none;
}

}  // namespace

Array packed_weights(const Array& W, int64_t channels) {
    return onednn::kept_form(W, onednn::WeightForm::depthwise, onednn::ordered({channels, taps}),
                             onednn::ordered({taps, channels}), [&] { return packed(W); });
}

void DepthwiseLines::compute(const Place& place, int64_t line, int64_t last_line,
                             int64_t first_vector, int64_t last_vector,
                             LargestLanes* largest) const {
    const int64_t most = s_.steps == 1 ? 2 : 1;
    for (int64_t count; line < last_line; line += count) {
        count = std::min(most, last_line - line);
        for (int64_t column = 0, width; column < s_.columns; column += width) {
            const size_t which = size_t(
                std::ranges::find_if(widths, [&](int64_t w) { return w <= s_.columns - column; }) -
                widths.begin());
            width = widths[which];
            compute_block(place, line, count, column, which, {first_vector, last_vector}, largest);
        }
    }
}

/// A tile's positions and all of its channels.
void DepthwiseLines::compute_block(const Place& place, int64_t line, int64_t lines, int64_t column,
                                   size_t which, Vectors vectors, LargestLanes* largest) const {
    const int64_t top = line * s_.steps - s_.pad_top, left = column * s_.steps - s_.pad_left,
                  in_columns = (widths[which] - 1) * s_.steps + side;
    const int64_t first = vectors.begin * depthwise::lanes,
                  last = std::min(s_.channels, vectors.end * depthwise::lanes);
    const int64_t to = ((line - place.first) * s_.columns + column) * s_.channels + first;
    DepthwiseTiles t{};
    t.x = place.x + left * s_.channels + first;
    t.first_line = std::max<int64_t>(0, -top), t.last_line = s_.height - top;
    for (int64_t i = t.first_line; i < std::min<int64_t>(t.last_line, most_depthwise_lines); ++i)
        t.lines[i] = (top + i) % place.x_lines * s_.width * s_.channels;
    t.x_position = s_.channels;
    t.first_column = -left, t.last_column = s_.width - left;
    t.ahead = std::min(channels_ahead, last - first);
    t.further = widths[which] * s_.steps * s_.channels - (last - first);
    t.W = W_ + first, t.W_tap = s_.channels;
    t.tail = &tail_;
    t.channel = first, t.last_channel = last;
    t.other = place.other ? place.other + to : nullptr;
    t.y = place.y + to;
    t.y_line = s_.line(), t.y_position = s_.channels;
    t.largest = largest;
    kernel_of(lines, s_.steps, which, edges_of(left, in_columns, s_.width))(t);
}

}  // namespace catena::depthwise

#endif
