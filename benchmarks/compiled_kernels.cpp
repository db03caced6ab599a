// How close do compiled kernels come to memory's speed? Bytes that must be read and written, once
// each, by the time of a call of the compiled region.
#include <benchmark/benchmark.h>

#include <functional>

#include "frontend/static_graph/static_graph.h"
#include "runtime/core/array/array.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/activation/activation.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena {
namespace {

Variable ones(const Shape& shape) {
    return Variable(Array::full({Dtype::float32, shape}, 0.5), false);
}

template <class F, class... Inputs>
void run(benchmark::State& state, int64_t bytes, F function, const Inputs&... inputs) {
    auto compiled = static_graph(function);
    for (int i = 0; i < 3; ++i) compiled(inputs...);
    for (auto _ : state) benchmark::DoNotOptimize(compiled(inputs...));
    state.SetBytesProcessed(int64_t(state.iterations()) * bytes);
}

constexpr int64_t million = 1 << 20;

void one_op_on_one_element(benchmark::State& state) {
    run(state, 8, [](Variable x) { return x + 2.0; }, ones({1}));
}
void add(benchmark::State& state) {
    int64_t n = state.range(0);
    run(state, 12 * n, [](Variable x, Variable y) { return x + y; }, ones({n}), ones({n}));
}
void exponential(benchmark::State& state) {
    int64_t n = state.range(0);
    run(state, 8 * n, [](Variable x) { return exp(x); }, ones({n}));
}
void gelu_chain(benchmark::State& state) {
    int64_t n = state.range(0);
    auto chain = [](Variable x, Variable a, Variable b) {
        return gelu(x * a + b, "tanh") * sigmoid(x) + tanh(x) * 0.5;
    };
    run(state, 16 * n, chain, ones({n}), ones({n}), ones({n}));
}
void softmax_of_rows(benchmark::State& state) {
    int64_t rows = state.range(0), columns = state.range(1);
    auto softmax = [](Variable x) {
        Variable e = exp(x - max(x, 1, true));
        return e / sum(e, 1, true);
    };
    run(state, 8 * rows * columns, softmax, ones({rows, columns}));
}
void layer_norm(benchmark::State& state) {
    int64_t rows = state.range(0), columns = state.range(1);
    auto norm = [](Variable x, Variable gamma, Variable beta) {
        Variable centred = x - mean(x, 1, true);
        return centred * rsqrt(mean(centred * centred, 1, true) + 1e-5) * gamma + beta;
    };
    run(state, 8 * rows * columns, norm, ones({rows, columns}), ones({columns}), ones({columns}));
}
void column_sum(benchmark::State& state) {
    int64_t rows = state.range(0), columns = state.range(1);
    run(state, 4 * rows * columns, [](Variable x) { return sum(x, 0); }, ones({rows, columns}));
}
void row_sum(benchmark::State& state) {
    int64_t rows = state.range(0), columns = state.range(1);
    run(state, 4 * rows * columns, [](Variable x) { return sum(x, 1); }, ones({rows, columns}));
}
void full_sum(benchmark::State& state) {
    int64_t n = state.range(0);
    run(state, 4 * n, [](Variable x) { return sum(x * x); }, ones({n}));
}

BENCHMARK(one_op_on_one_element);
BENCHMARK(add)->Arg(10'000)->Arg(4 * million);
BENCHMARK(exponential)->Arg(65'536)->Arg(4 * million);
BENCHMARK(gelu_chain)->Arg(4 * million);
BENCHMARK(softmax_of_rows)->Args({4096, 100})->Args({2048, 10'000});
BENCHMARK(layer_norm)->Args({4096, 1024});
BENCHMARK(column_sum)->Args({100, 1000})->Args({4096, 1024})->Args({million, 10});
BENCHMARK(row_sum)->Args({4096, 1024})->Args({million, 10});
BENCHMARK(full_sum)->Arg(4 * million);

}  // namespace
}  // namespace catena

BENCHMARK_MAIN();
