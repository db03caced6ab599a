// How much faster are the gradients of pictures by patches
// (runtime/cpu/convolution/patch_convolution.h) than by oneDNN? Results have their channels last;
// milliseconds of the fastest of several calls in turn, for pictures that are row-major and with
// their channels last.
#include <cstdio>
#include <functional>

#include "benchmarks/in_turn.h"
#include "runtime/core/array/device.h"
#include "runtime/core/array/memory_order.h"
#include "runtime/cpu/convolution/convolution_call.h"
#include "runtime/cpu/convolution/patch_convolution.h"

namespace catena {
namespace {

struct Layer {
    int64_t batch, in, out, size, kernel, pad, stride;
};
constexpr Layer layers[] = {
    {64, 3, 64, 32, 4, 1, 2}, {64, 3, 64, 32, 3, 1, 1},  {4, 3, 64, 224, 7, 3, 2},
    {2, 3, 32, 256, 3, 1, 1}, {16, 1, 16, 128, 3, 1, 1}, {16, 3, 32, 64, 3, 1, 2},
    {32, 3, 64, 64, 5, 2, 2}, {4, 3, 128, 64, 3, 1, 1},  {64, 1, 32, 28, 3, 1, 1},
    {2, 3, 64, 128, 4, 1, 2}, {1, 3, 64, 256, 9, 4, 1},  {64, 4, 32, 32, 5, 2, 1}};

void compare(const Layer& l, MemoryOrder order) {
    const WindowSteps steps{Dims{l.stride, l.stride}, Dims{l.pad, l.pad}, Dims{1, 1}, 1};
    const int64_t positions = (l.size + 2 * l.pad - l.kernel) / l.stride + 1;
    const Array gx = filled({l.batch, l.in, l.size, l.size}, order, 1),
                gy = filled({l.batch, l.out, positions, positions}, MemoryOrder::channels_last, 2);
    const Array W = filled({l.out, l.in, l.kernel, l.kernel}, MemoryOrder::row_major, 3);
    W.raw_data();  // As in training: nothing is kept packed.
    ConvolutionSizes sizes(gx.shape(), W.shape(), gy.shape(), steps);
    sizes.x_order = order, sizes.y_order = MemoryOrder::channels_last;
    ConvolutionCall library(ConvolutionPrimitive::find(ConvolutionDirection::data, sizes));
    const InTurn least =
        time_in_turn([&] { library.run(gy.elements(), W, nullptr, gx.to_fill(), {}); },
                     [&] { convolve_data_by(patch_way(), gy, W, steps, gx); }, 100);
    std::printf("  %7.3f %7.3f %5.2f", least.before, least.now, least.before / least.now);
}

}  // namespace
}  // namespace catena

int main() {
    using namespace catena;
    std::printf("%-30s  %-24s %s: oneDNN, patches, ratio\n", "", "row-major", "channels last");
    for (const Layer& l : layers) {
        std::printf("%3ld %3ld to %3ld, %3ldx%ld, %ldx%ld/%ld ", l.batch, l.in, l.out, l.size,
                    l.size, l.kernel, l.kernel, l.stride);
        for (const MemoryOrder order : {MemoryOrder::row_major, MemoryOrder::channels_last})
            compare(l, order);
        std::printf("\n");
    }
}
