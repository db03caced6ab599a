// How long does the first compilation of a process take, without and with kernels on disk? Prints
// the milliseconds that loading the compiler and compiling a perceptron's training step took. Run
// it twice with one CATENA_KERNEL_CACHE.
#include <chrono>
#include <cstdio>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"

namespace catena {
namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

struct Perceptron : Chain {
    Linear l1{784, 1000}, l2{1000, 1000}, l3{1000, 10};
    Perceptron() { add_children({{"l1", l1}, {"l2", l2}, {"l3", l3}}); }
    Variable operator()(const Variable& x) { return l3(relu(l2(relu(l1(x))))); }
};

int run() {
    const auto start = Clock::now();
    compiler();
    const double load = since(start);
    Perceptron model;
    Adam optimizer;
    optimizer.setup(model);
    auto step = static_graph([&](const Variable& x, const Variable& t) {
        Variable loss = softmax_cross_entropy(model(x), t);
        model.cleargrads();
        loss.backward();
        optimizer.update();
        return loss;
    });
    const Variable x(Array::full({Dtype::float32, {100, 784}}, 0.5), false),
        t(Array::full({Dtype::int32, {100}}, 3), false);
    for (int i = 0; i < 4; ++i) step(x, t);
    std::printf("compiler loaded in %.1f ms, step compiled in %.1f ms (%d kernels), loss %.4f\n",
                load, step.statistics().compile_seconds * 1e3, compiler().kernels_compiled(),
                step(x, t).item<double>());
    return 0;
}

}  // namespace
}  // namespace catena

int main() { return catena::run(); }
