#include "runtime/ops/connection/convolution_onnx.h"

#include <algorithm>

namespace catena {
namespace {

/// Kernel, strides, dilations and groups; `pads` are all begins, then all ends.
OnnxAttributes window_of(OnnxCall& c, std::vector<int64_t> pads) {
    std::vector<int64_t> kernel;
    for (int i = 2; i < c.inputs[1].rank(); ++i)
        kernel.push_back(c.constant(c.inputs[1].shape[size_t(i)], "W"));
    return {{"kernel_shape", kernel},
            {"strides", c.dims("stride")},
            {"dilations", c.dims("dilate")},
            {"pads", std::move(pads)},
            {"group", c.attributes.integer("groups")}};
}

/// The extent covered by `positions` windows.
OnnxSize reach_of(OnnxCall& c, size_t axis, const OnnxSize& positions) {
    const int64_t kernel = c.constant(c.inputs[1].shape[axis + 2], "W");
    return (positions - 1) * c.dims("stride")[axis] + ((kernel - 1) * c.dims("dilate")[axis] + 1);
}

}  // namespace

/// cover_all is expressed as padding at the end.
std::vector<int> write_convolution(OnnxCall& c) {
    std::vector<int64_t> pads = c.dims("pad"), ends = pads;
    for (size_t i = 0; c.attributes.flag("cover_all") && i < pads.size(); ++i) {
        OnnxSize more =
            reach_of(c, i, c.outputs[0].shape[i + 2]) - c.inputs[0].shape[i + 2] - 2 * pads[i];
        ends[i] += std::max<int64_t>(c.constant(more, "cover_all"), 0);
    }
    pads.insert(pads.end(), ends.begin(), ends.end());
    std::vector<int> values;
    for (int i = 0; i < int(c.inputs.size()); ++i) values.push_back(c.input(i, c.result()));
    return c.node("Conv", values, window_of(c, pads));
}

std::vector<int> write_deconvolution(OnnxCall& c) {
    std::vector<int64_t> pads = c.dims("pad"), beyond;
    const size_t axes = pads.size();
    for (size_t i = 0; i < axes; ++i) {
        OnnxSize more =
            c.outputs[0].shape[i + 2] + 2 * pads[i] - reach_of(c, i, c.inputs[0].shape[i + 2]);
        beyond.push_back(c.constant(more, "size"));
    }
    for (size_t i = 0; i < axes; ++i) {  // Where the last window is cut, that is padding.
        pads.push_back(pads[i] + std::max<int64_t>(-beyond[i], 0));
        beyond[i] = std::max<int64_t>(beyond[i], 0);
    }
    OnnxAttributes attributes = window_of(c, pads);
    attributes.emplace_back("output_padding", beyond);
    return c.node("ConvTranspose", {c.input(0, c.result()), c.input(1, c.result())}, attributes);
}

}  // namespace catena
