// How much faster are the convolutions of inference in tiles of our own
// (runtime/cpu/convolution/direct/direct_convolution.h) than in oneDNN? Layers of MobileNetV2,
// ResNet-50 and a U-Net for one image, channels last, with bias and bounds; milliseconds of the
// fastest of several calls in turn, weights packed before, and GFLOP/s of ours.
#include <cstdio>
#include <vector>

#include "benchmarks/in_turn.h"
#include "runtime/core/array/device.h"
#include "runtime/core/array/memory_order.h"
#include "runtime/cpu/convolution/convolution_call.h"
#include "runtime/cpu/convolution/direct/direct_convolution.h"

namespace catena {
namespace {

struct Layer {
    int64_t in, out, size, kernel, stride, groups;
};
constexpr Layer layers[] = {
    {32, 16, 112, 1, 1, 1},    {16, 96, 112, 1, 1, 1},    {96, 24, 56, 1, 1, 1},
    {24, 144, 56, 1, 1, 1},    {144, 32, 28, 1, 1, 1},    {32, 192, 28, 1, 1, 1},
    {192, 64, 14, 1, 1, 1},    {64, 384, 14, 1, 1, 1},    {384, 96, 14, 1, 1, 1},
    {96, 576, 14, 1, 1, 1},    {576, 96, 14, 1, 1, 1},    {160, 960, 7, 1, 1, 1},
    {960, 160, 7, 1, 1, 1},    {320, 1280, 7, 1, 1, 1},   {64, 64, 56, 1, 1, 1},
    {64, 256, 56, 1, 1, 1},    {256, 64, 56, 1, 1, 1},    {256, 128, 56, 1, 1, 1},
    {128, 512, 28, 1, 1, 1},   {256, 512, 56, 1, 2, 1},   {512, 128, 28, 1, 1, 1},
    {256, 1024, 14, 1, 1, 1},  {1024, 256, 14, 1, 1, 1},  {512, 1024, 28, 1, 2, 1},
    {512, 2048, 7, 1, 1, 1},   {2048, 512, 7, 1, 1, 1},   {1024, 2048, 14, 1, 2, 1},
    {32, 32, 112, 3, 1, 32},   {96, 96, 112, 3, 2, 96},   {144, 144, 56, 3, 1, 144},
    {192, 192, 28, 3, 1, 192}, {384, 384, 14, 3, 1, 384}, {960, 960, 7, 3, 1, 960},
    {128, 128, 56, 3, 2, 1},   {256, 256, 28, 3, 2, 1},   {512, 512, 14, 3, 2, 1},
    {512, 512, 7, 3, 1, 1},    {64, 64, 56, 3, 1, 1},     {256, 256, 14, 3, 1, 1},
    {3, 32, 224, 3, 2, 1},     {3, 64, 256, 3, 1, 1},
};

void compare(const Layer& l) {
    const WindowSteps steps{Dims{l.stride, l.stride}, Dims{l.kernel / 2, l.kernel / 2}, Dims{1, 1},
                            l.groups};
    const int64_t positions = (l.size - 1) / l.stride + 1;
    const MemoryOrder order = l.in > 4 ? MemoryOrder::channels_last : MemoryOrder::row_major;
    const Array x = filled({1, l.in, l.size, l.size}, order, 1),
                y = filled({1, l.out, positions, positions}, MemoryOrder::channels_last, 2);
    const Array W = filled({l.out, l.in / l.groups, l.kernel, l.kernel}, MemoryOrder::row_major, 3);
    const std::vector<float> zeros(size_t(l.out)), ones(size_t(l.out), 1.0f);
    const ConvolutionTail tail{zeros.data(), ones.data(), zeros.data(), nullptr, 0, 6};
    ConvolutionSizes sizes(x.shape(), W.shape(), y.shape(), steps);
    sizes.x_order = order, sizes.y_order = MemoryOrder::channels_last;
    sizes.clips = true, sizes.lowest = 0, sizes.highest = 6;
    ConvolutionCall library(ConvolutionPrimitive::find(ConvolutionDirection::forward_bias, sizes));
    const auto ours = [&] {
        return l.groups == 1 ? convolve_directly(x, W, tail, steps, y)
                             : convolve_depthwise(x, W, tail, steps, y);
    };
    const InTurn least = time_in_turn(
        [&] { library.run(x.elements(), W, zeros.data(), y.to_fill(), {}); }, [&] { ours(); }, 100);
    const double work = 2e-6 * double(y.size() * W.size() / l.out);
    std::printf("%4ld to %4ld, %3ldx%-3ld %ldx%ld/%ld %7.3f %7.3f %5.2f %7.1f%s\n", l.in, l.out,
                l.size, l.size, l.kernel, l.kernel, l.stride, least.before, least.now,
                least.before / least.now, work / least.now, ours() ? "" : " (not for tiles)");
}

}  // namespace
}  // namespace catena

int main() {
    std::printf("layer: oneDNN, tiles, ratio, GFLOP/s of tiles\n");
    for (const catena::Layer& l : catena::layers) catena::compare(l);
}
