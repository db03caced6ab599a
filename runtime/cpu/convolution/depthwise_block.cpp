#include "runtime/cpu/convolution/depthwise_block.h"

#include <algorithm>
#include <atomic>

#include "runtime/core/array/memory_order.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/core/parallel/share.h"
#include "runtime/cpu/convolution/direct/depthwise_lines.h"
#include "runtime/cpu/convolution/direct/direct_convolution.h"
#include "runtime/cpu/convolution/direct/direct_lines.h"
#include "runtime/cpu/scratch.h"
#include "runtime/profile/method_span.h"
#include "runtime/cpu/machine.h"

namespace catena {
namespace {

std::atomic<int64_t> runs = 0;

}  // namespace

int64_t block_runs() { return runs; }

#if defined(__x86_64__)
namespace {

using direct::DirectLines;
using direct::Range;

struct Sizes {
    direct::Sizes first;
    depthwise::Sizes middle;
    direct::Sizes last;
    int64_t at_once;  ///< Lines of the result.

    Sizes(const Shape& x, const BlockSteps& s, bool x_last)
        : first(x, s[0].W, s[0].steps, s[0].y, x_last),
          middle(s[0].y, s[1].steps, s[1].y),
          last(s[1].y, s[2].W, s[2].steps, s[2].y, true) {
        // Fewer would leave tiles of two lines half empty; with more the second-level cache would
        // not hold them beside x and the weights.
        constexpr int64_t least = 2, second_cache = 96'000;
        at_once = least;
        while (at_once < middle.lines &&
               kept_floats(at_once + 1) + line_floats(at_once + 1) <= second_cache)
            ++at_once;
    }
    int64_t lines() const { return middle.images * middle.lines; }
    /// Lines of the first result that `lines` of the second one read.
    int64_t kept_lines(int64_t lines) const { return (lines - 1) * middle.steps + depthwise::side; }
    int64_t kept_line() const { return middle.width * middle.channels; }
    int64_t kept_floats(int64_t lines) const { return kept_lines(lines) * kept_line(); }
    int64_t line_floats(int64_t lines) const { return lines * middle.line(); }
    /// Multiplications of a line of the result.
    int64_t work() const {
        return middle.steps * middle.width * middle.channels * first.taps() +
               middle.line() * (depthwise::taps + last.out);
    }
    int64_t parts() const {
        return std::clamp<int64_t>(lines() * work() / machine::products_of_a_thread, 1,
                                   std::min<int64_t>(thread_count(), lines()));
    }
    size_t part_bytes() const {
        return Scratch::rounded(size_t(kept_floats(at_once) + line_floats(at_once)) *
                                sizeof(float));
    }
};

class Block {
public:
    /// `W`: in the order in which each of the steps wants them.
    Block(const Sizes& sizes, const BlockOperands& o, const std::array<Array, block_steps>& W,
          float* y)
        : s_(sizes),
          x_(o.x.elements<float>()),
          y_(y),
          other_(o.tails[2].other),
          first_(s_.first, W[0].elements<float>(), o.tails[0]),
          middle_(s_.middle, W[1].elements<float>(), o.tails[1]),
          last_(s_.last, W[2].elements<float>(), o.tails[2]) {}

    float run(std::span<std::byte> scratch) {
        const int64_t parts = s_.parts();
        Scratch memory(scratch, size_t(parts) * s_.part_bytes());
        float* const all = reinterpret_cast<float*>(memory.take(size_t(parts) * s_.part_bytes()));
        LargestOfThreads largest;
        parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
            LargestLanes found;
            for (int64_t part = begin; part < end; ++part) {
                const Share share = share_of(s_.lines(), part, parts);
                compute({share.begin, share.end},
                        all + part * int64_t(s_.part_bytes() / sizeof(float)), found);
            }
            largest.note(found);
        });
        return largest.magnitude();
    }

private:
    /// Lines of the result, numbered through all images.
    void compute(Range lines, float* memory, LargestLanes& largest) const {
        for (int64_t line = lines.begin; line < lines.end;) {
            const int64_t image = line / s_.middle.lines, row = line % s_.middle.lines,
                          end = std::min(s_.middle.lines, row + lines.end - line);
            compute_image(image, {row, end}, memory, largest);
            line += end - row;
        }
    }

    /// Lines of the first result go into a ring: the next ones take the place of those that are not
    /// read any more.
    void compute_image(int64_t image, Range rows, float* memory, LargestLanes& largest) const {
        const int64_t ring = s_.kept_lines(s_.at_once), height = s_.middle.height,
                      columns = s_.middle.columns;
        float *const kept = memory, *const between = memory + s_.kept_floats(s_.at_once);
        int64_t known = s_.middle.first_read(rows.begin);
        for (int64_t row = rows.begin, end; row < rows.end; row = end) {
            end = std::min(rows.end, row + s_.at_once);
            for (const int64_t wanted = s_.middle.last_read(end); known < wanted;) {
                const int64_t place = known % ring, count = std::min(wanted - known, ring - place),
                              position = (image * height + known) * s_.middle.width;
                first_.compute({x_, kept + place * s_.kept_line(), nullptr, position},
                               {position, position + count * s_.middle.width},
                               {0, first_.panels().count()}, nullptr);
                known += count;
            }
            middle_.compute({kept, ring, between, nullptr, row}, row, end, 0, s_.middle.vectors(),
                            nullptr);
            const int64_t to = (image * s_.middle.lines + row) * columns * s_.last.out;
            last_.compute({between, y_ + to, other_ ? other_ + to : nullptr},
                          {0, (end - row) * columns}, {0, last_.panels().count()}, &largest);
        }
    }

    const Sizes& s_;
    const float* const x_;
    float* const y_;
    const float* const other_;
    const DirectLines first_;
    const depthwise::DepthwiseLines middle_;
    const DirectLines last_;
};

/// Whether our own tiles compute all three. Weights that threads would share lie in another order.
bool fits(const Shape& x, const BlockSteps& s, bool x_last) {
    if (!are_direct_convolutions_on() || !direct::takes_steps(x, s[0].steps) ||
        !depthwise::takes_steps(s[0].y, s[1].W, s[1].steps))
        return false;
    if (!direct::takes_steps(s[1].y, s[2].steps) || s[2].steps.stride != Dims{1, 1}) return false;
    const Sizes sizes(x, s, x_last);
    if ((x_last && !sizes.first.is_pointwise()) || !sizes.last.is_pointwise()) return false;
    return sizes.first.are_for_tiles() && sizes.last.are_for_tiles() &&
           !sizes.first.shares_weights() && !sizes.last.shares_weights();
}

}  // namespace

std::optional<float> convolve_block(const BlockOperands& o, const BlockSteps& steps, const Array& y,
                                    std::span<std::byte> scratch) {
    const bool x_last = memory_order(o.x.shape(), o.x.strides()) == MemoryOrder::channels_last;
    if (memory_order(y.shape(), y.strides()) != MemoryOrder::channels_last ||
        !fits(o.x.shape(), steps, x_last))
        return std::nullopt;
    if (!x_last && !o.x.contiguous()) return std::nullopt;
    if (o.tails[0].other || o.tails[1].other ||
        !std::ranges::all_of(o.W, [](const Array& W) { return W.contiguous(); }))
        return std::nullopt;
    const Sizes sizes(o.x.shape(), steps, x_last);
    const std::array<Array, block_steps> W{packed_weights(o.W[0], sizes.first),
                                           depthwise::packed_weights(o.W[1], sizes.middle.channels),
                                           packed_weights(o.W[2], sizes.last)};
    ++runs;
    const profile::MethodSpan span("convolutions", "three in a row, by lines");
    return Block(sizes, o, W, y.to_fill<float>()).run(scratch);
}

size_t block_scratch_bytes(const Shape& x, const BlockSteps& steps) {
    const Sizes sizes(x, steps, false);
    return size_t(sizes.parts()) * sizes.part_bytes();
}

bool is_block(const Shape& x, const BlockSteps& steps) {
    constexpr int64_t least_lines = 7;  // Of a thread: else too much is computed twice.
    const bool pointwise = steps[0].W[2] == 1 && steps[0].W[3] == 1;
    return fits(x, steps, pointwise) &&
           steps[2].y[0] * steps[2].y[2] >= least_lines * thread_count();
}

#else

std::optional<float> convolve_block(const BlockOperands&, const BlockSteps&, const Array&,
                                    std::span<std::byte>) {
    return std::nullopt;
}
size_t block_scratch_bytes(const Shape&, const BlockSteps&) { return 0; }
bool is_block(const Shape&, const BlockSteps&) { return false; }

#endif

}  // namespace catena
