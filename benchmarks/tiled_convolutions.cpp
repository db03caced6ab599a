// How much faster are 3x3 convolutions, and 4x4 ones in steps of two, by tiles (Winograd's method)
// than by the definition, whose products oneDNN computes? Layers of VGG-16, ResNet-50, U-Net and
// DCGAN; milliseconds of the fastest of several calls, definition and tiles.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <limits>
#include <vector>

#include "benchmarks/in_turn.h"
#include "runtime/core/array/device.h"
#include "runtime/core/array/memory_order.h"
#include "runtime/cpu/convolution/convolution_call.h"
#include "runtime/cpu/convolution/convolution_weights.h"
#include "runtime/cpu/convolution/winograd/phase_convolution.h"
#include "runtime/cpu/convolution/winograd/two_by_two.h"
#include "runtime/cpu/convolution/winograd/winograd.h"

namespace catena {
namespace {

struct Layer {
    int64_t batch, in, out, size, taps = 3, stride = 1;
};
constexpr Layer layers[] = {
    {64, 64, 64, 32},  {64, 64, 128, 16}, {64, 128, 128, 16},      {64, 256, 256, 8},
    {64, 256, 512, 4}, {64, 512, 512, 4}, {4, 64, 64, 56},         {4, 128, 128, 28},
    {4, 256, 256, 14}, {4, 512, 512, 7},  {2, 32, 32, 256},        {2, 64, 64, 128},
    {2, 128, 128, 64}, {64, 512, 512, 2}, {64, 64, 128, 16, 4, 2}, {64, 128, 256, 8, 4, 2}};

/// Of the fastest of 5 to 40 calls after the first.
double least_milliseconds(const std::function<void()>& call) {
    call();
    double best = std::numeric_limits<double>::infinity(), sum = 0;
    for (int i = 0; i < 40 && (i < 5 || sum < 200); ++i) {
        const double time = milliseconds(call);
        best = std::min(best, time);
        sum += time;
    }
    return best;
}

void print(const std::function<void()>& definition, const std::function<bool()>& by_tiles) {
    const double before = least_milliseconds(definition);
    if (by_tiles())
        std::printf("  %7.2f %7.2f", before, least_milliseconds([&] { by_tiles(); }));
    else
        std::printf("  %7.2f       -", before);  // Tiles are not taken.
}

void compare(const Layer& l, MemoryOrder order) {
    const WindowSteps steps{Dims{l.stride, l.stride}, Dims{1, 1}, Dims{1, 1}, 1};
    const int64_t side = l.size / l.stride;
    const Array x = filled({l.batch, l.in, l.size, l.size}, order, 1),
                y = filled({l.batch, l.out, side, side}, order, 2);
    const Array W = filled({l.out, l.in, l.taps, l.taps}, MemoryOrder::row_major, 3),
                gW = filled(W.shape(), MemoryOrder::row_major, 4);
    W.raw_data();  // As in training: nothing is kept packed.
    ConvolutionSizes sizes(x.shape(), W.shape(), y.shape(), steps);
    sizes.x_order = sizes.y_order = order;
    ConvolutionCall forward(ConvolutionPrimitive::find(ConvolutionDirection::forward, sizes)),
        data(ConvolutionPrimitive::find(ConvolutionDirection::data, sizes));
    ConvolutionWeights weights(sizes);
    char name[64];
    std::snprintf(name, sizeof name, "%ld, %ld to %ld, %ldx%ld%s", l.batch, l.in, l.out, l.size,
                  l.size, l.stride > 1 ? ", 4x4/2" : "");
    std::printf("%-26s", name);
    print([&] { forward.run(x.elements(), W, nullptr, y.to_fill(), {}); },
          [&] {
              return convolve_by(winograd_way(), x, W, Array(), steps, y) ||
                     convolve_by(phase_way(), x, W, Array(), steps, y) ||
                     convolve_by(two_by_two_way(), x, W, Array(), steps, y);
          });
    print([&] { data.run(y.elements(), W, nullptr, x.to_fill(), {}); },
          [&] {
              return convolve_data_by(winograd_way(), y, W, steps, x) ||
                     convolve_data_by(phase_way(), y, W, steps, x) ||
                     convolve_data_by(two_by_two_way(), y, W, steps, x);
          });
    print([&] { weights.run(x.elements(), y.elements(), gW.to_fill<float>(), {}); },
          [&] {
              return convolve_weights_by(winograd_way(), x, y, steps, gW) ||
                     convolve_weights_by(phase_way(), x, y, steps, gW) ||
                     convolve_weights_by(two_by_two_way(), x, y, steps, gW);
          });
    std::printf("\n");
}

void compare(const char* name, MemoryOrder order) {
    std::printf("%-26s  %-16s %-16s  %s\n", name, "forward", "images", "weights");
    for (const Layer& layer : layers) compare(layer, order);
}

/// Bytes read and written in a second by copies from row-major to channels last.
void time_copies() {
    for (const Shape& shape : {Shape{64, 64, 32, 32}, Shape{2, 256, 32, 32}}) {
        const Array from = filled(shape, MemoryOrder::row_major, 1),
                    to = filled(shape, MemoryOrder::channels_last, 2);
        const double time = least_milliseconds([&] { copy_elements(from, to); });
        std::printf("copy of %.1f MB to channels last: %.2f ms, %.0f GB/s\n",
                    4e-6 * double(from.size()), time, 8e-6 * double(from.size()) / time);
    }
}

}  // namespace
}  // namespace catena

/// With an argument: channels last alone.
int main(int count, char**) {
    catena::compare("channels last", catena::MemoryOrder::channels_last);
    if (count > 1) return 0;
    catena::compare("row-major", catena::MemoryOrder::row_major);
    catena::time_copies();
}
