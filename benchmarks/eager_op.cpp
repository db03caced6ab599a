// What does one eager operation on one element cost, and which part of it?
#include <benchmark/benchmark.h>

#include "runtime/core/array/device.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/config.h"

namespace catena {
namespace {

Variable element(bool requires_grad) {
    return Variable(Array::full({Dtype::float32, {1}}, 0.5), requires_grad);
}

void allocate_and_free(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(Array::empty({Dtype::float32, {1}}));
}
BENCHMARK(allocate_and_free);

void add_without_gradient(benchmark::State& state) {
    const Variable x = element(false), y = element(false);
    for (auto _ : state) benchmark::DoNotOptimize(x + y);
}
BENCHMARK(add_without_gradient);

void add_recorded(benchmark::State& state) {
    const Variable x = element(true), y = element(true);
    for (auto _ : state) benchmark::DoNotOptimize(x + y);
}
BENCHMARK(add_recorded);

void add_recorded_and_backward(benchmark::State& state) {
    const Variable x = element(true), y = element(true);
    for (auto _ : state) {
        x.cleargrad();
        y.cleargrad();
        (x + y).backward();
    }
}
BENCHMARK(add_recorded_and_backward);

void add_on_shapes_only(benchmark::State& state) {
    const Variable x(Array::empty({Dtype::float32, {1}}, meta_device())), y = x;
    for (auto _ : state) benchmark::DoNotOptimize(x + y);
}
BENCHMARK(add_on_shapes_only);

}  // namespace
}  // namespace catena

BENCHMARK_MAIN();
