#include "runtime/cpu/convolution/prepared_convolution.h"

#include "runtime/cpu/convolution/float_convolution.h"

namespace catena {
namespace {

Array bias_of(const KernelCall& call) { return call.inputs.size() > 2 ? call.inputs[2] : Array(); }

class PreparedConvolution final : public PreparedCall {
public:
    PreparedConvolution(ConvolutionDirection direction, const WindowSteps& steps)
        : direction_(direction), steps_(steps) {}

    size_t scratch_bytes() const override { return convolution_.scratch_bytes(); }
    void run(const KernelCall& call, std::span<std::byte> scratch) override {
        convolution_.run({direction_, steps_, call.inputs[0], call.inputs[1], call.outputs[0],
                          Epilogue{.bias = bias_of(call)}, scratch});
    }

private:
    ConvolutionDirection direction_;
    WindowSteps steps_;
    FloatConvolution convolution_;
};

}  // namespace

std::unique_ptr<PreparedCall> prepare_convolution(ConvolutionDirection direction,
                                                  const WindowSteps& steps,
                                                  const KernelCall& call) {
    if (!is_float_convolution(direction, call.inputs[0], call.inputs[1], bias_of(call),
                              call.outputs[0]))
        return nullptr;
    return std::make_unique<PreparedConvolution>(direction, steps);
}

}  // namespace catena
