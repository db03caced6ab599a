// Products and convolutions of random sizes, most of them a little more or less than whole tiles,
// panels and blocks of the kernels, with their gradients: eager and compiled code against float64,
// whose kernels know no tiles. Kernels that are chosen by sizes are wrong at one size and not at
// the next.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <iostream>
#include <random>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "frontend/static_graph/static_graph.h"
#include "runtime/core/random/random.h"
#include "runtime/graph/walk/gradient.h"
#include "runtime/ops/connection/convolution.h"
#include "runtime/ops/math/linalg/contraction.h"
#include "tests/fuzz/environment_number.h"

namespace catena::fuzz {
namespace {

struct Case {
    std::string text;
    Shape x, W;
    std::function<Variable(const Variable& x, const Variable& W)> call;
};

class Draw {
public:
    explicit Draw(uint64_t seed) : random_(seed) {}

    int64_t of(int64_t first, int64_t last) {
        return std::uniform_int_distribution<int64_t>(first, last)(random_);
    }
    template <class T>
    T of(std::initializer_list<T> values) {
        return values.begin()[of(0, int64_t(values.size()) - 1)];
    }
    bool chance() { return of(0, 1) == 1; }
    /// Mostly up to 9 more or less than what a kernel may divide by.
    int64_t size(int64_t most) {
        int64_t base = of({int64_t(1), int64_t(8), int64_t(16), int64_t(48)}) << of(0, 8);
        while (base > most) base /= 2;
        return std::clamp<int64_t>(of(0, 4) == 0 ? of(1, most) : base + of(-9, 9), 1, most);
    }

private:
    std::mt19937_64 random_;
};

Case product(Draw& draw) {
    constexpr int64_t most_work = 100'000'000;
    int64_t m = draw.size(2200), n = draw.size(2200), k = draw.size(2200);
    while (m * n * k > most_work) {
        int64_t& largest = draw.chance() ? (m > n ? m : n) : k;
        largest = draw.size(std::max<int64_t>(largest / 2, 1));
    }
    const bool ta = draw.chance(), tb = draw.chance();
    const Shape a = ta ? Shape{k, m} : Shape{m, k}, b = tb ? Shape{n, k} : Shape{k, n};
    return {fmt::format("matmul {} x {}, sum of {}, transposed {} {}", m, n, k, ta, tb), a, b,
            [=](const Variable& x, const Variable& y) { return matmul(x, y, ta, tb); }};
}

Case convolution(Draw& draw) {
    constexpr int64_t most_work = 20'000'000;
    const int64_t window = draw.of({int64_t(1), int64_t(1), int64_t(3), int64_t(3), int64_t(4),
                                    int64_t(5), int64_t(7)}),
                  stride = draw.of(1, 2), pad = draw.of(0, window / 2);
    int64_t images = draw.of({int64_t(1), int64_t(2), int64_t(4), int64_t(16), int64_t(17)}),
            channels = draw.size(140), filters = draw.size(140);
    int64_t height = draw.of(window, 34), width = draw.chance() ? height : draw.of(window, 34);
    const bool transposed = draw.of(0, 3) == 0, depthwise = !transposed && draw.of(0, 5) == 0;
    if (depthwise) filters = channels;
    const auto work = [&] {
        return images * channels * (depthwise ? 1 : filters) * window * window * height * width /
               (transposed ? 1 : stride * stride);
    };
    while (work() > most_work) {
        if (images > 1 && draw.chance())
            images /= 2;
        else if (draw.chance())
            height = std::max(window, height / 2), width = std::max(window, width / 2);
        else if (depthwise)
            filters = channels = std::max<int64_t>(channels / 2, 1);
        else if (int64_t& some = draw.chance() ? channels : filters; true)
            some = draw.size(std::max<int64_t>(some / 2, 1));
    }
    const Shape x{images, channels, height, width};
    const Shape W = transposed ? Shape{channels, filters, window, window}
                               : Shape{filters, depthwise ? 1 : channels, window, window};
    const int64_t groups = depthwise ? channels : 1;
    return {fmt::format("{}convolution of {} by {}, stride {}, pad {}, groups {}",
                        transposed ? "de" : "", x, W, stride, pad, groups),
            x, W, [=](const Variable& images, const Variable& weights) {
                return transposed
                           ? deconvolution_2d(images, weights, {.stride = stride, .pad = pad})
                           : convolution_2d(images, weights,
                                            {.stride = stride, .pad = pad, .groups = groups});
            }};
}

Variable normal(const Shape& shape, uint64_t seed, uint64_t number) {
    std::vector<float> values(size_t(element_count(shape)));
    fill_normal(RandomStream{seed, number}, values.data(), int64_t(values.size()));
    return Variable(Array::from(values, shape));
}

/// The result and the gradients for x and W of sum(result * g).
Variables results(const Case& c, const Variables& operands) {
    const Variable y = c.call(operands[0], operands[1]);
    const Variables gradients = grad({y}, {operands[0], operands[1]}, {operands[2]});
    return {y, gradients[0], gradients[1]};
}

/// "" where each number is near float64's.
std::string difference(const Variables& found, const Variables& truth) {
    constexpr const char* names[] = {"result", "gradient of the first", "gradient of the second"};
    std::string text;
    for (size_t i = 0; i < truth.size(); ++i) {
        if (found[i].shape() != truth[i].shape())
            return fmt::format("{}: shape {}, float64 has {}", names[i], found[i].shape(),
                               truth[i].shape());
        const std::vector<double> values = found[i].array().to_vector<double>(),
                                  right = truth[i].array().to_vector<double>();
        double largest = 0;
        for (const double r : right) largest = std::max(largest, std::abs(r));
        int64_t wrong = 0, first = -1;
        for (size_t e = 0; e < right.size(); ++e)
            if (!(std::abs(values[e] - right[e]) <= 1e-4 * largest) && wrong++ == 0)
                first = int64_t(e);
        if (wrong > 0)
            text += fmt::format("  {}: {} of {} numbers, first element {} is {}, should be {}\n",
                                names[i], wrong, right.size(), first, values[size_t(first)],
                                right[size_t(first)]);
    }
    return text;
}

Variables copies(const Variables& arrays, Dtype dtype) {
    Variables result;
    for (const Variable& a : arrays) result.push_back(Variable(a.array().astype(dtype)));
    return result;
}

std::string disagreement(const Case& c, uint64_t seed, bool compiles) {
    Variables operands{normal(c.x, seed, 0), normal(c.W, seed, 1)};
    const Shape y = c.call(operands[0], operands[1]).shape();
    operands.push_back(normal(y, seed, 2));
    const Variables truth = results(c, copies(operands, Dtype::float64));
    std::string text;
    if (const std::string found = difference(results(c, operands), truth); !found.empty())
        text += " eager\n" + found;
    if (!compiles) return text;
    auto region = static_graph([&c](const Variables& xs) { return results(c, xs); }, "sizes");
    for (int call = 0; call < 3; ++call)
        if (const std::string found = difference(region(copies(operands, Dtype::float32)), truth);
            !found.empty())
            text += fmt::format(" region, call {}\n", call) + found;
    return text;
}

/// CATENA_FUZZ_PROGRAMS cases from seed CATENA_FUZZ_SEED on, for CATENA_FUZZ_SECONDS at most (but a
/// fifth of them).
void check(Case (*draw_case)(Draw&), int64_t usual) {
    const int64_t cases = environment_number("CATENA_FUZZ_PROGRAMS", usual),
                  first = environment_number("CATENA_FUZZ_SEED", 1);
    const auto end = std::chrono::steady_clock::now() +
                     std::chrono::seconds(environment_number("CATENA_FUZZ_SECONDS", 8));
    int64_t done = 0;
    for (; done < cases && (done < cases / 5 || std::chrono::steady_clock::now() < end); ++done) {
        const auto seed = uint64_t(first + done);
        Draw draw(seed);
        const Case c = draw_case(draw);
        if (const std::string text = disagreement(c, seed, compiler_available() && done % 4 == 0);
            !text.empty())
            ADD_FAILURE() << "seed " << seed << ": " << c.text << "\n" << text;
    }
    std::cout << "[          ] " << done << " cases from seed " << first << "\n";
}

TEST(KernelSizes, products_are_near_float64) { check(product, 200); }
TEST(KernelSizes, convolutions_are_near_float64) { check(convolution, 200); }

}  // namespace
}  // namespace catena::fuzz
