#include "runtime/cpu/convolution/direct/direct_convolution.h"

#include "runtime/core/system/environment.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/cpu/convolution/direct/direct_lines.h"
#include "runtime/cpu/convolution/direct/direct_sizes.h"
#include "runtime/core/simd/instruction_set.h"
#include "runtime/cpu/machine.h"

namespace catena {

#if defined(__x86_64__)
namespace {

using namespace direct;

float run(const Sizes& s, const Array& x, const float* W, const ConvolutionTail& tail, float* y) {
    const int64_t weights = s.taps() * s.out, positions = s.positions();
    const DirectLines lines(s, W, tail);
    const DirectLines::Place place{x.elements<float>(), y, tail.other};
    const int64_t panels = lines.panels().count();
    LargestOfThreads largest;
    const auto grain = [&](int64_t parts) {
        return machine::grain_of_products(weights * positions / parts);
    };
    const auto compute = [&](Range part, Range of_panels) {
        LargestLanes found;
        lines.compute(place, part, of_panels, &found);
        largest.note(found);
    };
    if (s.shares_weights())
        parallel_for(panels, grain(panels),
                     [&](int64_t begin, int64_t end) { compute({0, positions}, {begin, end}); });
    else
        parallel_for(positions, grain(positions),
                     [&](int64_t begin, int64_t end) { compute({begin, end}, {0, panels}); });
    return largest.magnitude();
}

bool takes(const Array& x, const Array& W, const WindowSteps& steps, const Array& y) {
    return are_direct_convolutions_on() && takes_steps(x.shape(), steps) &&
           memory_order(y.shape(), y.strides()) == MemoryOrder::channels_last && W.contiguous() &&
           Sizes(x, W, steps, y).are_for_tiles();
}

bool fits(const ConvolutionTask& t) {
    return t.epilogue.tail && is_direct_fastest(t.a, t.b, t.epilogue.tail->numbers) &&
           takes(t.a, t.b, t.steps, t.result);
}

}  // namespace

bool are_direct_convolutions_on() {
    static const bool on = instruction_set() != InstructionSet::none &&
                           environment::flag("CATENA_DIRECT_CONVOLUTIONS", true);
    return on;
}

bool is_direct_fastest(const Array& x, const Array& W, const ConvolutionTail& tail) {
    if (x.rank() != 4 || memory_order(x.shape(), x.strides()) != MemoryOrder::channels_last)
        return true;
    const bool is_product = W.dim(2) == 1 && W.dim(3) == 1;
    return has_avx512() ? is_product : !is_product || tail.other;
}

std::optional<float> convolve_directly(const Array& x, const Array& W, const ConvolutionTail& tail,
                                       const WindowSteps& steps, const Array& y) {
    if (!takes(x, W, steps, y)) return std::nullopt;
    const Sizes sizes(x, W, steps, y);
    const Array kept = packed_weights(W, sizes);
    return run(sizes, x, kept.elements<float>(), tail, y.to_fill<float>());
}

#else

bool are_direct_convolutions_on() { return false; }
bool is_direct_fastest(const Array&, const Array&, const ConvolutionTail&) { return false; }
std::optional<float> convolve_directly(const Array&, const Array&, const ConvolutionTail&,
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
    const auto largest = convolve_directly(t.a, t.b, tail.numbers, t.steps, t.result);
    if (largest) tail.largest = *largest;
    return largest.has_value();
}

}  // namespace

const ConvolutionWay& direct_way() {
    static constexpr ConvolutionWay way{"direct tiles", fits, prepare_nothing<run>};
    return way;
}

}  // namespace catena
