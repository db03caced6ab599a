#include "runtime/cpu/convolution/library_convolution.h"

#include <optional>

#include "runtime/core/array/in_order.h"
#include "runtime/cpu/convolution/convolution_weights.h"
#include "runtime/cpu/convolution/library_tail.h"

namespace catena {
namespace {

using Direction = ConvolutionDirection;

ConvolutionSizes sizes_of(const ConvolutionTask& t) {
    ConvolutionSizes sizes(t.x().shape(), t.W().shape(), t.y().shape(), t.steps);
    sizes.x_order = order_of(t.x());
    sizes.y_order = order_of(t.y());
    return sizes;
}

/// Forwards or towards the images.
class LibraryImages final : public PreparedWay {
public:
    explicit LibraryImages(const ConvolutionTask& t)
        : call_(ConvolutionPrimitive::find(
              t.epilogue.bias.defined() ? Direction::forward_bias : t.direction, sizes_of(t))) {}
    bool run(const ConvolutionTask& t) override {
        call_.run(t.a.elements<float>(), t.b, t.epilogue.bias_elements(), t.result.to_fill<float>(),
                  t.scratch);
        return true;
    }
    size_t scratch_bytes() const override { return call_.scratch_bytes(); }

private:
    ConvolutionCall call_;
};

class LibraryWeights final : public PreparedWay {
public:
    explicit LibraryWeights(const ConvolutionTask& t) : weights_(sizes_of(t)) {}
    bool run(const ConvolutionTask& t) override {
        weights_.run(t.a.elements<float>(), t.b.elements<float>(), t.result.to_fill<float>(),
                     t.scratch);
        return true;
    }
    size_t scratch_bytes() const override { return weights_.scratch_bytes(); }

private:
    ConvolutionWeights weights_;
};

/// Row-major images have faster ways, if the tail has a pass of its own.
bool fits(const ConvolutionTask& t) {
    if (t.epilogue.is_plain()) return true;
    return t.epilogue.tail && !t.epilogue.tail->numbers.other &&
           order_of(t.result) == MemoryOrder::channels_last;
}

std::unique_ptr<PreparedWay> prepare(const ConvolutionTask& t) {
    if (t.epilogue.tail) return std::make_unique<LibraryTail>();
    if (t.is(Direction::weights)) return std::make_unique<LibraryWeights>(t);
    return std::make_unique<LibraryImages>(t);
}

}  // namespace

const ConvolutionWay& library_way() {
    static constexpr ConvolutionWay way{"library", fits, prepare};
    return way;
}

}  // namespace catena
