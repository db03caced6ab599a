#include "runtime/cpu/convolution/direct/depthwise_lines.h"

#include <array>

#include "runtime/core/device.h"
#include "runtime/cpu/convolution/direct/depthwise_tile_avx2.h"
#include "runtime/cpu/convolution/direct/depthwise_tile_avx512.h"
#include "runtime/core/instruction_set.h"
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

template <int lines, int steps, bool whole>
TileKernel kernel_of(size_t width) {
    static constexpr TileKernel of_avx512[] = {avx512::compute_depthwise_tiles<lines, 7, steps, whole>, avx512::compute_depthwise_tiles<lines, 4, steps, whole>,
                                               avx512::compute_depthwise_tiles<lines, 2, steps, whole>, avx512::compute_depthwise_tiles<lines, 1, steps, whole>};
    static constexpr TileKernel of_avx2[] = {avx2::compute_depthwise_tiles<lines, 7, steps, whole>, avx2::compute_depthwise_tiles<lines, 4, steps, whole>,
                                             avx2::compute_depthwise_tiles<lines, 2, steps, whole>, avx2::compute_depthwise_tiles<lines, 1, steps, whole>};
    return has_avx512() ? of_avx512[width] : of_avx2[width];
}

TileKernel kernel_of(int64_t lines, int64_t steps, size_t width, bool whole) {
    if (steps == 2) return whole ? kernel_of<1, 2, true>(width) : kernel_of<1, 2, false>(width);
    if (lines == 2) return whole ? kernel_of<2, 1, true>(width) : kernel_of<2, 1, false>(width);
    return whole ? kernel_of<1, 1, true>(width) : kernel_of<1, 1, false>(width);
}

}  // namespace

Array packed_weights(const Array& W, int64_t channels) {
    return onednn::kept_form(W, onednn::WeightForm::depthwise, onednn::ordered({channels, taps}), onednn::ordered({taps, channels}),
                             [&] { return packed(W); });
}

void DepthwiseLines::compute(const Place& place, int64_t line, int64_t last_line, int64_t first_vector, int64_t last_vector, LargestLanes* largest) const {
    const int64_t most = s_.steps == 1 ? 2 : 1;
    for (int64_t count; line < last_line; line += count) {
        count = std::min(most, last_line - line);
        for (int64_t column = 0, width; column < s_.columns; column += width) {
            const size_t which = size_t(std::ranges::find_if(widths, [&](int64_t w) { return w <= s_.columns - column; }) - widths.begin());
            width = widths[which];
            compute_block(place, line, count, column, which, {first_vector, last_vector}, largest);
        }
    }
}

/// A tile's positions and all of its channels.
void DepthwiseLines::compute_block(const Place& place, int64_t line, int64_t lines, int64_t column, size_t which, Vectors vectors, LargestLanes* largest) const {
    const int64_t top = line * s_.steps - s_.pad_top, left = column * s_.steps - s_.pad_left, in_columns = (widths[which] - 1) * s_.steps + side;
    const bool whole = left >= 0 && left + in_columns <= s_.width;
    const int64_t first = vectors.begin * depthwise::lanes, last = std::min(s_.channels, vectors.end * depthwise::lanes);
    const int64_t to = ((line - place.first) * s_.columns + column) * s_.channels + first;
    DepthwiseTiles t{};
    t.x = place.x + left * s_.channels + first;
    t.first_line = std::max<int64_t>(0, -top), t.last_line = s_.height - top;
    for (int64_t i = t.first_line; i < std::min<int64_t>(t.last_line, most_depthwise_lines); ++i) t.lines[i] = (top + i) % place.x_lines * s_.width * s_.channels;
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
    kernel_of(lines, s_.steps, which, whole)(t);
}

}  // namespace catena::depthwise

#endif
