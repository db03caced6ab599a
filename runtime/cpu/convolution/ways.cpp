#include "runtime/cpu/convolution/ways.h"

#include "runtime/cpu/convolution/direct/direct_convolution.h"
#include "runtime/cpu/convolution/lanes/lane_convolution.h"
#include "runtime/cpu/convolution/library_convolution.h"
#include "runtime/cpu/convolution/patch_convolution.h"
#include "runtime/cpu/convolution/pointwise_convolution.h"
#include "runtime/cpu/convolution/winograd/phase_convolution.h"
#include "runtime/cpu/convolution/winograd/two_by_two.h"
#include "runtime/cpu/convolution/winograd/winograd.h"

namespace catena {

std::span<const ConvolutionWay* const> convolution_ways() {
    static const ConvolutionWay* const ways[] = {
        &lane_way(),  &product_way(), &winograd_way(),  &phase_way(),   &two_by_two_way(),
        &patch_way(), &direct_way(),  &depthwise_way(), &library_way(),
    };
    return ways;
}

}  // namespace catena
