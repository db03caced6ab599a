#include "runtime/cpu/convolution/direct/direct_lines.h"

#include <algorithm>
#include <utility>

#include "runtime/cpu/convolution/direct/direct_tile_avx2.h"
#include "runtime/cpu/convolution/direct/direct_tile_avx512.h"
#include "runtime/core/simd/instruction_set.h"

#if defined(__x86_64__)

namespace catena::direct {
namespace {

constexpr int64_t small_weights = 6'000;  ///< Stay in the first-level cache.

using TileKernel = void (*)(const DirectTiles&);

template <int vectors, bool single, int... rows>
const TileKernel* kernels_of_avx512(std::integer_sequence<int, rows...>) {
    static constexpr TileKernel kernels[] = {
        avx512::compute_direct_tiles<rows + 1, vectors, single>...};
    return kernels;
}

template <bool single, int... rows>
const TileKernel* kernels_of_avx2(std::integer_sequence<int, rows...>) {
    static constexpr TileKernel kernels[] = {avx2::compute_direct_tiles<rows + 1, single>...};
    return kernels;
}

/// The tiles for 1 to tile_shape().rows rows, and 1 to tile_shape().vectors vectors.
template <bool single>
const TileKernel* kernels(int64_t vectors) {
    constexpr std::make_integer_sequence<int, int(most_tile_rows)> rows;
    if (!has_avx512())
        return kernels_of_avx2<single>(std::make_integer_sequence<int, avx2::most_direct_rows>());
    return vectors == 1   ? kernels_of_avx512<1, single>(rows)
           : vectors == 2 ? kernels_of_avx512<2, single>(rows)
                          : kernels_of_avx512<3, single>(rows);
}

}  // namespace

DirectLines::DirectLines(const Sizes& sizes, const float* W, const ConvolutionTail& tail)
    : s_(sizes),
      W_(W),
      tail_(tail, s_.out),
      panels_(s_),
      channels_(s_.x_last ? s_.in : 1),
      position_(channels_),
      line_(position_ * s_.width.size),
      plane_(s_.height.size * line_) {}

/// How many positions are computed at a time: whole tiles, so many that what they read stays in a
/// core's second-level cache while the weights go by; few, if the weights stay in the first.
int64_t DirectLines::positions_at_once(int64_t positions, int64_t weights) const {
    constexpr int64_t second_cache = 110'000, first_cache = 2'000;
    const int64_t rows = tile_shape().rows, few = 4 * rows;
    const int64_t read = s_.in * std::min(s_.height.stride, s_.height.kernel) *
                         std::min(s_.width.stride, s_.width.kernel);
    const int64_t most = weights > small_weights ? std::max(rows, second_cache / read)
                         : has_avx512()          ? few
                                                 : std::max(few, first_cache / read);
    const int64_t chunks = (positions + most - 1) / most;
    return ((positions + chunks - 1) / chunks + rows - 1) / rows * rows;
}

void DirectLines::compute(const Place& place, Range positions, Range panels,
                          LargestLanes* largest) const {
    if (positions.size() == 0) return;
    const int64_t weights = s_.out * s_.taps() * panels.size() / panels_.count();
    const int64_t at_once =
        panels.size() == 1 ? positions.size() : positions_at_once(positions.size(), weights);
    const int64_t once =
        at_once >= positions.size() && weights > small_weights ? positions.size() : 0;
    Runs runs;
    for (int64_t begin = positions.begin; begin < positions.end; begin += at_once)
        for (int64_t panel = panels.begin; panel < panels.end; ++panel) {
            Part part = part_of(place, panels_.vectors(panel), once, runs, largest);
            compute_panel(part, {begin, std::min(positions.end, begin + at_once)}, runs);
        }
}

/// `once`: the next panel's weights are fetched while so many positions are computed; 0: the next
/// positions are.
DirectLines::Part DirectLines::part_of(const Place& place, Range vectors, int64_t once,
                                       const Runs& runs, LargestLanes* largest) const {
    Part part{.place = place, .vectors = vectors.size()};
    DirectTiles& t = part.tiles;
    t.runs = runs.runs.data();
    t.W = W_ + vectors.begin * s_.taps() * lanes;
    t.tail = &tail_;
    t.channel = vectors.begin * lanes;
    t.last = uint16_t((1u << std::min(lanes, s_.out - (vectors.end - 1) * lanes)) - 1);
    t.largest = largest;
    t.fetches_weights = once > 0;
    if (once == 0) return part;
    t.next = W_ + vectors.end * s_.taps() * lanes;
    t.next_step = (vectors.size() * lanes * tile_shape().rows + once - 1) / once;
    t.next_tile = t.next_step * s_.taps();
    return part;
}

void DirectLines::compute_panel(Part& part, Range positions, Runs& runs) const {
    const int64_t width = s_.width.count;
    for (int64_t p = positions.begin, end; p < positions.end; p = end) {
        const int64_t line = p / width, first = p - line * width,
                      alike = first == 0 ? lines_alike(line, (positions.end - p) / width) : 0;
        end = alike > 1 ? p + alike * width : std::min(positions.end, p - first + width);
        if (alike > 1)
            compute_lines(part, {line, line + alike}, runs);
        else
            compute_line(part, line, {first, first + end - p}, runs);
    }
}

/// How many of `most` lines of one image see all lines of their windows, if there is anything at
/// their ends that could be computed together.
int64_t DirectLines::lines_alike(int64_t line, int64_t most) const {
    const Range whole = s_.height.whole(), columns = s_.width.whole();
    const int64_t row = line % s_.height.count;
    return columns.size() == s_.width.count || row < whole.begin ? 0
                                                                 : std::min(most, whole.end - row);
}

/// Positions of a line: those at its ends one by one, the others in tiles.
void DirectLines::compute_line(Part& part, int64_t line, Range columns, Runs& runs) const {
    const Range down = s_.height.taps(line % s_.height.count), whole = s_.width.whole();
    int64_t column = columns.begin;
    const auto compute_ends = [&](int64_t end) {
        for (; column < std::min(columns.end, end); ++column)
            compute_positions(part, {line, column}, 1, along, down, runs);
    };
    compute_ends(whole.begin);
    if (const int64_t count = std::min(columns.end, whole.end) - column; count > 0) {
        compute_positions(part, {line, column}, count, along, down, runs);
        column += count;
    }
    compute_ends(columns.end);
}

/// Lines whose windows see the same lines of theirs: what is at their ends in tiles, too, of
/// positions below each other.
void DirectLines::compute_lines(Part& part, Range lines, Runs& runs) const {
    const Range down{0, s_.height.kernel}, whole = s_.width.whole();
    for (int64_t line = lines.begin; line < lines.end && whole.size() > 0; ++line)
        compute_positions(part, {line, whole.begin}, whole.size(), along, down, runs);
    for (int64_t column = 0; column < s_.width.count; ++column)
        if (column < whole.begin || column >= whole.end)
            compute_positions(part, {lines.begin, column}, lines.size(), below, down, runs);
}

/// `count` positions with the same taps, the first one and those that follow it.
void DirectLines::compute_positions(Part& part, Position first, int64_t count, Position step,
                                    Range down, Runs& runs) const {
    find_runs(part, runs, down, s_.width.taps(first.column));
    part.tiles.x_row =
        step.line * s_.height.stride * line_ + step.column * s_.width.stride * position_;
    part.tiles.y_row = (step.line * s_.width.count + step.column) * s_.out;
    const int64_t most = tile_shape().rows, tiles = (count + most - 1) / most, rows = count / tiles,
                  longer = count % tiles, then = longer * (rows + 1);
    compute_tiles(part, first, rows + 1, longer);
    compute_tiles(part, {first.line + then * step.line, first.column + then * step.column}, rows,
                  tiles - longer);
}

/// Tiles of `rows` positions each.
void DirectLines::compute_tiles(Part& part, Position first, int64_t rows, int64_t tiles) const {
    if (tiles == 0) return;
    const int64_t image = first.line / s_.height.count, row = first.line % s_.height.count;
    const int64_t at = (first.line * s_.width.count + first.column - part.place.first) * s_.out +
                       part.tiles.channel;
    DirectTiles& t = part.tiles;
    t.tiles = tiles;
    t.x = part.place.x + image * s_.in * s_.height.size * s_.width.size +
          s_.height.begin(row) * line_ + s_.width.begin(first.column) * position_;
    t.y = part.place.y + at;
    t.other = part.place.other ? part.place.other + at : nullptr;
    if (!t.fetches_weights) {
        t.next_step = rows;
        t.next_tile = rows * t.x_row;
        t.next = t.x + t.next_tile;
    }
    (s_.x_last ? kernels<false>(part.vectors) : kernels<true>(part.vectors))[rows - 1](t);
    if (t.fetches_weights) t.next += tiles * t.next_tile;
}

/// Channels last a line of the window with all channels is one run.
void DirectLines::find_runs(Part& part, Runs& r, Range down, Range across) const {
    if (r.count == 0 || r.down != down || r.across != across) {
        r.down = down, r.across = across, r.count = 0;
        const int64_t window = s_.height.kernel * s_.width.kernel,
                      end = s_.x_last ? across.begin + 1 : across.end;
        for (int64_t plane = 0; plane < s_.in / channels_; ++plane)
            for (int64_t i = down.begin; i < down.end; ++i)
                for (int64_t j = across.begin; j < end; ++j)
                    r.runs[size_t(r.count++)] = {
                        plane * plane_ + i * line_ + j * position_,
                        plane * window + (i * s_.width.kernel + j) * channels_};
    }
    part.tiles.run_count = r.count;
    part.tiles.length = across.size() * channels_;
}

}  // namespace catena::direct

#endif
