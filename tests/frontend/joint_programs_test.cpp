// A model's call as a region, its backward outside: forward and backward are compiled as one
// program in two parts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <regex>
#include <thread>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "runtime/core/array/device.h"
#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* together = "backward, compiled together with forward";
constexpr const char* saved_bytes = "bytes are saved from forward to backward";

int64_t number_before(const std::string& text, const std::string& what) {
    std::smatch found;
    if (!std::regex_search(text, found, std::regex("([0-9]+) " + what))) return -1;
    return std::stoll(found[1]);
}

/// [4, 5] doubles that need a gradient, others for every number.
Variable values(int number) { return Variable(batch(number, 4, 5, Dtype::float64).array(), true); }

/// Three layers of a chain: what tanh gives is all that backward needs beside x and the weights.
Variable chain(const Variable& x, const Variable& w) {
    return matmul(tanh(matmul(tanh(matmul(x, w)), w)), w);
}
Variable square_weight(int number) {
    return Variable(batch(number, 5, 5, Dtype::float64).array(), true);
}

class JointPrograms : public ::testing::Test {
protected:
    void SetUp() override {
        if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    }
};

using Call = std::function<Variable(const Variable&, const Variable&)>;

void expect_near(const Array& found, const Array& wanted) {
    const std::vector<double> a = found.to_vector<double>(), b = wanted.to_vector<double>();
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i)
        EXPECT_NEAR(a[i], b[i], 1e-12 * (1 + std::abs(b[i]))) << "element " << i;
}

TEST_F(JointPrograms, save_what_a_minimal_cut_needs) {
    auto f = static_graph(chain, "chain");
    const Variable x = values(1), w = square_weight(2);
    sum(f(x, w)).backward();
    const std::string text = f.explain();
    EXPECT_THAT(text, HasSubstr(together));
    // Two results of tanh of [4, 5] doubles, each at a multiple of 64 bytes.
    EXPECT_EQ(number_before(text, saved_bytes), 2 * 192);
    EXPECT_EQ(f.statistics().programs, 1);
    const Variable x2 = values(1), w2 = square_weight(2);
    sum(chain(x2, w2)).backward();
    expect_near(x.grad(), x2.grad());
    expect_near(w.grad(), w2.grad());
}

/// What odd orders of calls give; the region must do what the function does.
std::vector<Array> odd_orders(const Call& f) {
    std::vector<Array> seen;
    auto saw = [&](const Variable& v) {
        seen.push_back(v.grad().defined() ? v.grad() : Array::zeros(v.type()));
    };
    const Variable w = square_weight(7);
    for (int round = 0; round < 3; ++round) {
        w.cleargrad();
        const Variable a = values(round), b = values(round + 10);
        const Variable ya = f(a, w), yb = f(b, w);  // Two calls before a backward,
        sum(square(ya)).backward();                 // the first one first,
        saw(a), saw(w);
        const Variable unused = f(values(20), w);  // one without any,
        const Variable loss = sum(yb * yb);
        loss.backward();  // and twice through the same call.
        saw(b), saw(w);
        loss.backward();
        saw(b), saw(w);
        const Variable c = values(round + 30);
        const Variable gc = grad({f(c, w)}, {c}, {}, {.enable_double_backprop = true})[0];
        sum(square(gc)).backward();  // Differentiated twice.
        saw(c), saw(w);
        const Variable d = values(round + 40);
        const Variable part = grad({f(d, w)}, {d})[0];  // With respect to a part.
        seen.push_back(part.array());
        const Variable e = values(round + 50);
        const Variable turned = transpose(f(e, transpose(w)));  // A gradient with other strides.
        sum(turned * transpose(values(60))).backward();
        saw(e), saw(w);
        {
            Variable chained = values(round + 70);
            const Variable start = chained;
            for (int i = 0; i < 3; ++i) chained = f(chained, w);
            sum(chained).backward();
            saw(start), saw(w);
        }
    }
    return seen;
}

TEST_F(JointPrograms, give_the_gradients_of_eager_code_in_any_order_of_calls) {
    auto f = static_graph(chain, "chain");
    const std::vector<Array> wanted = odd_orders(chain),
                             found = odd_orders(
                                 [&](const Variable& x, const Variable& w) { return f(x, w); });
    ASSERT_EQ(found.size(), wanted.size());
    for (size_t i = 0; i < wanted.size(); ++i) {
        SCOPED_TRACE(i);
        expect_near(found[i], wanted[i]);
    }
    EXPECT_THAT(f.explain(), HasSubstr(together));
}

TEST_F(JointPrograms, keep_each_calls_values_when_threads_go_forward_and_back) {
    auto f = static_graph(chain, "chain");
    const Variable w = square_weight(7);
    std::vector<Variable> xs, ys;
    for (int i = 0; i < 4; ++i) {
        xs.push_back(values(i));
        ys.push_back(f(xs.back(), Variable(w.array(), false)));
    }
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([&, i] { sum(ys[size_t(i)]).backward(); });
    for (std::thread& thread : threads) thread.join();
    for (int i = 0; i < 4; ++i) {
        const Variable x = values(i);
        sum(chain(x, Variable(w.array(), false))).backward();
        expect_near(xs[size_t(i)].grad(), x.grad());
    }
}

TEST_F(JointPrograms, free_what_is_saved_after_backward_or_with_the_result) {
    auto f = static_graph(chain, "chain");
    auto large = [](int number, int64_t rows) {
        return Variable(batch(number, rows, 512).array(), true);
    };
    const Variable x = large(1, 2048), w = large(2, 512);
    auto in_use = [] { return int64_t(cpu_memory_statistics().bytes_in_use); };
    sum(f(x, w)).backward();
    w.cleargrad(), x.cleargrad();
    const int64_t before = in_use(), one = 2048 * 512 * 4;
    {
        const Variable y = f(x, w);
        EXPECT_GE(in_use() - before, 3 * one);  // y and two results of tanh.
        EXPECT_LT(in_use() - before, 4 * one);
        const Variable loss = sum(y);
        loss.backward();
        x.cleargrad(), w.cleargrad();
        EXPECT_LT(in_use() - before, 2 * one);  // y
    }
    EXPECT_LE(in_use(), before);
    {
        const Variable dropped = f(x, w);
    }
    EXPECT_LE(in_use(), before);
}

TEST_F(JointPrograms, read_a_number_that_changes_between_forward_and_backward_as_eager_code_does) {
    Cell factor(2.0, "factor");
    auto code = [&](const Variable& x, const Variable& w) {
        return tanh(tanh(matmul(x, w) * factor) * factor) * 3.0;
    };
    auto f = static_graph(code, "scaled");
    auto run = [&](auto&& g) {
        factor = 2.0;
        const Variable x = values(1), w = square_weight(2);
        const Variable y = g(x, w);
        factor = 0.5;
        sum(y).backward();
        return x.grad();
    };
    const Array wanted = run(code);
    for (int call = 0; call < 2; ++call) expect_near(run(f), wanted);
}

TEST_F(JointPrograms, give_forward_the_numbers_that_only_gradients_read) {
    // Forward counts the labels once more for the gradient: with the numbers of that.
    auto code = [](const Variable& x, const Variable& w) {
        return softmax_cross_entropy(chain(x, w), labels(1, 4, 5).array());
    };
    auto f = static_graph(code, "loss");
    for (int call = 0; call < 3; ++call) {
        const Variable x = values(call), w = square_weight(2), x2 = values(call),
                       w2 = square_weight(2);
        f(x, w).backward();
        code(x2, w2).backward();
        expect_near(x.grad(), x2.grad());
        expect_near(w.grad(), w2.grad());
    }
}

TEST_F(JointPrograms, take_a_gradient_after_an_exception_between) {
    auto f = static_graph(chain, "chain");
    const Variable w = square_weight(2), x = values(1);
    const Variable y = f(x, w);
    EXPECT_THROW(f(values(2), Variable(batch(1, 4, 4, Dtype::float64).array(), true)), Error);
    sum(y).backward();
    const Variable x2 = values(1);
    sum(chain(x2, Variable(w.array(), false))).backward();
    expect_near(x.grad(), x2.grad());
}

TEST_F(JointPrograms, are_planned_for_new_sizes) {
    auto f = static_graph(chain, "chain");
    const Variable w = square_weight(2);
    auto rows = [](int64_t count) {
        return Variable(batch(int(count), count, 5, Dtype::float64).array(), true);
    };
    for (const int64_t count : {8, 40, 24, 32, 17, 12, 36, 29}) {
        const Variable x = rows(count), x2 = rows(count);
        w.cleargrad();
        sum(f(x, w)).backward();
        sum(chain(x2, w)).backward();
        expect_near(x.grad(), x2.grad());
    }
    EXPECT_GT(f.statistics().resized, 0);
}

struct Images : Chain {
    Images() {
        add_children({{"a", a}, {"an", an}, {"b", b}, {"bn", bn}, {"c", c}, {"last", last}});
    }
    Variable operator()(const Variable& x) {
        const Variable h = relu(an(a(x)));
        return last(mean(relu(bn(b(h)) + h) + c(h), {2, 3}));
    }
    Convolution2D a{3, 16, 3, {.pad = {1, 1}, .nobias = true}},
        b{16, 16, 3, {.pad = {1, 1}, .nobias = true}}, c{16, 16, 1};
    BatchNormalization an{16}, bn{16};
    Linear last{16, 10};
};

/// Many layers, all alike.
struct Deep : Chain {
    Deep() {
        for (int i = 0; i < 8; ++i) {
            convolutions.append(Convolution2D(i == 0 ? 3 : 16, 16, 3, {.pad = {1, 1}}));
            normalizations.append(BatchNormalization(16));
        }
        add_children(
            {{"convolutions", convolutions}, {"normalizations", normalizations}, {"last", last}});
    }
    Variable operator()(const Variable& x) {
        Variable h = x;
        for (size_t i = 0; i < 8; ++i)
            h = dropout(relu(normalizations.get<BatchNormalization>(i)(
                            convolutions.get<Convolution2D>(i)(h))),
                        0.1);
        return last(mean(h, {2, 3}));
    }
    ChainList convolutions, normalizations;
    Linear last{16, 10};
};

struct Trained {
    std::vector<float> parameters;
    std::string explanation;
};

template <class Model>
Trained train(size_t budget, bool compiled) {
    set_seed(5);
    Model model;
    MomentumSGD optimizer(0.05);
    optimizer.setup(model);
    auto region = static_graph([&](const Variable& x) { return model(x); },
                               StaticGraphOptions{.name = "images", .memory_budget = budget});
    for (int i = 0; i < 4; ++i) {
        std::vector<float> pixels(size_t(8 * 3 * 24 * 24));
        for (size_t k = 0; k < pixels.size(); ++k) pixels[k] = float(std::sin(0.7 * double(k) + i));
        const Variable x(Array::from(pixels, {8, 3, 24, 24}), false);
        learn(model, optimizer,
              softmax_cross_entropy(compiled ? region(x) : model(x), labels(i, 8, 10).array()));
    }
    Trained trained;
    for (const Parameter* p : model.params())
        for (const float v : p->array().to_vector<float>()) trained.parameters.push_back(v);
    if (compiled) trained.explanation = region.explain();
    return trained;
}

TEST_F(JointPrograms, keep_images_in_the_order_that_forward_has_chosen) {
    const Trained eager = train<Images>(0, false), compiled = train<Images>(0, true);
    EXPECT_THAT(compiled.explanation, HasSubstr(together));
    EXPECT_EQ(number_before(compiled.explanation, "images stored with the channels last"), 10)
        << compiled.explanation;
    ASSERT_EQ(compiled.parameters.size(), eager.parameters.size());
    for (size_t i = 0; i < eager.parameters.size(); ++i)
        ASSERT_NEAR(compiled.parameters[i], eager.parameters[i], 2e-4) << i;
}

TEST_F(JointPrograms, keep_a_memory_budget_with_the_same_bits) {
    const Trained without = train<Deep>(0, true);
    const int64_t saved = number_before(without.explanation, saved_bytes);
    ASSERT_GT(saved, 0);
    const int64_t budget = saved * 6 / 10;
    const Trained within = train<Deep>(size_t(budget), true);
    EXPECT_THAT(within.explanation, HasSubstr("launches are made again"));
    EXPECT_LE(number_before(within.explanation, saved_bytes), budget) << within.explanation;
    EXPECT_EQ(within.parameters, without.parameters);
}

}  // namespace
}  // namespace catena::testing
