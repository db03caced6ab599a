#include "runtime/core/array/memory_order.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/cpu/convolution/direct/depthwise_lines.h"
#include "runtime/cpu/convolution/direct/direct_convolution.h"
#include "runtime/cpu/machine.h"

namespace catena {

#if defined(__x86_64__)
namespace {

using namespace depthwise;

/// The lines [line, last_line) of all images.
void compute(const DepthwiseLines& lines, const Sizes& s, const Array& x, float* y,
             const float* other, int64_t line, int64_t last_line, int64_t first_vector,
             int64_t last_vector, LargestLanes& largest) {
    const int64_t x_image = s.height * s.width * s.channels, y_image = s.lines * s.line();
    while (line < last_line) {
        const int64_t image = line / s.lines, row = line % s.lines,
                      count = std::min(s.lines - row, last_line - line);
        const DepthwiseLines::Place place{x.elements<float>() + image * x_image, s.height,
                                          y + image * y_image,
                                          other ? other + image * y_image : nullptr};
        lines.compute(place, row, row + count, first_vector, last_vector, &largest);
        line += count;
    }
}

float run(const Sizes& s, const Array& x, const float* W, const ConvolutionTail& tail, float* y) {
    constexpr int64_t enough_lines = 8;
    const DepthwiseLines depthwise(s, W, tail);
    const int64_t lines = s.images * s.lines, vectors = s.vectors(), threads = thread_count(),
                  work = 2 * s.columns * taps * depthwise::lanes;  // A product loads both operands.
    LargestOfThreads largest;
    const auto part = [&](int64_t line, int64_t last_line, int64_t first_vector,
                          int64_t last_vector) {
        LargestLanes found;
        compute(depthwise, s, x, y, tail.other, line, last_line, first_vector, last_vector, found);
        largest.note(found);
    };
    if (lines % threads == 0 || lines >= enough_lines * threads)
        parallel_for(lines, machine::grain_of_products(work * vectors),
                     [&](int64_t begin, int64_t end) { part(begin, end, 0, vectors); });
    else
        parallel_for(vectors, machine::grain_of_products(work * lines),
                     [&](int64_t begin, int64_t end) { part(0, lines, begin, end); });
    return largest.magnitude();
}

bool takes(const Array& x, const Array& W, const WindowSteps& steps, const Array& y) {
    const auto is_last = [](const Array& a) {
        return memory_order(a.shape(), a.strides()) == MemoryOrder::channels_last;
    };
    return are_direct_convolutions_on() && takes_steps(x.shape(), W.shape(), steps) &&
           W.contiguous() && is_last(x) && is_last(y);
}

bool fits(const ConvolutionTask& t) {
    return t.epilogue.tail && takes(t.a, t.b, t.steps, t.result);
}

}  // namespace

std::optional<float> convolve_depthwise(const Array& x, const Array& W, const ConvolutionTail& tail,
                                        const WindowSteps& steps, const Array& y) {
    if (!takes(x, W, steps, y)) return std::nullopt;
    const Sizes sizes(x.shape(), steps, y.shape());
    const Array kept = packed_weights(W, sizes.channels);
    return run(sizes, x, kept.elements<float>(), tail, y.to_fill<float>());
}

#else

std::optional<float> convolve_depthwise(const Array&, const Array&, const ConvolutionTail&,
                                        const WindowSteps&, const Array&) {
    return std::nullopt;
}

namespace {
bool fits(const ConvolutionTask&) { return false; }
}  // namespace

#endif

namespace {

bool run(const ConvolutionTask& t) {
    TailEpilogue& tail = *t.epilogue.tail;
    const auto largest = convolve_depthwise(t.a, t.b, tail.numbers, t.steps, t.result);
    if (largest) tail.largest = *largest;
    return largest.has_value();
}

}  // namespace

const ConvolutionWay& depthwise_way() {
    static constexpr ConvolutionWay way{"depthwise tiles", fits, prepare_nothing<run>};
    return way;
}

}  // namespace catena
