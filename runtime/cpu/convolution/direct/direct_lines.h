#pragma once

#include <array>

#include "runtime/cpu/convolution/direct/direct_sizes.h"
#include "runtime/cpu/convolution/direct/direct_tiles.h"

#if defined(__x86_64__)

namespace catena::direct {

/// A direct convolution (runtime/cpu/convolution/direct/direct_convolution.h) that is computed part
/// by part, each on the calling thread.
class DirectLines {
public:
    /// Prepares it; `W` is packed_weights(). All arguments must outlive this.
    DirectLines(const Sizes& sizes, const float* W, const ConvolutionTail& tail);

    /// The memory of the images of a part.
    struct Place {
        const float* x;
        float* y;
        const float* other;  ///< The image that is added, or null.
        int64_t first = 0;   ///< The position with which `y` and `other` begin.
    };
    const Panels& panels() const { return panels_; }
    /// Computes positions of the result, numbered through all images, and panels of its channels.
    /// `largest` may be null.
    void compute(const Place& place, Range positions, Range panels, LargestLanes* largest) const;

private:
    /// Runs of taps, in the order of the weights.
    struct Runs {
        std::array<DirectTiles::Run, most_taps> runs;
        int64_t count = 0;
        Range down{}, across{};  ///< The taps of the window that are inside of x, along each axis.
    };
    /// The panel of channels that a thread computes, and its positions.
    struct Part {
        const Place& place;
        DirectTiles tiles{};
        int64_t vectors;
    };

    /// A position of the result, lines being numbered through all images; or the distance from one
    /// to the next.
    struct Position {
        int64_t line, column;
    };
    static constexpr Position along{0, 1}, below{1, 0};

    int64_t positions_at_once(int64_t positions, int64_t weights) const;
    Part part_of(const Place& place, Range vectors, int64_t once, const Runs& runs,
                 LargestLanes* largest) const;
    void compute_panel(Part& part, Range positions, Runs& runs) const;
    int64_t lines_alike(int64_t line, int64_t most) const;
    void compute_line(Part& part, int64_t line, Range columns, Runs& runs) const;
    void compute_lines(Part& part, Range lines, Runs& runs) const;
    void compute_positions(Part& part, Position first, int64_t count, Position step, Range down,
                           Runs& runs) const;
    void compute_tiles(Part& part, Position first, int64_t rows, int64_t tiles) const;
    void find_runs(Part& part, Runs& runs, Range down, Range across) const;

    const Sizes& s_;
    const float* const W_;
    const TailNumbers tail_;
    const Panels panels_;
    const int64_t channels_;  ///< Number of contiguous channels in x.
    /// Distances in x from a position, line and plane to the next.
    const int64_t position_, line_, plane_;
};

}  // namespace catena::direct

#endif
