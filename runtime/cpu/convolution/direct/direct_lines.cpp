#include "runtime/cpu/convolution/direct/direct_lines.h"

#include <algorithm>
#include <utility>

#include "runtime/cpu/convolution/direct/direct_tile_avx2.h"
#include "runtime/cpu/convolution/direct/direct_tile_avx512.h"
#include "runtime/core/instruction_set.h"

#if defined(__x86_64__)

namespace catena::direct {
namespace {

using TileKernel = void (*)(const DirectTiles&);

template <int vectors, bool single, int... rows>
const TileKernel* kernels(std::integer_sequence<int, rows...>) {
    static constexpr TileKernel of_avx512[] = {avx512::compute_direct_tiles<rows + 1, vectors, single>...};
    static constexpr TileKernel of_avx2[] = {avx2::compute_direct_tiles<rows + 1, vectors, single>...};
    return has_avx512() ? of_avx512 : of_avx2;
}

/// For 1 to tile_shape().rows rows.
template <bool single>
const TileKernel* kernels(int64_t vectors) {
    constexpr std::make_integer_sequence<int, int(most_tile_rows)> rows;
    return vectors == 1 ? kernels<1, single>(rows) : vectors == 2 ? kernels<2, single>(rows) : kernels<3, single>(rows);
}

}  // namespace

DirectLines::DirectLines(const Sizes& sizes, const float* W, const ConvolutionTail& tail)
    : s_(sizes), W_(W), tail_(tail, s_.out), panels_(s_), channels_(s_.x_last ? s_.in : 1), position_(channels_), line_(position_ * s_.width.size),
      plane_(s_.height.size * line_) {}

/// So many positions at a time that what they read stays in a core's second-level cache while the weights go by; few, if the
/// weights stay in the first.
void DirectLines::compute(const Place& place, Range positions, Range panels, LargestLanes* largest) const {
    constexpr int64_t first_cache = 6'000, second_cache = 110'000;
    const int64_t weights = s_.out * s_.taps() * panels.size() / panels_.count();
    const int64_t read = s_.in * std::min(s_.height.stride, s_.height.kernel) * std::min(s_.width.stride, s_.width.kernel);
    const int64_t at_once = panels.size() == 1 ? positions.size() : weights <= first_cache ? 4 * tile_shape().rows : std::max(tile_shape().rows, second_cache / read);
    const int64_t chunks = (positions.size() + at_once - 1) / at_once;
    const int64_t once = chunks == 1 && weights > first_cache ? positions.size() : 0;
    Runs runs;
    for (int64_t i = 0; i < chunks; ++i)
        for (int64_t panel = panels.begin; panel < panels.end; ++panel) {
            Part part = part_of(place, panels_.vectors(panel), once, runs, largest);
            compute_panel(part, positions.part(i, chunks), runs);
        }
}

/// `once`: the next panel's weights are fetched while so many positions are computed; 0: the next positions are.
DirectLines::Part DirectLines::part_of(const Place& place, Range vectors, int64_t once, const Runs& runs, LargestLanes* largest) const {
    Part part{.place = place, .vectors = vectors.size(), .fetches_weights = once > 0};
    DirectTiles& t = part.tiles;
    t.runs = runs.runs.data();
    t.x_row = s_.width.stride * position_;
    t.W = W_ + vectors.begin * s_.taps() * lanes;
    t.tail = &tail_;
    t.channel = vectors.begin * lanes;
    t.last = uint16_t((1u << std::min(lanes, s_.out - (vectors.end - 1) * lanes)) - 1);
    t.y_row = s_.out;
    t.largest = largest;
    if (once == 0) return part;
    t.next = W_ + vectors.end * s_.taps() * lanes;
    t.next_step = (vectors.size() * lanes * tile_shape().rows + once - 1) / once;
    t.next_tile = t.next_step * s_.taps();
    return part;
}

void DirectLines::compute_panel(Part& part, Range positions, Runs& runs) const {
    for (int64_t p = positions.begin, end; p < positions.end; p = end) {
        const int64_t line = p / s_.width.count, first = line * s_.width.count;
        end = std::min(positions.end, first + s_.width.count);
        compute_line(part, line, {p - first, end - first}, runs);
    }
}

/// Positions of a line: those at its ends one by one, the others in tiles.
void DirectLines::compute_line(Part& part, int64_t line, Range columns, Runs& runs) const {
    const int64_t row = line % s_.height.count;
    const Range whole = s_.width.whole();
    int64_t column = columns.begin;
    const auto compute_ends = [&](int64_t end) {
        for (; column < std::min(columns.end, end); ++column) {
            find_runs(part, runs, s_.height.taps(row), s_.width.taps(column));
            compute_tiles(part, line, column, 1, 1);
        }
    };
    compute_ends(whole.begin);
    if (const int64_t count = std::min(columns.end, whole.end) - column; count > 0) {
        find_runs(part, runs, s_.height.taps(row), {0, s_.width.kernel});
        const int64_t most = tile_shape().rows, tiles = (count + most - 1) / most, rows = count / tiles, longer = count % tiles;
        compute_tiles(part, line, column, rows + 1, longer);
        compute_tiles(part, line, column + longer * (rows + 1), rows, tiles - longer);
        column += count;
    }
    compute_ends(columns.end);
}

/// Tiles of `rows` positions each from `column` on.
void DirectLines::compute_tiles(Part& part, int64_t line, int64_t column, int64_t rows, int64_t tiles) const {
    if (tiles == 0) return;
    const int64_t image = line / s_.height.count, row = line % s_.height.count, at = (line * s_.width.count + column - part.place.first) * s_.out + part.tiles.channel;
    DirectTiles& t = part.tiles;
    t.tiles = tiles;
    t.x = part.place.x + image * s_.in * s_.height.size * s_.width.size + s_.height.begin(row) * line_ + s_.width.begin(column) * position_;
    t.y = part.place.y + at;
    t.other = part.place.other ? part.place.other + at : nullptr;
    if (!part.fetches_weights) {
        t.next_step = rows;
        t.next_tile = rows * t.x_row;
        t.next = t.x + t.next_tile;
    }
    (s_.x_last ? kernels<false>(part.vectors) : kernels<true>(part.vectors))[rows - 1](t);
    if (part.fetches_weights) t.next += tiles * t.next_tile;
}

/// Channels last a line of the window with all channels is one run.
void DirectLines::find_runs(Part& part, Runs& r, Range down, Range across) const {
    if (r.count == 0 || r.down != down || r.across != across) {
        r.down = down, r.across = across, r.count = 0;
        const int64_t window = s_.height.kernel * s_.width.kernel, end = s_.x_last ? across.begin + 1 : across.end;
        for (int64_t plane = 0; plane < s_.in / channels_; ++plane)
            for (int64_t i = down.begin; i < down.end; ++i)
                for (int64_t j = across.begin; j < end; ++j)
                    r.runs[size_t(r.count++)] = {plane * plane_ + i * line_ + j * position_, plane * window + (i * s_.width.kernel + j) * channels_};
    }
    part.tiles.run_count = r.count;
    part.tiles.length = across.size() * channels_;
}

}  // namespace catena::direct

#endif
