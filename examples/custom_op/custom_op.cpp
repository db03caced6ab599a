// An elementwise operation of your own. It runs on every dtype, differentiates twice, and in a
// compiled region it melts into the kernels around it like the operations that come with Catena.
#include <catena/catena.h>

#include <cmath>
#include <iostream>

#include "squareplus.h"
#include "support/flags.h"

namespace ct = catena;

static int failures = 0;

static void check(const char* what, double value, double expected) {
    const bool good = std::abs(value - expected) <= 1e-5 * (1 + std::abs(expected));
    fmt::print("{:<28} {:>12.7f}   expected {:>12.7f}   {}\n", what, value, expected,
               good ? "ok" : "WRONG");
    failures += !good;
}

static void compare_with_the_formula() {
    const double x0 = 0.7, b = 4.0, root = std::sqrt(x0 * x0 + b);

    // Eager, with a gradient and the gradient of the gradient.
    ct::Variable x(ct::Array::scalar(x0));
    ct::Variable y = squareplus(x, b);
    y.backward({.enable_double_backprop = true});
    ct::Variable gx = x.grad_variable();
    x.cleargrad();
    gx.backward();
    check("squareplus(x)", y.item<double>(), (x0 + root) / 2);
    check("its derivative", gx.item<double>(), (1 + x0 / root) / 2);
    check("its second derivative", x.grad().item<double>(), b / (2 * root * root * root));

    // Compiled together with its neighbours.
    auto region =
        ct::static_graph([=](const ct::Variable& x) { return ct::exp(-squareplus(x * 2, b)) + 1; },
                         ct::StaticGraphOptions{.name = "squareplus_chain"});
    const ct::Variable many(ct::Array::full({ct::Dtype::float32, {1000}}, x0));
    region(many);
    const ct::Variable z = region(many);
    check("in a compiled chain", z.array().to_vector<double>().at(999),
          std::exp(-(2 * x0 + std::sqrt(4 * x0 * x0 + b)) / 2) + 1);
    std::cout << '\n' << region.explain() << '\n';
}

int main(int argc, char** argv) {
    examples::Flags flags("Uses an elementwise operation of its own");
    std::string device = "cpu";
    flags.add("--device", device, "where to compute: cpu, cuda:0");
    if (const std::optional<int> status = flags.read(argc, argv)) return *status;
    try {
        const auto scope = ct::using_device(device);  // of all that is made from here on
        compare_with_the_formula();
        return failures;
    } catch (const ct::Error& error) {
        fmt::print(stderr, "custom_op: {}\n", error.what());
        return 1;
    }
}
