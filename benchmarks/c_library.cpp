// How fast is libcatena_c beside the runtime's kernels (oneDNN) on one thread? Run with
// CATENA_NUM_THREADS=1.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <functional>

#include "runtime/c/scratch.h"
#include "runtime/graph/walk/gradient.h"
#include "runtime/ops/connection/convolution.h"
#include "runtime/ops/math/linalg/contraction.h"
#include "runtime/ops/noise/random.h"
#include "runtime/program/run/code_library.h"

namespace catena {
namespace {

struct Scratch {
    explicit Scratch(size_t bytes)
        : begin(static_cast<float*>(std::aligned_alloc(64, (bytes + 63) / 64 * 64))) {}
    ~Scratch() { std::free(begin); }
    float* begin;
};

void measure(benchmark::State& state, double flops, const std::function<void()>& f) {
    f();
    for (auto _ : state) f();
    state.counters["GFLOP/s"] =
        benchmark::Counter(flops * 1e-9 * double(state.iterations()), benchmark::Counter::kIsRate);
}

/// x W', as a layer computes it, and x W.
void product(benchmark::State& state, decltype(&catena_c_product_f32_scalar) f, int64_t m,
             int64_t n, int64_t k, bool transb) {
    const Array a = random_normal({m, k}).array(),
                b = random_normal(transb ? Shape{n, k} : Shape{k, n}).array();
    const Array y = Array::zeros({Dtype::float32, {m, n}});
    const catena_c_product p = {m, n, k, k, 1, transb ? 1 : n, transb ? k : 1};
    const Scratch scratch(catena_c_product_scratch(&p, 4));
    const Variable va(a, false), vb(b, false);
    measure(state, 2.0 * double(m * n * k), [&] {
        if (f)
            f(&p, a.data<float>(), b.data<float>(), y.data<float>(), scratch.begin);
        else
            benchmark::DoNotOptimize(matmul(va, vb, false, transb).array());
    });
}

struct Layer {
    int64_t batch, channels, size, out, kernel, stride, pad;
};

/// `part`: 0 the convolution, 1 the gradient to x, 2 that to W.
void convolution(benchmark::State& state, decltype(&catena_c_convolution_f32_scalar) f, Layer l,
                 int part) {
    const int64_t places = window_count(l.size, l.kernel, l.stride, l.pad, false);
    const Variable x(random_normal({l.batch, l.channels, l.size, l.size}).array(), part == 1);
    const Variable W(random_normal({l.out, l.channels, l.kernel, l.kernel}).array(), part == 2);
    const Array gy = random_normal({l.batch, l.out, places, places}).array();
    const Array result = Array::zeros(part == 0 ? gy.type() : part == 1 ? x.type() : W.type());
    const catena_c_convolution c = {l.batch,
                                    l.channels,
                                    l.out,
                                    1,
                                    {1, l.size, l.size},
                                    {1, l.kernel, l.kernel},
                                    {1, places, places},
                                    {1, l.stride, l.stride},
                                    {0, l.pad, l.pad},
                                    {1, 1, 1}};
    const Scratch scratch(catena_c_convolution_scratch(&c, 4));
    const ConvolutionOptions options{.stride = {l.stride}, .pad = {l.pad}};
    const float* first = part == 1 ? gy.data<float>() : x.array().data<float>();
    const float* second = part == 2 ? gy.data<float>() : W.array().data<float>();
    const std::vector<Variable> results = {convolution_2d(x, W, options)}, xs = {x}, Ws = {W},
                                gys = {Variable(gy, false)};
    measure(state,
            2.0 * double(l.batch * l.out * places * places * l.channels * l.kernel * l.kernel),
            [&] {
                if (f) return f(&c, first, second, result.data<float>(), scratch.begin);
                if (part == 0)
                    return benchmark::DoNotOptimize(convolution_2d(x, W, options).array());
                benchmark::DoNotOptimize(grad(results, part == 1 ? xs : Ws, gys)[0].array());
            });
}

struct Level {
    std::string name;
    decltype(&catena_c_product_f32_scalar) product;
    decltype(&catena_c_convolution_f32_scalar) parts[3];
};
#define LEVEL(level)                                                                 \
    {                                                                                \
        #level, catena_c_product_f32_##level, {                                      \
            catena_c_convolution_f32_##level, catena_c_convolution_data_f32_##level, \
                catena_c_convolution_weights_f32_##level                             \
        }                                                                            \
    }

void add_benchmarks() {
    std::vector<Level> levels = {{"runtime", nullptr, {nullptr, nullptr, nullptr}}, LEVEL(scalar)};
#if defined(__x86_64__)
    levels.push_back(LEVEL(avx2));
    levels.push_back(LEVEL(avx512));
#endif
    const std::vector<std::string> here = program::code_levels();
    std::erase_if(levels, [&](const Level& level) {
        return level.product && std::find(here.begin(), here.end(), level.name) == here.end();
    });
    struct Product {
        int64_t m, n, k;
        bool transb;
    };
    for (const Product p : {Product{1, 64, 64, true},
                            {1, 1000, 1000, true},
                            {1, 1000, 1000, false},
                            {32, 64, 64, true},
                            {32, 10, 64, true},
                            {64, 64, 32, false},
                            {128, 1000, 784, true},
                            {512, 512, 512, false},
                            {1024, 1024, 1024, true}})
        for (const Level& level : levels)
            benchmark::RegisterBenchmark(
                fmt::format("product/{}x{}x{}{}/{}", p.m, p.k, p.n, p.transb ? "'" : "", level.name)
                    .c_str(),
                product, level.product, p.m, p.n, p.k, p.transb);
    const char* parts[] = {"convolution", "to_x", "to_W"};
    for (const Layer l : {Layer{32, 1, 28, 6, 5, 1, 2}, Layer{32, 6, 14, 16, 5, 1, 0},
                          Layer{1, 6, 14, 16, 5, 1, 0}, Layer{8, 64, 28, 64, 3, 1, 1},
                          Layer{8, 64, 28, 128, 3, 2, 1}, Layer{8, 64, 28, 256, 1, 1, 0}})
        for (int part = 0; part < 3; ++part)
            for (const Level& level : levels)
                benchmark::RegisterBenchmark(
                    fmt::format("{}/{}x{}x{}x{}_to_{}_by_{}x{}_step_{}/{}", parts[part], l.batch,
                                l.channels, l.size, l.size, l.out, l.kernel, l.kernel, l.stride,
                                level.name)
                        .c_str(),
                    convolution, level.parts[part], l, part);
}

}  // namespace
}  // namespace catena

int main(int argc, char** argv) {
    catena::add_benchmarks();
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
