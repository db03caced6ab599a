#include "runtime/ops/connection/convolution_order.h"

#include <algorithm>

#include "runtime/cpu/convolution/lanes/lane_convolution.h"
#include "runtime/cpu/convolution/patch_convolution.h"
#include "runtime/cpu/product/bfloat16.h"
#include "runtime/ops/connection/convolution_types.h"

namespace catena {
namespace {

bool all_are(const TypeCall& c, Dtype dtype) {
    return c.inputs[0].dtype == dtype && c.inputs[1].dtype == dtype;
}

}  // namespace

ChannelsLastRule convolution_order(ConvolutionDirection direction, uint32_t inputs,
                                   uint32_t outputs) {
    return [=](const TypeCall& c) {
        const bool is_narrow = has_bfloat16_products() && all_are(c, Dtype::bfloat16);
        const bool by_library = is_narrow || all_are(c, Dtype::float32);
        const bool gives_weights = outputs == 0;
        const Shape &image = c.inputs[0].shape, &other = c.inputs[1].shape;
        const int64_t groups = c.attributes.integer("groups");
        const bool depthwise =
            !gives_weights && groups == image[1] && groups == other[0] && other[1] == 1;
        if (!by_library || (groups != 1 && !depthwise)) return ChannelsLast();
        constexpr int64_t most_products = 600, least_positions = 1024, most_picture_channels = 4;
        int64_t kernel_size = 1, positions = image[0];
        for (int64_t size : spatial_sizes(image)) positions *= size;
        const Dims kernel = gives_weights ? c.attributes.dims("size") : spatial_sizes(other);
        for (int64_t size : kernel) kernel_size *= size;
        int64_t taps = kernel_size;
        for (int64_t step : c.attributes.dims("stride")) taps = std::max<int64_t>(1, taps / step);
        const int64_t channels =
            gives_weights ? std::min(image[1], other[1]) : std::min(other[0], other[1]);
        // Sixteen images side by side take either order, and what comes before and after rather has
        // rows of pixels.
        const bool by_lanes =
            !is_narrow &&
            is_faster_by_lanes(
                direction,
                {image[0], image[1], other[direction == ConvolutionDirection::forward ? 0 : 1],
                 image[image.rank() - 1], kernel, c.attributes.dims("stride"), false});
        const bool preferred = groups == 1 && !by_lanes &&
                               (is_narrow || kernel_size == 1 ||
                                (channels * taps <= most_products && positions >= least_positions));
        const bool reads_pictures = direction != ConvolutionDirection::data && !is_narrow &&
                                    image[1] <= most_picture_channels && kernel_size > 1;
        const bool gives_pictures =
            direction == ConvolutionDirection::data && !is_narrow && is_faster_by_patches(other);
        return ChannelsLast{.inputs = inputs,
                            .outputs = outputs,
                            .indifferent_inputs = reads_pictures,
                            .indifferent_outputs = gives_pictures,
                            .preferred = preferred,
                            .preferred_packed = !gives_weights};
    };
}

}  // namespace catena
