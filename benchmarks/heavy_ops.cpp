// What do the eager heavy operations cost, at the sizes of the workloads?
#include <benchmark/benchmark.h>

#include "runtime/ops/connection/convolution.h"
#include "runtime/ops/loss/loss.h"
#include "runtime/ops/math/linalg/contraction.h"
#include "runtime/ops/noise/noise.h"
#include "runtime/ops/noise/random.h"
#include "runtime/ops/normalization/normalization.h"
#include "runtime/ops/pooling/pooling.h"
#include "runtime/ops/rnn/rnn.h"

namespace catena {
namespace {

Variable parameter(const Shape& shape) { return Variable(random_normal(shape).array(), true); }
Variable input(const Shape& shape) { return Variable(random_normal(shape).array(), false); }

/// Runs f() and, where asked, the backward pass from a fixed gradient of its result.
template <class F>
void measure(benchmark::State& state, bool backward, double flops, F&& f) {
    const Array gy = random_normal(f().shape()).array();
    const auto iteration = [&] {
        Variable y = f();
        if (!backward) return;
        y.set_grad(gy);
        y.backward();
    };
    iteration();  // Generated code and memory are there from now on.
    for (auto _ : state) iteration();
    if (flops > 0)
        state.counters["GFLOP/s"] =
            benchmark::Counter(flops * (backward ? 3e-9 : 1e-9) * double(state.iterations()),
                               benchmark::Counter::kIsRate);
}

void linear_op(benchmark::State& state, int64_t batch, int64_t in, int64_t out, bool backward) {
    Variable x = parameter({batch, in}), W = parameter({out, in}), b = parameter({out});
    measure(state, backward, 2.0 * double(batch * in * out), [&] {
        x.cleargrad(), W.cleargrad(), b.cleargrad();
        return linear(x, W, b);
    });
}

struct Layer {
    int64_t batch, channels, size, out, kernel, stride, pad;
};
void convolution(benchmark::State& state, Layer l, bool backward, bool to_x) {
    Shape x_shape{l.batch, l.channels, l.size, l.size};
    Variable x = to_x ? parameter(x_shape) : input(x_shape);
    Variable W = parameter({l.out, l.channels, l.kernel, l.kernel}), b = parameter({l.out});
    int64_t positions = window_count(l.size, l.kernel, l.stride, l.pad, false);
    double flops =
        2.0 * double(l.batch * l.out * positions * positions * l.channels * l.kernel * l.kernel);
    measure(state, backward, flops, [&] {
        x.cleargrad(), W.cleargrad(), b.cleargrad();
        return convolution_2d(x, W, b, {.stride = {l.stride}, .pad = {l.pad}});
    });
}

void max_pool(benchmark::State& state, Shape shape, bool backward) {
    Variable x = parameter(shape);
    measure(state, backward, 0, [&] {
        x.cleargrad();
        return max_pooling_2d(x, {2});
    });
}

void layer_norm(benchmark::State& state, bool backward) {
    Variable x = parameter({4096, 1024}), gamma = parameter({1024}), beta = parameter({1024});
    measure(state, backward, 0, [&] {
        x.cleargrad(), gamma.cleargrad(), beta.cleargrad();
        return layer_normalization(x, gamma, beta);
    });
}

void softmax_xent(benchmark::State& state, int64_t rows, int64_t classes, bool backward) {
    Variable x = parameter({rows, classes});
    Array labels = Array::zeros({Dtype::int32, {rows}});
    for (int64_t i = 0; i < rows; ++i) labels.data<int32_t>()[i] = int32_t(i * 7919 % classes);
    measure(state, backward, 0, [&] {
        x.cleargrad();
        return softmax_cross_entropy(x, labels);
    });
}

void batch_norm(benchmark::State& state, Shape shape, bool backward) {
    Variable x = parameter(shape), gamma = parameter({shape[1]}), beta = parameter({shape[1]});
    measure(state, backward, 0, [&] {
        x.cleargrad(), gamma.cleargrad(), beta.cleargrad();
        return batch_normalization(x, gamma, beta);
    });
}

void lstm_cell(benchmark::State& state, bool backward) {
    Variable c = parameter({20, 650}), x = parameter({20, 2600});
    measure(state, backward, 0, [&] {
        c.cleargrad(), x.cleargrad();
        return lstm(c, x).h;
    });
}

void dropout_op(benchmark::State& state) {
    Variable x = input({1024, 1024});
    measure(state, false, 0, [&] { return dropout(x); });
}

// In milliseconds unless small. The names say workload and layer.
#define BOTH_WAYS(name, function, ...)                                  \
    BENCHMARK_CAPTURE(function, name, __VA_ARGS__, false)               \
        ->Unit(benchmark::kMicrosecond)                                 \
        ->UseRealTime();                                                \
    BENCHMARK_CAPTURE(function, name##_and_backward, __VA_ARGS__, true) \
        ->Unit(benchmark::kMicrosecond)                                 \
        ->UseRealTime();
BOTH_WAYS(mushroom_1, linear_op, 100, 22, 44)
BOTH_WAYS(mushroom_2, linear_op, 100, 44, 44)
BOTH_WAYS(mlp_1, linear_op, 100, 784, 1000)
BOTH_WAYS(mlp_2, linear_op, 100, 1000, 1000)
BOTH_WAYS(mlp_3, linear_op, 100, 1000, 10)
BOTH_WAYS(lenet_1, linear_op, 64, 784, 120)
BOTH_WAYS(ptb_gates, linear_op, 20, 650, 2600)
BOTH_WAYS(ptb_output, linear_op, 20, 650, 10000)
#define CONVOLUTION(name, to_x, ...)                                                    \
    BENCHMARK_CAPTURE(convolution, name, Layer{__VA_ARGS__}, false, to_x)               \
        ->Unit(benchmark::kMicrosecond)                                                 \
        ->UseRealTime();                                                                \
    BENCHMARK_CAPTURE(convolution, name##_and_backward, Layer{__VA_ARGS__}, true, to_x) \
        ->Unit(benchmark::kMicrosecond)                                                 \
        ->UseRealTime();
CONVOLUTION(lenet_1, false, 64, 1, 28, 6, 5, 1, 2)
CONVOLUTION(lenet_2, true, 64, 6, 14, 16, 5, 1, 0)
CONVOLUTION(resnet20_16, true, 64, 16, 32, 16, 3, 1, 1)
CONVOLUTION(resnet20_32, true, 64, 32, 16, 32, 3, 1, 1)
CONVOLUTION(resnet20_64, true, 64, 64, 8, 64, 3, 1, 1)
BOTH_WAYS(lenet_1, max_pool, Shape{64, 6, 28, 28})
BOTH_WAYS(lenet_2, max_pool, Shape{64, 16, 10, 10})
BOTH_WAYS(resnet20_16, batch_norm, Shape{64, 16, 32, 32})
BOTH_WAYS(ptb_loss, softmax_xent, 20, 10000)
BOTH_WAYS(mlp_loss, softmax_xent, 100, 10)
BOTH_WAYS(softmax_xent, softmax_xent, 2048, 10000)
BENCHMARK_CAPTURE(layer_norm, forward, false)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK_CAPTURE(layer_norm, and_backward, true)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK_CAPTURE(lstm_cell, ptb, false)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK_CAPTURE(lstm_cell, ptb_and_backward, true)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK(dropout_op)->Unit(benchmark::kMicrosecond)->UseRealTime();

}  // namespace
}  // namespace catena

BENCHMARK_MAIN();
