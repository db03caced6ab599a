#include "runtime/cpu/convolution/direct/direct_convolution.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>

#include "runtime/core/environment.h"
#include "runtime/core/parallel.h"
#include "runtime/cpu/convolution/direct/direct_sizes.h"
#include "runtime/cpu/convolution/direct/direct_tile.h"

namespace catena {

#if defined(__x86_64__)
namespace {

using namespace direct;

/// Of a window in a picture's order.
constexpr int64_t most_taps = 108;

using TileKernel = void (*)(const DirectTiles&);

template <int vectors, bool single>
constexpr TileKernel kernels_of_rows[tile_rows] = {
    compute_direct_tiles<1, vectors, single>, compute_direct_tiles<2, vectors, single>, compute_direct_tiles<3, vectors, single>,
    compute_direct_tiles<4, vectors, single>, compute_direct_tiles<5, vectors, single>, compute_direct_tiles<6, vectors, single>,
    compute_direct_tiles<7, vectors, single>, compute_direct_tiles<8, vectors, single>};

template <bool single>
const TileKernel* kernels(int64_t vectors) {
    return vectors == 1 ? kernels_of_rows<1, single> : vectors == 2 ? kernels_of_rows<2, single> : kernels_of_rows<3, single>;
}

class DirectConvolution {
public:
    DirectConvolution(const Sizes& sizes, const Array& x, const float* W, const ConvolutionTail& tail, float* y)
        : s_(sizes), x_(x.elements<float>()), W_(W), tail_(tail, s_.out), y_(y),
          panels_(s_), channels_(s_.x_last ? s_.in : 1), position_(channels_), line_(position_ * s_.width.size), plane_(s_.height.size * line_) {}

    float run() {
        constexpr int64_t work_of_a_thread = 200'000;
        const int64_t weights = s_.taps() * s_.out, positions = s_.positions();
        const auto grain = [&](int64_t parts) { return 1 + work_of_a_thread * parts / (weights * positions); };
        if (s_.shares_weights())
            parallel_for(panels_.count(), grain(panels_.count()), [&](int64_t begin, int64_t end) { compute({0, positions}, {begin, end}); });
        else
            parallel_for(positions, grain(positions), [&](int64_t begin, int64_t end) { compute({begin, end}, {0, panels_.count()}); });
        return std::bit_cast<float>(largest_.load());
    }

private:
    /// Taps in the order of the weights.
    struct Runs {
        std::array<DirectTiles::Run, most_taps> runs;
        int64_t count = 0;
        Range down{}, across{};  ///< Of the window.
    };
    /// A panel that a thread computes.
    struct Part {
        DirectTiles tiles{};
        int64_t vectors;
        bool fetches_weights;  ///< Of the next panel, else the next positions.
    };

    /// So many positions at a time that what they read stays in a core's second-level cache while the weights go by; few, if the
    /// weights stay in the first.
    void compute(Range positions, Range panels) {
        constexpr int64_t first_cache = 6'000, second_cache = 110'000;
        const int64_t weights = s_.out * s_.taps() * panels.size() / panels_.count();
        const int64_t read = s_.in * std::min(s_.height.stride, s_.height.kernel) * std::min(s_.width.stride, s_.width.kernel);
        const int64_t at_once = panels.size() == 1 ? positions.size() : weights <= first_cache ? 4 * tile_rows : std::max(tile_rows, second_cache / read);
        const int64_t chunks = (positions.size() + at_once - 1) / at_once;
        const int64_t once = chunks == 1 && weights > first_cache ? positions.size() : 0;
        LargestLanes largest;
        Runs runs;
        for (int64_t i = 0; i < chunks; ++i)
            for (int64_t panel = panels.begin; panel < panels.end; ++panel) {
                Part part = part_of(panels_.vectors(panel), once, runs, largest);
                compute_panel(part, positions.part(i, chunks), runs);
            }
        int32_t known = largest_.load();
        while (largest.largest() > known && !largest_.compare_exchange_weak(known, largest.largest())) {
        }
    }

    /// `once`: the next panel's weights are fetched while so many positions are computed; 0: the next positions are.
    Part part_of(Range vectors, int64_t once, const Runs& runs, LargestLanes& largest) const {
        Part part{.vectors = vectors.size(), .fetches_weights = once > 0};
        DirectTiles& t = part.tiles;
        t.runs = runs.runs.data();
        t.x_row = s_.width.stride * position_;
        t.W = W_ + vectors.begin * s_.taps() * lanes;
        t.tail = &tail_;
        t.channel = vectors.begin * lanes;
        t.last = uint16_t((1u << std::min(lanes, s_.out - (vectors.end - 1) * lanes)) - 1);
        t.y_row = s_.out;
        t.largest = &largest;
        if (once == 0) return part;
        t.next = W_ + vectors.end * s_.taps() * lanes;
        t.next_step = (vectors.size() * lanes * tile_rows + once - 1) / once;
        t.next_tile = t.next_step * s_.taps();
        return part;
    }

    void compute_panel(Part& part, Range positions, Runs& runs) const {
        for (int64_t p = positions.begin, end; p < positions.end; p = end) {
            const int64_t line = p / s_.width.count, first = line * s_.width.count;
            end = std::min(positions.end, first + s_.width.count);
            compute_line(part, line, {p - first, end - first}, runs);
        }
    }

    /// Positions of a line: those at its ends one by one, the others in tiles.
    void compute_line(Part& part, int64_t line, Range columns, Runs& runs) const {
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
            const int64_t tiles = (count + tile_rows - 1) / tile_rows, rows = count / tiles, longer = count % tiles;
            compute_tiles(part, line, column, rows + 1, longer);
            compute_tiles(part, line, column + longer * (rows + 1), rows, tiles - longer);
            column += count;
        }
        compute_ends(columns.end);
    }

    /// Tiles of `rows` positions each from `column` on.
    void compute_tiles(Part& part, int64_t line, int64_t column, int64_t rows, int64_t tiles) const {
        if (tiles == 0) return;
        const int64_t image = line / s_.height.count, row = line % s_.height.count, at = (line * s_.width.count + column) * s_.out + part.tiles.channel;
        DirectTiles& t = part.tiles;
        t.tiles = tiles;
        t.x = x_ + image * s_.in * s_.height.size * s_.width.size + s_.height.begin(row) * line_ + s_.width.begin(column) * position_;
        t.y = y_ + at;
        t.other = tail_.other ? tail_.other + at : nullptr;
        if (!part.fetches_weights) {
            t.next_step = rows;
            t.next_tile = rows * t.x_row;
            t.next = t.x + t.next_tile;
        }
        (s_.x_last ? kernels<false>(part.vectors) : kernels<true>(part.vectors))[rows - 1](t);
        if (part.fetches_weights) t.next += tiles * t.next_tile;
    }

    /// Channels last a line of the window with all channels is one run.
    void find_runs(Part& part, Runs& r, Range down, Range across) const {
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

    const Sizes& s_;
    const float *const x_, *const W_;
    const TailNumbers tail_;
    float* const y_;
    const Panels panels_;
    const int64_t channels_;                 ///< Side by side in x.
    const int64_t position_, line_, plane_;  ///< Steps in x.
    std::atomic<int32_t> largest_ = 0;
};

bool fits(const Array& x, const Array& W, const WindowSteps& steps, const Array& y) {
    if (x.rank() != 4 || steps.groups != 1 || steps.dilate[0] != 1 || steps.dilate[1] != 1) return false;
    return memory_order(y.shape(), y.strides()) == MemoryOrder::channels_last && W.contiguous();
}

/// Others are for the library, or Winograd's method.
bool is_faster(const Sizes& s) {
    constexpr int64_t few = 4, least_out = 8;
    if (s.out < least_out) return false;
    return s.x_last ? s.is_pointwise() : s.in <= few && s.width.kernel > 1 && s.taps() <= most_taps;
}

}  // namespace

bool are_direct_convolutions_on() {
    static const bool on = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                           environment::flag("CATENA_DIRECT_CONVOLUTIONS", true);
    return on;
}

std::optional<float> convolve_directly(const Array& x, const Array& W, const ConvolutionTail& tail, const WindowSteps& steps, const Array& y) {
    if (!are_direct_convolutions_on() || !fits(x, W, steps, y)) return std::nullopt;
    const Sizes sizes(x, W, steps, y);
    if (!is_faster(sizes)) return std::nullopt;
    const Array kept = packed_weights(W, sizes);
    return DirectConvolution(sizes, x, kept.elements<float>(), tail, y.to_fill<float>()).run();
}

#else

bool are_direct_convolutions_on() { return false; }
std::optional<float> convolve_directly(const Array&, const Array&, const ConvolutionTail&, const WindowSteps&, const Array&) { return std::nullopt; }

#endif

}  // namespace catena
