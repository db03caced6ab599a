#include "runtime/cpu/convolution/way/way.h"

namespace catena {
namespace {

bool compute_by(const ConvolutionWay& way, const ConvolutionTask& task) {
    return way.fits(task) && way.prepare(task)->run(task);
}

}  // namespace

const char* work_of(ConvolutionDirection direction) {
    return direction == ConvolutionDirection::data      ? "convolution, images' gradient"
           : direction == ConvolutionDirection::weights ? "convolution, weights' gradient"
                                                        : "convolution, forward";
}

bool convolve_by(const ConvolutionWay& way, const Array& x, const Array& W, const Array& bias,
                 const WindowSteps& steps, const Array& y) {
    return compute_by(way, {ConvolutionDirection::forward, steps, x, W, y, Epilogue{.bias = bias}});
}

bool convolve_data_by(const ConvolutionWay& way, const Array& gy, const Array& W,
                      const WindowSteps& steps, const Array& gx) {
    return compute_by(way, {ConvolutionDirection::data, steps, gy, W, gx, Epilogue()});
}

bool convolve_weights_by(const ConvolutionWay& way, const Array& x, const Array& gy,
                         const WindowSteps& steps, const Array& gW) {
    return compute_by(way, {ConvolutionDirection::weights, steps, x, gy, gW, Epilogue()});
}

}  // namespace catena
