// How much faster are convolutions of few channels with sixteen images side by side
// (runtime/cpu/convolution/lanes/lane_convolution.h) than in oneDNN? Milliseconds of the fastest of
// several calls in turn: oneDNN and lanes; forward, gradient of the images, of the weights.
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "benchmarks/in_turn.h"
#include "runtime/core/array/device.h"
#include "runtime/core/array/memory_order.h"
#include "runtime/cpu/convolution/convolution_call.h"
#include "runtime/cpu/convolution/convolution_weights.h"
#include "runtime/cpu/convolution/lanes/lane_convolution.h"

namespace catena {
namespace {

struct Layer {
    int64_t batch, in, out, size, kernel, pad, stride = 1;
};
constexpr Layer layers[] = {
    {64, 1, 6, 28, 5, 2},     {64, 6, 16, 14, 5, 0},  {64, 1, 20, 28, 5, 0},
    {64, 20, 50, 12, 5, 0},   {64, 1, 32, 28, 3, 1},  {64, 32, 64, 14, 3, 1},
    {64, 3, 16, 32, 3, 1},    {64, 16, 16, 32, 3, 1}, {64, 3, 64, 32, 3, 1},
    {64, 3, 64, 32, 4, 1, 2}, {64, 3, 32, 32, 5, 2},  {64, 32, 32, 16, 5, 2},
    {64, 8, 8, 28, 3, 1},     {64, 4, 12, 20, 7, 3},  {16, 1, 16, 128, 3, 1},
    {16, 3, 32, 64, 3, 1, 2}, {24, 6, 16, 14, 5, 0},  {128, 6, 16, 14, 5, 0},
    {64, 12, 24, 16, 3, 1},   {16, 1, 6, 128, 5, 2},  {16, 3, 8, 128, 3, 1},
    {32, 6, 6, 64, 3, 1},     {128, 1, 8, 28, 3, 1},  {64, 1, 10, 28, 5, 0},
    {64, 10, 20, 12, 5, 0},   {64, 3, 6, 32, 5, 0}};

void compare(double gflop, const std::function<void()>& library,
             const std::optional<LaneConvolution>& ours, const std::function<void()>& lanes) {
    const InTurn least = time_in_turn(library, ours ? lanes : nullptr, 40);
    std::printf("  %7.3f %7.3f %5.2f %4.0f", least.before, least.now, least.before / least.now,
                gflop / least.now * 1e3);
}

void compare(const Layer& l, MemoryOrder order) {
    const WindowSteps steps{Dims{l.stride, l.stride}, Dims{l.pad, l.pad}, Dims{1, 1}, 1};
    const int64_t positions = (l.size + 2 * l.pad - l.kernel) / l.stride + 1;
    const Array x = filled({l.batch, l.in, l.size, l.size}, order, 1),
                y = filled({l.batch, l.out, positions, positions}, order, 2);
    const Array W = filled({l.out, l.in, l.kernel, l.kernel}, MemoryOrder::row_major, 3),
                gW = filled(W.shape(), MemoryOrder::row_major, 4);
    W.raw_data();  // As in training: nothing is kept packed.
    const double gflop = 2e-9 * double(y.size() * l.in * l.kernel * l.kernel);
    ConvolutionSizes sizes(x.shape(), W.shape(), y.shape(), steps);
    sizes.x_order = sizes.y_order = order;
    ConvolutionCall forward(ConvolutionPrimitive::find(ConvolutionDirection::forward, sizes)),
        data(ConvolutionPrimitive::find(ConvolutionDirection::data, sizes));
    ConvolutionWeights weights(sizes);
    const auto find = [&](ConvolutionDirection direction, const Array& a, const Array& b,
                          const Array& result) {
        return LaneConvolution::find_possible(direction, a, b, result, steps);
    };
    const auto forward_lanes = find(ConvolutionDirection::forward, x, W, y),
               data_lanes = find(ConvolutionDirection::data, y, W, x),
               weight_lanes = find(ConvolutionDirection::weights, x, y, gW);
    std::printf("%3ld %3ld to %3ld, %3ldx%ld, %ldx%ld/%ld", l.batch, l.in, l.out, l.size, l.size,
                l.kernel, l.kernel, l.stride);
    compare(
        gflop, [&] { forward.run(x.elements(), W, nullptr, y.to_fill(), {}); }, forward_lanes,
        [&] { forward_lanes->run(x, W, Array(), y, {}); });
    compare(
        gflop, [&] { data.run(y.elements(), W, nullptr, x.to_fill(), {}); }, data_lanes,
        [&] { data_lanes->run(y, W, Array(), x, {}); });
    compare(
        gflop, [&] { weights.run(x.elements(), y.elements(), gW.to_fill<float>(), {}); },
        weight_lanes, [&] { weight_lanes->run(x, y, Array(), gW, {}); });
    std::printf("\n");
}

}  // namespace
}  // namespace catena

int main(int count, char** arguments) {
    using namespace catena;
    for (const MemoryOrder order : {MemoryOrder::row_major, MemoryOrder::channels_last}) {
        std::printf("%s: oneDNN, lanes, ratio, GFLOP/s of lanes; forward, images, weights\n",
                    order == MemoryOrder::row_major ? "row-major" : "channels last");
        int i = 0;
        for (const Layer& layer : layers)
            if (count < 2 || i++ < std::atoi(arguments[1])) compare(layer, order);
    }
}
