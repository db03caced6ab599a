// A new size of a known program is planned from the sizes that were compiled: it takes no code
// generation and gives what eager code gives. With CATENA_CHECK_SCHEDULES=1, as the tests run, each
// such plan is also compared with the compiled one.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "benchmarks/models/gpt.h"
#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

using Lengths = std::vector<int64_t>;

Lengths from_to(int64_t first, int64_t last) {
    Lengths lengths;
    for (int64_t n = first; n <= last; ++n) lengths.push_back(n);
    return lengths;
}

/// Lengths in no order, each of 2 to `most` once.
Lengths mixed(int64_t most) {
    Lengths lengths;
    for (int64_t i = 0; i <= most - 2; ++i) lengths.push_back(2 + (i * 37 + 11) % (most - 1));
    return lengths;
}

Array numbers(const Shape& shape, int seed = 1) {
    std::vector<double> values(size_t(element_count(shape)));
    for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(0.37 * double(i) + seed);
    return Array::from(values, shape).astype(Dtype::float32);
}

void expect_same(const Array& expected, const Array& actual) {
    ASSERT_EQ(expected.shape(), actual.shape());
    for (int64_t i = 0; i < element_count(expected.shape()); ++i) {
        const double a = expected.as_contiguous().data<float>()[i],
                     b = actual.as_contiguous().data<float>()[i];
        ASSERT_NEAR(a, b, 2e-5 * (1 + std::abs(a))) << "element " << i;
    }
}

using Function = std::function<Variable(const Variable&)>;

/// Calls a region of `f` with arrays of all lengths and compares with eager code. Returns how often
/// the compiler was asked to compile a program for an array that was given.
int64_t compiled_for(const Function& f, const std::function<Array(int64_t)>& argument,
                     const Lengths& lengths) {
    const auto no_graph = no_backprop_mode();
    auto region = static_graph([&](const Variable& x) { return f(x); }, "f");
    for (int64_t length : lengths) {
        SCOPED_TRACE(length);
        const Variable x(argument(length), false);
        expect_same(f(x).array(), region(x).array());
        expect_same(f(x).array(), region(x).array());
    }
    const StaticGraphStatistics s = region.statistics();
    EXPECT_EQ(s.programs, int64_t(lengths.size()));
    EXPECT_EQ(s.mismatches, 0);
    return s.programs - s.resized;
}

class NewSizes : public ::testing::Test {
protected:
    void SetUp() override {
        if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    }
};

TEST_F(NewSizes, rows_of_a_ragged_batch) {
    const Variable w(numbers({7, 5}), false);
    const Function f = [&](const Variable& x) { return softmax(tanh(matmul(x, w)) * 2.0); };
    // Nothing, one row, and two sizes before a line is known, then one that is as large as another
    // size of the program.
    EXPECT_LE(compiled_for(f, [](int64_t n) { return numbers({n, 7}); }, from_to(0, 40)), 7);
    EXPECT_LE(compiled_for(f, [](int64_t n) { return numbers({n, 7}); }, mixed(40)), 10);
}

TEST_F(NewSizes, no_kernel_is_compiled) {
    const Variable w(numbers({7, 5}), false);
    auto region = static_graph([&](const Variable& x) { return sum(exp(matmul(x, w)), 1); }, "f");
    for (int64_t n : {16, 24, 64}) region(Variable(numbers({n, 7}), false));
    const int before = compiler().kernels_compiled();
    const int64_t resized = region.statistics().resized;
    for (int64_t n = 17; n < 60; ++n)
        if (n != 24) region(Variable(numbers({n, 7}), false));
    EXPECT_EQ(compiler().kernels_compiled(), before);
    EXPECT_EQ(region.statistics().resized - resized, 42);
}

TEST_F(NewSizes, products_of_the_length_with_itself) {
    const Function f = [](const Variable& x) {
        return matmul(softmax(matmul(x, transpose(x))), x) + sum(x, 0);
    };
    EXPECT_LE(compiled_for(f, [](int64_t n) { return numbers({n, 6}); }, mixed(50)), 12);
}

TEST_F(NewSizes, slices_and_joins_at_places_that_move) {
    const Function f = [](const Variable& x) {
        const int64_t n = x.shape()[0];
        const Variable last = get_item(x, {n - 1}), most = x[slice(0, n - 1)];
        return concat(
            {exp(most) * last,
             transpose(reshape(tanh(x), {3, n, 2}), {1, 0, 2})[slice(1, n)].array().shape()[0] > 0
                 ? reshape(transpose(reshape(tanh(x), {3, n, 2}), {1, 0, 2}), {n, 6})
                 : most},
            0);
    };
    EXPECT_LE(compiled_for(f, [](int64_t n) { return numbers({n, 6}); }, from_to(2, 40)), 9);
}

TEST_F(NewSizes, sums_over_rows_in_blocks) {
    // A row's and a column's reduction in one kernel, which works on blocks of rows.
    const Function f = [](const Variable& x) {
        const Variable y = x - broadcast_to(sum(x, 1, true), x.shape());
        return sum(exp(y * 0.1), 0) + sum(y, 0);
    };
    EXPECT_LE(compiled_for(f, [](int64_t n) { return numbers({n, 33}); },
                           {100, 180, 140, 170, 101, 133, 260, 255, 190, 200, 300}),
              6);
    // Reductions of everything, divided between threads.
    const Function all = [](const Variable& x) { return sum(tanh(x)); };
    EXPECT_LE(compiled_for(all, [](int64_t n) { return numbers({n, 64}); },
                           {5000, 7000, 6000, 5500, 6999, 6001}),
              4);
}

TEST_F(NewSizes, a_cache_that_grows) {
    const auto no_graph = no_backprop_mode();
    const Variable w(numbers({6, 6}), false);
    auto decode = [&](const Variable& word, const Variable& cache) {
        const Variable all = concat({cache, matmul(word, w)}, 0);
        return std::pair(matmul(softmax(matmul(word, transpose(all))), all), all);
    };
    auto region = static_graph(decode, "decode");
    Variable cache(Array::zeros({Dtype::float32, {0, 6}}), false), eager_cache = cache;
    for (int64_t n = 0; n < 70; ++n) {
        SCOPED_TRACE(n);
        const Variable word(numbers({1, 6}, int(n)), false);
        const auto [y, grown] = region(word, cache);
        const auto [eager_y, eager_grown] = decode(word, eager_cache);
        expect_same(eager_y.array(), y.array());
        cache = grown;
        eager_cache = eager_grown;
    }
    const StaticGraphStatistics s = region.statistics();
    // At most at 0, 1, 2, 3, 4 words and those for which the cache is as large as a word, before or
    // after it grew.
    EXPECT_GE(s.resized, 60);
}

/// Losses of a training whose batches have these lengths.
std::vector<double> losses(const Lengths& lengths, bool compiled, bool whole_step,
                           StaticGraphStatistics* statistics = nullptr) {
    set_seed(3);
    Mlp model;
    Adam optimizer;
    optimizer.setup(model);
    auto loss_of = [&](const Variable& x, const Variable& t) {
        return softmax_cross_entropy(model(x), t);
    };
    auto step_of = [&](const Variable& x, const Variable& t) {
        const Variable loss = loss_of(x, t);
        learn(model, optimizer, loss);
        return loss;
    };
    auto forward = static_graph(loss_of, "forward");
    auto step = static_graph(step_of, "step");
    std::vector<double> found;
    for (size_t i = 0; i < lengths.size(); ++i) {
        const Variable x = batch(int(i), lengths[i], 3), t = labels(int(i), lengths[i], 3);
        if (!compiled)
            found.push_back(step_of(x, t).item<double>());
        else if (whole_step)
            found.push_back(step(x, t).item<double>());
        else {
            const Variable loss = forward(x, t);
            learn(model, optimizer, loss);
            found.push_back(loss.item<double>());
        }
    }
    if (statistics) *statistics = whole_step ? step.statistics() : forward.statistics();
    return found;
}

TEST_F(NewSizes, training_with_batches_of_all_lengths) {
    Lengths lengths = mixed(60);
    lengths.insert(lengths.end(), {1, 90, 75, 200, 133, 1, 2});
    const std::vector<double> expected = losses(lengths, false, false);
    for (bool whole_step : {false, true}) {
        StaticGraphStatistics statistics;
        const std::vector<double> found = losses(lengths, true, whole_step, &statistics);
        for (size_t i = 0; i < expected.size(); ++i)
            EXPECT_NEAR(expected[i], found[i], 1e-4 * (1 + expected[i])) << i;
        EXPECT_GE(statistics.resized, 40);
    }
}

/// Trains `model` with batches of these lengths, eagerly and as one region, and compares the
/// losses.
template <class Model>
int64_t resized_in_training(const std::function<Array(int64_t)>& images, const Lengths& lengths) {
    std::vector<double> found[2];
    int64_t resized = 0;
    for (bool compiled : {false, true}) {
        set_seed(5);
        Model model;
        SGD optimizer(0.01);
        optimizer.setup(model);
        auto step = static_graph(
            [&](const Variable& x, const Variable& t) {
                const Variable loss = softmax_cross_entropy(model(x), t);
                learn(model, optimizer, loss);
                return loss;
            },
            "step");
        const auto mode = using_config(&Config::use_static_graph, compiled);
        for (size_t i = 0; i < lengths.size(); ++i)
            found[compiled].push_back(
                step(Variable(images(lengths[i]), false), labels(int(i), lengths[i], 3))
                    .template item<double>());
        resized = step.statistics().resized;
    }
    for (size_t i = 0; i < lengths.size(); ++i)
        EXPECT_NEAR(found[0][i], found[1][i], 1e-3 * (1 + std::abs(found[0][i]))) << i;
    return resized;
}

struct ConvolutionNet : Chain {
    Convolution2D c1{3, 8, 3, {.stride = 1, .pad = 1}}, c2{8, 8, 3};
    BatchNormalization bn{8};
    Linear out{72, 3};
    ConvolutionNet() { add_children({{"c1", c1}, {"c2", c2}, {"bn", bn}, {"out", out}}); }
    Variable operator()(const Variable& x) {
        const Variable h = max_pooling_2d(relu(bn(c1(x))), 2);
        return out(reshape(relu(c2(h)), {x.shape()[0], -1}));
    }
};

TEST_F(NewSizes, convolutions_normalization_and_pooling) {
    const auto images = [](int64_t n) { return numbers({n, 3, 10, 10}); };
    EXPECT_GE(resized_in_training<ConvolutionNet>(
                  images, {32, 17, 20, 30, 25, 29, 18, 31, 1, 28, 22, 27, 19}),
              4);
}

/// Sums of each channel come with the convolution from some batch on (passes/statistics.cpp): the
/// number of images was once a constant of the code, which was another one for each batch then.
TEST_F(NewSizes, no_kernel_is_compiled_for_other_batches_of_normalized_images) {
    Convolution2D convolution(3, 8, 3, {.pad = {1}, .nobias = true});
    BatchNormalization norm(8);
    auto region = static_graph(
        [&](const Variable& x) {
            const Variable loss = mean(square(relu(norm(convolution(x)))));
            convolution.cleargrads();
            norm.cleargrads();
            loss.backward();
            return loss;
        },
        "f");
    const auto call = [&](int64_t n) { region(Variable(numbers({n, 3, 12, 12}), false)); };
    for (int64_t n = 33; n < 49; ++n) call(n);
    const int before = compiler().kernels_compiled();
    for (int64_t n = 49; n < 65; ++n) call(n);
    EXPECT_EQ(compiler().kernels_compiled(), before);
}

/// Convolutions of few channels with nearly a multiple of 16 images want their results in another
/// order than others do (AVX-512), so the program of 68 is not that of 60, 80 and 120 with other
/// numbers. It was planned from these; CATENA_CHECK_SCHEDULES=1 finds it.
TEST_F(NewSizes, images_that_convolutions_want_in_another_order) {
    const Variable v(numbers({8, 3, 3, 3})), w(numbers({8, 8, 3, 3})), u(numbers({8 * 36, 10}));
    auto region = static_graph(
        [&](const Variable& x, const Variable& t) {
            Variable h = relu(convolution_2d(x, v, {.pad = {1}}));
            h = max_pooling_2d(relu(convolution_2d(h, w, {.pad = {1}})), 2);
            const Variable y = matmul(reshape(h, {x.shape()[0], -1}), u);
            const Variables g = grad({softmax_cross_entropy(y, t)}, {v, w, u});
            return std::vector<Variable>(g.begin(), g.end());
        },
        "f");
    for (int64_t n : {60, 80, 120, 90, 62, 76, 68, 92, 100})
        region(Variable(numbers({n, 3, 12, 12})), labels(int(n), n, 10));
    EXPECT_GT(region.statistics().resized, 0);
}

struct NoisyRows : Chain {
    NoisyNet net;
    NoisyRows() { add_children({{"net", net}}); }
    Variable operator()(const Variable& x) { return net(x); }
};

TEST_F(NewSizes, random_numbers_and_running_statistics) {
    const auto rows = [](int64_t n) { return numbers({n, 3}); };
    EXPECT_GE(resized_in_training<NoisyRows>(
                  rows, {32, 17, 20, 30, 25, 29, 18, 64, 40, 50, 45, 33, 300, 200, 150}),
              8);
}

struct Normalized : Chain {
    LayerNormalization norm{12};
    Linear first{12, 24}, second{24, 12}, out{12, 3};
    Normalized() {
        add_children({{"norm", norm}, {"first", first}, {"second", second}, {"out", out}});
    }
    Variable operator()(const Variable& x) { return out(x + second(gelu(first(norm(x))))); }
};

TEST_F(NewSizes, rows_and_columns_of_normalization) {
    const auto rows = [](int64_t n) { return numbers({n, 12}); };
    // Enough rows that columns are summed in blocks, whose number depends on the rows.
    EXPECT_GE(resized_in_training<Normalized>(rows, {700, 100, 400, 130, 650, 210, 333, 64, 80, 120,
                                                     1400, 900, 2500, 2100, 3000}),
              4);
}

TEST_F(NewSizes, sentences_of_many_lengths_train_a_transformer) {
    // Attention multiplies the length by itself, so one more size is compiled; 64 words and 5 are
    // other sizes of the model, too.
    const Lengths lengths = {20, 31, 25, 50, 28, 22, 44, 37, 5, 64, 1, 48, 21, 33, 90, 70};
    std::vector<double> found[2];
    int64_t resized = 0;
    for (bool compiled : {false, true}) {
        set_seed(5);
        models::Gpt model({.words = 64, .positions = 128, .width = 24, .heads = 3, .blocks = 2});
        SGD optimizer(0.01);
        optimizer.setup(model);
        auto step = static_graph(
            [&](const Variable& x, const Variable& t) {
                const Variable y = model(x);
                const Variable loss = softmax_cross_entropy(reshape(y, {-1, y.shape()[2]}), t);
                learn(model, optimizer, loss);
                return loss;
            },
            "step");
        const auto mode = using_config(&Config::use_static_graph, compiled);
        for (size_t i = 0; i < lengths.size(); ++i) {
            const Variable words = reshape(labels(int(i), 5 * lengths[i], 64), {5, lengths[i]});
            found[compiled].push_back(
                step(words, labels(int(i) + 1, 5 * lengths[i], 64)).item<double>());
        }
        resized = step.statistics().resized;
    }
    for (size_t i = 0; i < lengths.size(); ++i)
        EXPECT_NEAR(found[0][i], found[1][i], 1e-3 * (1 + std::abs(found[0][i]))) << i;
    EXPECT_GE(resized, 6);
}

TEST_F(NewSizes, another_branch_is_not_another_size) {
    const auto no_graph = no_backprop_mode();
    const Function f = [](const Variable& x) {
        return x.shape()[0] > 20 ? exp(x) * 2.0 : tanh(x) * 2.0;
    };
    compiled_for(f, [](int64_t n) { return numbers({n, 6}); },
                 {10, 12, 14, 13, 24, 30, 28, 15, 11, 26, 29});
}

TEST_F(NewSizes, two_sizes_that_change_independently) {
    const auto no_graph = no_backprop_mode();
    auto f = [](const Variable& x) {
        return softmax(reshape(tanh(x), {x.shape()[0] * x.shape()[1], 5}));
    };
    auto region = static_graph([&](const Variable& x) { return f(x); }, "f");
    for (int64_t rows : {8, 12, 10, 9, 11})
        for (int64_t length : {20, 30, 24, 28}) {
            const Variable x(numbers({rows, length, 5}), false);
            expect_same(f(x).array(), region(x).array());
        }
    EXPECT_EQ(region.statistics().programs, 20);
}

}  // namespace
}  // namespace catena::testing
