// Is a pointwise operation after a 1x1 convolution cheaper while the results are in a core's cache?
// Layers of MobileNetV2 and ResNet-50 for one image; milliseconds of the fastest of several calls:
// the convolution alone, followed by a sweep over all results, and as products of blocks of rows,
// each followed by its sweep.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <limits>
#include <vector>

#include <dnnl.hpp>

#include "runtime/core/parallel/parallel.h"

namespace {

using dnnl::memory;

struct Layer {
    int64_t size, in, out;
};
constexpr Layer layers[] = {{112, 32, 16},  {112, 16, 96},  {56, 96, 24},  {56, 24, 144},
                            {28, 144, 32},  {28, 32, 192},  {14, 64, 384}, {14, 384, 96},
                            {7, 160, 960},  {56, 64, 256},  {56, 256, 64}, {28, 128, 512},
                            {28, 512, 128}, {14, 256, 1024}};

const dnnl::engine& engine() {
    static const dnnl::engine made(dnnl::engine::kind::cpu, 0);
    return made;
}

double milliseconds(const std::function<void()>& call) {
    using Clock = std::chrono::steady_clock;
    double best = std::numeric_limits<double>::infinity(), sum = 0;
    for (int i = 0; i < 300 && (i < 10 || sum < 200); ++i) {
        const auto begin = Clock::now();
        call();
        const double time = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
        best = std::min(best, time);
        sum += time;
    }
    return best;
}

/// ReLU6, which keeps NaN.
[[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), gnu::optimize("O3")]]
void sweep(float* values, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
        const float v = values[i] < 0 ? 0 : values[i];
        values[i] = v > 6 ? 6 : v;
    }
}

memory filled(const memory::desc& desc, float value) {
    memory made(desc, engine());
    std::fill_n(static_cast<float*>(made.get_data_handle()), desc.get_size() / sizeof(float),
                value);
    return made;
}

memory::desc matrix(int64_t rows, int64_t columns,
                    memory::format_tag tag = memory::format_tag::ab) {
    return {{rows, columns}, memory::data_type::f32, tag};
}

class Comparison {
public:
    explicit Comparison(const Layer& layer)
        : l_(layer), x_(size_t(rows() * l_.in), 0.5f), y_(size_t(rows() * l_.out)) {}

    void print() {
        const std::function<void()> alone = convolution();
        const auto with_sweep = [&] {
            alone();
            catena::parallel_for(rows() * l_.out, 1 << 14, [&](int64_t begin, int64_t end) {
                sweep(y_.data() + begin, end - begin);
            });
        };
        std::printf("%3ldx%-3ld %4ld to %4ld %8.4f %8.4f", l_.size, l_.size, l_.in, l_.out,
                    milliseconds(alone), milliseconds(with_sweep));
        for (const int64_t block : {49, 98, 196, 392, 784})
            if (rows() % block == 0 && rows() / block > 1)
                std::printf("  %8.4f", milliseconds(in_blocks(block)));
        std::printf("\n");
    }

private:
    int64_t rows() const { return l_.size * l_.size; }

    std::function<void()> convolution() {
        using namespace dnnl;
        const auto image = [&](int64_t channels) {
            return memory::desc({1, channels, l_.size, l_.size}, memory::data_type::f32,
                                memory::format_tag::nhwc);
        };
        const memory::desc any({l_.out, l_.in, 1, 1}, memory::data_type::f32,
                               memory::format_tag::any);
        const convolution_forward::primitive_desc p({prop_kind::forward_inference,
                                                     algorithm::convolution_direct,
                                                     image(l_.in),
                                                     any,
                                                     image(l_.out),
                                                     {1, 1},
                                                     {0, 0},
                                                     {0, 0}},
                                                    engine());
        return [this, primitive = convolution_forward(p),
                x = memory(image(l_.in), engine(), x_.data()), W = filled(p.weights_desc(), 0.01f),
                y = memory(image(l_.out), engine(), y_.data()), stream = stream(engine())] {
            primitive.execute(stream,
                              {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, W}, {DNNL_ARG_DST, y}});
        };
    }

    /// Each thread computes blocks of `block` rows one after the other.
    std::function<void()> in_blocks(int64_t block) {
        const dnnl::matmul::primitive_desc p(
            {matrix(block, l_.in), matrix(l_.in, l_.out, memory::format_tag::any),
             matrix(block, l_.out)},
            engine());
        return [this, block, p, primitive = dnnl::matmul(p), W = filled(p.weights_desc(), 0.01f)] {
            catena::parallel_for(rows() / block, 1, [&](int64_t begin, int64_t end) {
                const dnnl::stream stream(engine());
                memory x(p.src_desc(), engine(), nullptr), y(p.dst_desc(), engine(), nullptr);
                for (int64_t i = begin; i < end; ++i) {
                    float* const to = y_.data() + i * block * l_.out;
                    x.set_data_handle(x_.data() + i * block * l_.in);
                    y.set_data_handle(to);
                    primitive.execute(
                        stream, {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, W}, {DNNL_ARG_DST, y}});
                    sweep(to, block * l_.out);
                }
            });
        };
    }

    Layer l_;
    std::vector<float> x_, y_;
};

}  // namespace

int main() {
    std::printf("%-20s %8s %8s  blocks of 49, 98, 196, 392, 784 rows\n", "size, channels", "alone",
                "+ sweep");
    for (const Layer& layer : layers) Comparison(layer).print();
}
