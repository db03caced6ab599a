// How near is each convolution of ResNet-50 to oneDNN's own time in the layout that it likes best?
// A batch of 4, or of the size that is given; milliseconds of the fastest of several calls.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include <dnnl.hpp>

#include "runtime/core/array/device.h"
#include "runtime/core/array/memory_order.h"
#include "runtime/cpu/convolution/convolution_kernel.h"
#include "runtime/cpu/convolution/convolution_primitive.h"

namespace catena {
namespace {

struct Layer {
    int64_t in, out, size, kernel, stride;
    int times;  ///< In the network.
};
constexpr Layer layers[] = {
    {3, 64, 224, 7, 2, 1},    {64, 64, 56, 1, 1, 1},    {64, 64, 56, 3, 1, 3},
    {64, 256, 56, 1, 1, 4},   {256, 64, 56, 1, 1, 2},   {256, 128, 56, 1, 1, 1},
    {128, 128, 56, 3, 2, 1},  {128, 512, 28, 1, 1, 4},  {256, 512, 56, 1, 2, 1},
    {512, 128, 28, 1, 1, 3},  {128, 128, 28, 3, 1, 3},  {512, 256, 28, 1, 1, 1},
    {256, 256, 28, 3, 2, 1},  {256, 1024, 14, 1, 1, 6}, {512, 1024, 28, 1, 2, 1},
    {1024, 256, 14, 1, 1, 5}, {256, 256, 14, 3, 1, 5},  {1024, 512, 14, 1, 1, 1},
    {512, 512, 14, 3, 2, 1},  {512, 2048, 7, 1, 1, 3},  {1024, 2048, 14, 1, 2, 1},
    {2048, 512, 7, 1, 1, 2},  {512, 512, 7, 3, 1, 2},
};

double milliseconds(const std::function<void()>& call) {
    using Clock = std::chrono::steady_clock;
    double best = 1e9;
    for (int i = 0; i < 8; ++i) {
        const auto begin = Clock::now();
        call();
        if (i > 0)
            best = std::min(
                best, std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
    }
    return best;
}

/// Not of zeros, which products skip.
Array image(const Shape& shape, MemoryOrder order) {
    return Array::full({Dtype::float32, shape}, 0.5).view(shape, strides_in(order, shape), 0);
}

struct Times {
    double forward = 0, data = 0, weights = 0;
    void add(const Times& t, int times) {
        forward += t.forward * times, data += t.data * times, weights += t.weights * times;
    }
};

Times ours(const Layer& l, const Shape& xs, const Shape& ws, const Shape& ys,
           const WindowSteps& steps, MemoryOrder order) {
    const Array x = image(xs, order), y = image(ys, order), W = image(ws, MemoryOrder::row_major),
                gW = image(ws, MemoryOrder::row_major);
    W.raw_data();  // As in training: nothing is kept packed.
    return {milliseconds([&] { convolve(x, W, Array(), steps, y); }),
            l.in > 3 ? milliseconds([&] { convolve_data(y, W, steps, x); }) : 0,
            milliseconds([&] { convolve_weights(x, y, steps, gW); })};
}

double run(const dnnl::primitive& primitive,
           std::initializer_list<std::pair<int, dnnl::memory::desc>> arguments) {
    std::unordered_map<int, dnnl::memory> memories;
    for (const auto& [argument, desc] : arguments) {
        memories.emplace(argument, dnnl::memory(desc, onednn::engine()));
        std::fill_n(static_cast<char*>(memories[argument].get_data_handle()), desc.get_size(), 0);
    }
    return milliseconds([&] {
        primitive.execute(onednn::stream(), memories);
        onednn::stream().wait();
    });
}

Times library(const Layer& l, const ConvolutionSizes& s) {
    using namespace dnnl;
    constexpr auto direct = algorithm::convolution_direct;
    const memory::desc x = onednn::any(s.x), W = onednn::any(s.W), y = onednn::any(s.y);
    const convolution_forward::primitive_desc f(
        {prop_kind::forward_training, direct, x, W, y, s.stride, s.dilate, s.pad, s.pad_end},
        onednn::engine());
    const convolution_backward_data::primitive_desc d(
        {direct, x, W, y, s.stride, s.dilate, s.pad, s.pad_end}, onednn::engine(), f);
    const convolution_backward_weights::primitive_desc w(
        {direct, x, W, y, s.stride, s.dilate, s.pad, s.pad_end}, onednn::engine(), f);
    return {run(convolution_forward(f), {{DNNL_ARG_SRC, f.src_desc()},
                                         {DNNL_ARG_WEIGHTS, f.weights_desc()},
                                         {DNNL_ARG_DST, f.dst_desc()}}),
            l.in > 3 ? run(convolution_backward_data(d), {{DNNL_ARG_DIFF_DST, d.diff_dst_desc()},
                                                          {DNNL_ARG_WEIGHTS, d.weights_desc()},
                                                          {DNNL_ARG_DIFF_SRC, d.diff_src_desc()}})
                     : 0,
            run(convolution_backward_weights(w), {{DNNL_ARG_SRC, w.src_desc()},
                                                  {DNNL_ARG_DIFF_DST, w.diff_dst_desc()},
                                                  {DNNL_ARG_DIFF_WEIGHTS, w.diff_weights_desc()}})};
}

void print(const char* name, const Times& last, const Times& major, const Times& library) {
    std::printf("%-28s  %7.2f %7.2f %7.2f   %7.2f %7.2f %7.2f   %7.2f %7.2f %7.2f\n", name,
                last.forward, last.data, last.weights, major.forward, major.data, major.weights,
                library.forward, library.data, library.weights);
}

void compare(int64_t batch) {
    std::printf("%-28s  %-25s %-25s %s\n%-28s", "", "channels last", "row-major",
                "oneDNN, its own layout", "layer");
    for (int i = 0; i < 3; ++i) std::printf("  %7s %7s %7s ", "forward", "data", "weights");
    std::printf("\n");
    Times last, major, theirs;
    for (const Layer& l : layers) {
        const int64_t pad = l.kernel / 2, after = (l.size + 2 * pad - l.kernel) / l.stride + 1;
        const WindowSteps steps{Dims{l.stride, l.stride}, Dims{pad, pad}, Dims{1, 1}, 1};
        const Shape x{batch, l.in, l.size, l.size}, W{l.out, l.in, l.kernel, l.kernel},
            y{batch, l.out, after, after};
        const Times a = ours(l, x, W, y, steps, MemoryOrder::channels_last),
                    b = ours(l, x, W, y, steps, MemoryOrder::row_major),
                    c = library(l, ConvolutionSizes(x, W, y, steps));
        last.add(a, l.times), major.add(b, l.times), theirs.add(c, l.times);
        char name[64];
        std::snprintf(name, sizeof name, "%ld -> %ld, %ld, %ldx%ld /%ld x%d", l.in, l.out, l.size,
                      l.kernel, l.kernel, l.stride, l.times);
        print(name, a, b, c);
    }
    print("the network", last, major, theirs);
}

}  // namespace
}  // namespace catena

int main(int argc, char** argv) { catena::compare(argc > 1 ? std::atoi(argv[1]) : 4); }
