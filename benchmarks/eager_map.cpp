// What does an eager map cost: on one element, where only the way there counts, and on a million,
// where memory does?
#include <benchmark/benchmark.h>

#include "runtime/core/memory/memory_pool.h"
#include "runtime/cpu/blocks/map_kernel.h"
#include "runtime/cpu/blocks/reduce_kernel.h"
#include "runtime/graph/op/op.h"
#include "runtime/ops/define/symbolic.h"

namespace catena {
namespace {

const OpDef& map_op(const char* name, Formula formula) {
    OpDef op;
    op.name = name;
    op.kind = Kind::map;
    op.input_count = formula.input_count;
    op.formula = std::move(formula);
    return register_op(std::move(op));
}

const OpDef& op_add = map_op("bench.add", make_formula<2, 0>([](auto x, auto y) { return x + y; }));
const OpDef& op_relu =
    map_op("bench.relu", make_formula<1, 0>([](auto x) { return select(x > 0, x, 0); }));
const OpDef& op_exp = map_op("bench.exp", make_formula<1, 0>([](auto x) { return exp(x); }));
const OpDef& op_log = map_op("bench.log", make_formula<1, 0>([](auto x) { return log(x); }));
const OpDef& op_tanh = map_op("bench.tanh", make_formula<1, 0>([](auto x) { return tanh(x); }));
const OpDef& op_erf = map_op("bench.erf", make_formula<1, 0>([](auto x) { return erf(x); }));
const OpDef& op_sin = map_op("bench.sin", make_formula<1, 0>([](auto x) { return sin(x); }));
const OpDef& op_gelu =
    map_op("bench.gelu",
           make_formula<1, 0>([](auto x) { return x * 0.5 * (1 + erf(x * 0.7071067811865476)); }));

void run(benchmark::State& state, const OpDef& op, const std::vector<Array>& inputs,
         const Shape& shape) {
    std::vector<Array> outputs = {Array::empty({inputs[0].dtype(), shape})};
    const Attributes attributes;
    for (auto _ : state) {
        run_map({op, inputs, outputs, attributes, {}});
        benchmark::ClobberMemory();
    }
    int64_t bytes = outputs[0].size() * int64_t(size_of(outputs[0].dtype()));
    for (const Array& input : inputs) bytes += input.size() * int64_t(size_of(input.dtype()));
    state.SetBytesProcessed(int64_t(state.iterations()) * bytes);
}

void allocate_and_free(benchmark::State& state) {
    for (auto _ : state) {
        const MemoryBlock block = allocate_memory(size_t(state.range(0)));
        benchmark::DoNotOptimize(block.data);
        free_memory(block, size_t(state.range(0)));
    }
}
BENCHMARK(allocate_and_free)->Arg(4)->Arg(4000)->Arg(4'000'000);

void make_array(benchmark::State& state) {
    const Type type{Dtype::float32, {1}};
    for (auto _ : state) benchmark::DoNotOptimize(Array::empty(type));
}
BENCHMARK(make_array);

void unary(benchmark::State& state, const OpDef& op) {
    const Shape shape{state.range(0)};
    run(state, op, {Array::full({Dtype::float32, shape}, 0.7)}, shape);
}
#define CATENA_UNARY(name) \
    BENCHMARK_CAPTURE(unary, name, op_##name)->Arg(1)->Arg(1000)->Arg(1 << 20)
CATENA_UNARY(relu);
CATENA_UNARY(exp);
CATENA_UNARY(log);
CATENA_UNARY(tanh);
CATENA_UNARY(erf);
CATENA_UNARY(sin);
CATENA_UNARY(gelu);

void add(benchmark::State& state) {
    const Shape shape{state.range(0)};
    const Type type{Dtype::float32, shape};
    run(state, op_add, {Array::full(type, 1), Array::full(type, 2)}, shape);
}
BENCHMARK(add)->Arg(1)->Arg(16)->Arg(1000)->Arg(1 << 20)->Arg(1 << 24);

void add_row(benchmark::State& state) {
    const Shape shape{(1 << 20) / state.range(0), state.range(0)};
    run(state, op_add,
        {Array::full({Dtype::float32, shape}, 1), Array::full({Dtype::float32, {shape[1]}}, 2)},
        shape);
}
BENCHMARK(add_row)->Arg(8)->Arg(64)->Arg(1024);

void add_column(benchmark::State& state) {
    const Shape shape{(1 << 20) / state.range(0), state.range(0)};
    run(state, op_add,
        {Array::full({Dtype::float32, shape}, 1), Array::full({Dtype::float32, {shape[0], 1}}, 2)},
        shape);
}
BENCHMARK(add_column)->Arg(8)->Arg(64)->Arg(1024);

void sum(benchmark::State& state) {
    static const OpDef& op = []() -> const OpDef& {
        OpDef sum;
        sum.name = "bench.sum";
        sum.kind = Kind::reduce;
        return register_op(std::move(sum));
    }();
    const int64_t rows = state.range(0), columns = state.range(1), axis = state.range(2);
    const std::vector<Array> inputs = {Array::full({Dtype::float32, {rows, columns}}, 1)};
    std::vector<Array> outputs = {Array::empty({Dtype::float32, {axis == 0 ? columns : rows}})};
    const Attributes attributes{{"axes", Dims{axis}}, {"keepdims", false}};
    for (auto _ : state) run_reduce({op, inputs, outputs, attributes, {}});
    state.SetBytesProcessed(int64_t(state.iterations()) * rows * columns * 4);
}
BENCHMARK(sum)
    ->Args({1, 1 << 20, 1})
    ->Args({1024, 1024, 1})
    ->Args({1024, 1024, 0})
    ->Args({1 << 17, 8, 1})
    ->Args({1 << 17, 8, 0})
    ->Args({1, 1, 1});

}  // namespace
}  // namespace catena

BENCHMARK_MAIN();
