#include "runtime/cpu/convolution/winograd/two_by_two.h"

#include "runtime/cpu/convolution/winograd/channel_blocks.h"
#include "runtime/cpu/machine.h"

namespace catena {
namespace {

using winograd::lanes, winograd::Tile, winograd::WeightSteps;

// Along an axis of an image, y1 = w0 x0 + w1 x1 and y0 = w1 x0 + w2 x1: that is F(2, 2) of the
// inputs w and the window x, with the results in reverse order (S. Winograd, Arithmetic Complexity
// of Computations, 1980). So an image takes 9 multiplications a pair of channels; the definition
// has 16, and 20 more with padding.
using Transforms = winograd::TileTransforms<2, 2, true>;
constexpr int64_t values = Transforms::values;

/// Images of 2x2, each of them a tile. Its results are numbered from the last one on.
struct Sizes {
    int64_t images, in, out;

    int64_t tiles() const { return images; }
    Tile input(int64_t image) const { return {0, 0, 2, 2, 4 * image * in, 2 * in, in}; }
    Tile result(int64_t image) const { return {0, 0, 2, 2, (4 * image + 3) * out, -2 * out, -out}; }
    /// A result sees the whole image, so none has the rounding errors of numbers that it does not
    /// see.
    bool read_inputs(int64_t, int64_t, const float*) const { return true; }
};

bool is_two_by_two(const Shape& shape) {
    return shape.rank() == 4 && shape[2] == 2 && shape[3] == 2 && shape[1] % lanes == 0;
}

/// Whether they can be computed so, and enough images use each of the transformed weights, but not
/// too many for the shared cache.
bool fits(const Shape& x, const Shape& W, const Shape& y, const WindowSteps& steps) {
    constexpr int64_t least = 16;
    if (!winograd::is_on() || !is_two_by_two(x) || !is_two_by_two(y) || W[2] != 3 || W[3] != 3 ||
        steps.groups != 1)
        return false;
    for (int d = 0; d < 2; ++d)
        if (steps.stride[d] != 1 || steps.dilate[d] != 1 || steps.pad[d] != 1) return false;
    return x[0] >= least && values * x[0] * (x[1] + y[1]) <= machine::shared_cache_floats;
}

bool run(const ConvolutionTask& t) {
    const Array a = winograd::channels_last(t.a);
    const float* const from = a.elements<float>();
    const int64_t channels = t.x().dim(1);
    if (t.is(ConvolutionDirection::weights)) {
        const Array gy = winograd::channels_last(t.b);
        return winograd::convolve_weight_blocks<Transforms>(Sizes{a.dim(0), channels, gy.dim(1)},
                                                            from, gy.elements<float>(),
                                                            t.result.to_fill<float>());
    }
    const Array to = winograd::channels_last_like(t.result);
    // Towards the images their last tap comes first.
    const WeightSteps steps =
        t.is_forward() ? WeightSteps{9, channels * 9, false} : WeightSteps{channels * 9, 9, true};
    if (!winograd::convolve_blocks<Transforms>(
            Sizes{a.dim(0), a.dim(1), to.dim(1)}, from, t.b.elements<float>(), steps, Array(),
            t.epilogue.bias_elements(), to.to_fill<float>(), [](int64_t, int64_t) {}))
        return false;
    if (!(to == t.result)) copy_elements(to, t.result);
    return true;
}

bool fits(const ConvolutionTask& t) {
    return t.epilogue.is_plain() && fits(t.x().shape(), t.W().shape(), t.y().shape(), t.steps);
}

}  // namespace

const ConvolutionWay& two_by_two_way() {
    static constexpr ConvolutionWay way{"winograd 2x2", fits, prepare_nothing<run>};
    return way;
}

}  // namespace catena
