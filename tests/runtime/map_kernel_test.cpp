#include <cmath>
#include <functional>
#include <limits>
#include <thread>

#include <gtest/gtest.h>

#include "runtime/core/parallel/parallel.h"
#include "runtime/ops/define/register_map.h"
#include "tests/runtime/kernel_call.h"

namespace catena {
namespace {

using test::map;
using test::map_all;
using test::random_array;
using test::whole_array;

/// Element `index` (row-major in `shape`) of an array broadcast to `shape`.
double element(const std::vector<double>& values, const Shape& from, const Shape& shape,
               int64_t index) {
    int64_t at = 0, step = 1;
    for (int i = shape.rank() - 1; i >= 0; --i) {
        const int64_t position = index % shape[i];
        index /= shape[i];
        const int axis = i - (shape.rank() - from.rank());
        if (axis < 0) continue;
        if (from[axis] != 1) at += position * step;
        step *= from[axis];
    }
    return values[size_t(at)];
}

/// x * 2 + y over the broadcast shapes, against a loop in double. Values are small integers: exact
/// in all dtypes.
void check_broadcast(const Array& x, const Array& y) {
    const Formula formula = make_formula<2, 0>([](auto a, auto b) { return a * 2 + b; });
    const Dtype dtype = promote(x.dtype(), y.dtype());
    const Array z = map(formula, {x, y}, dtype);
    const std::vector<double> xs = x.to_vector<double>(), ys = y.to_vector<double>(),
                              zs = z.to_vector<double>();
    for (int64_t i = 0; i < z.size(); ++i) {
        const double expected =
            element(xs, x.shape(), z.shape(), i) * 2 + element(ys, y.shape(), z.shape(), i);
        ASSERT_EQ(zs[size_t(i)], expected)
            << to_string(x.type()) << " with " << to_string(y.type()) << " at " << i;
    }
}

TEST(Map, broadcasts_every_way) {
    const std::vector<std::pair<Shape, Shape>> cases = {
        {{}, {}},
        {{1}, {}},
        {{5}, {5}},
        {{1000}, {}},
        {{}, {3000}},
        {{40, 300}, {300}},
        {{40, 300}, {40, 1}},
        {{40, 7}, {7}},
        {{400, 3}, {400, 1}},
        {{1, 300}, {20, 1}},
        {{2, 3, 4, 5}, {3, 1, 5}},
        {{6, 1, 200}, {1, 50, 200}},
        {{2, 1, 3, 1, 70}, {4, 1, 6, 1}},
        {{0, 3}, {3}},
        {{1500, 2}, {2}},
        {{1, 1, 5000}, {5000}},
    };
    for (const auto& [a, b] : cases)
        for (Dtype dtype : {Dtype::float32, Dtype::float64, Dtype::int64})
            check_broadcast(whole_array(dtype, a, 1), whole_array(dtype, b, 2));
}

TEST(Map, takes_any_strides) {
    const Array base = whole_array(Dtype::float32, {50, 60}, 3);
    const Array transposed = base.view({60, 50}, {1, 60}, 0);
    const Array every_second = base.view({25, 20}, {120, 3}, 0);
    const Array reversed = base.view({50, 60}, {-60, -1}, 50 * 60 - 1);
    const Array window = base.view({40, 50}, {60, 1}, 65);
    for (const Array& x : {transposed, every_second, reversed, window}) {
        check_broadcast(x, whole_array(Dtype::int8, x.shape(), 4));
        check_broadcast(whole_array(Dtype::float32, {x.dim(1)}, 5), x);
        check_broadcast(x, x);
    }
}

TEST(Map, mixes_dtypes_and_promotes) {
    for (int a = 0; a < dtype_count; ++a)
        for (int b = 0; b < dtype_count; ++b) {
            if (Dtype(a) == Dtype::bool_ && Dtype(b) == Dtype::bool_)
                continue;  // true * 2 + true is true.
            const double low = Dtype(a) == Dtype::uint8 || Dtype(b) == Dtype::uint8 ? 0 : -4;
            const Shape matrix{13, 130};
            check_broadcast(whole_array(Dtype(a), matrix, 1, low),
                            whole_array(Dtype(b), matrix, 2, low));
            check_broadcast(whole_array(Dtype(a), matrix, 3, low),
                            whole_array(Dtype(b), {130}, 4, low));
            check_broadcast(whole_array(Dtype(a), {}, 5, low), whole_array(Dtype(b), {}, 6, low));
        }
}

TEST(Map, integers_wrap_to_their_type) {
    const Formula sum = make_formula<2, 0>([](auto a, auto b) { return a + b; });
    const Array x = Array::from<int8_t>({127, -128, 100});
    const Array y = Array::from<int8_t>({1, -1, 27});
    EXPECT_EQ(map(sum, {x, y}, Dtype::int8).to_vector<int32_t>(),
              (std::vector<int32_t>{-128, 127, 127}));
    const int64_t most = std::numeric_limits<int64_t>::max();
    EXPECT_EQ(
        map(sum, {Array::scalar(most), Array::scalar(int64_t(1))}, Dtype::int64).item<int64_t>(),
        -most - 1);
}

TEST(Map, integer_division_never_traps) {
    const Formula quotient =
        make_formula<2, 0>([](auto a, auto b) { return std::tuple(a / b, fmod(a, b)); });
    const int64_t least = std::numeric_limits<int64_t>::min();
    const auto results = map_all(
        quotient, {Array::from<int64_t>({7, -7, 5, least}), Array::from<int64_t>({2, 2, 0, -1})},
        {Dtype::int64, Dtype::int64});
    EXPECT_EQ(results[0].to_vector<int64_t>(), (std::vector<int64_t>{3, -3, 0, least}));
    EXPECT_EQ(results[1].to_vector<int64_t>(), (std::vector<int64_t>{1, -1, 0, 0}));
}

TEST(Map, comparisons_give_bool_and_truths_work_as_numbers) {
    const Array x = Array::from<float>({-1, 0, 2, std::nanf("")});
    const Formula compare = make_formula<1, 0>([](auto a) {
        return std::tuple(a > 0, a != a, !(a >= 0), (a < 0) || (a == 2), (a > -2) && (a < 1),
                          select(a < 1, a, 9) + (a > 0));
    });
    const auto r = map_all(
        compare, {x},
        {Dtype::bool_, Dtype::bool_, Dtype::bool_, Dtype::bool_, Dtype::float32, Dtype::float32});
    using Ints = std::vector<int32_t>;
    EXPECT_EQ(r[0].to_vector<int32_t>(), (Ints{0, 0, 1, 0}));
    EXPECT_EQ(r[1].to_vector<int32_t>(), (Ints{0, 0, 0, 1}));
    EXPECT_EQ(r[2].to_vector<int32_t>(), (Ints{1, 0, 0, 1}));
    EXPECT_EQ(r[3].to_vector<int32_t>(), (Ints{1, 0, 1, 0}));
    EXPECT_EQ(r[4].to_vector<int32_t>(), (Ints{1, 1, 0, 0}));
    EXPECT_EQ(r[5].to_vector<int32_t>(), (Ints{-1, 0, 10, 9}));
}

TEST(Map, select_takes_single_elements_in_every_place) {
    const Formula choose =
        make_formula<3, 0>([](auto c, auto a, auto b) { return select(c, a, b); });
    const std::vector<double> cs = {1, 0, 0, 1, 1}, as = {1, 2, 3, 4, 5}, bs = {10, 20, 30, 40, 50};
    for (int single = 0; single < 8; ++single)
        for (Dtype dtype : {Dtype::float32, Dtype::float64, Dtype::int32}) {
            const auto input = [&](const std::vector<double>& all, int bit) {
                return (single >> bit & 1 ? Array::scalar(all[0]) : Array::from(all, {5}))
                    .astype(dtype);
            };
            const std::vector<double> got =
                map(choose, {input(cs, 0), input(as, 1), input(bs, 2)}, dtype).to_vector<double>();
            for (size_t i = 0; i < got.size(); ++i) {
                const auto at = [&](const std::vector<double>& all, int bit) {
                    return single >> bit & 1 ? all[0] : all[i];
                };
                EXPECT_EQ(got[i], at(cs, 0) ? at(as, 1) : at(bs, 2)) << single;
            }
        }
}

TEST(Map, minimum_and_maximum_propagate_nan_and_order_zeros) {
    const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
    const Array x = Array::from<float>({nan, 1, 0.0f, -0.0f, inf, -inf, 2});
    const Array y = Array::from<float>({1, nan, -0.0f, 0.0f, 1, 1, 2});
    const auto r = map_all(
        make_formula<2, 0>([](auto a, auto b) { return std::tuple(minimum(a, b), maximum(a, b)); }),
        {x, y}, {Dtype::float32, Dtype::float32});
    const std::vector<float> low = r[0].to_vector<float>(), high = r[1].to_vector<float>();
    EXPECT_TRUE(std::isnan(low[0]) && std::isnan(low[1]) && std::isnan(high[0]) &&
                std::isnan(high[1]));
    EXPECT_TRUE(std::signbit(low[2]) && std::signbit(low[3]) && !std::signbit(high[2]) &&
                !std::signbit(high[3]));
    EXPECT_EQ(low[4], 1);
    EXPECT_EQ(low[5], -inf);
    EXPECT_EQ(high[4], inf);
    EXPECT_EQ(high[6], 2);
}

TEST(Map, scalars_and_literals_need_no_input) {
    const Formula f = make_formula<0, 2>([](auto s, auto t) { return s * t + 0.5; });
    OpDef op;
    op.name = "no inputs";
    op.formula = f;
    for (int64_t n : {1, 5000}) {
        std::vector<Array> outputs = {Array::empty({Dtype::float32, {n}})};
        const std::vector<double> scalars = {3, 4};
        run_map({op, {}, outputs, Attributes(), scalars});
        EXPECT_EQ(outputs[0].to_vector<float>(), std::vector<float>(size_t(n), 12.5f));
    }
}

TEST(Map, integers_become_floats_where_the_output_is_one) {
    const Formula half = make_formula<1, 0>([](auto a) { return a / 2; });
    EXPECT_EQ(map(half, {Array::from<int32_t>({1, 3})}, Dtype::float32).to_vector<float>(),
              (std::vector<float>{0.5f, 1.5f}));
    EXPECT_EQ(map(half, {Array::from<int32_t>({1, 3})}, Dtype::int32).to_vector<float>(),
              (std::vector<float>{0, 1}));
}

TEST(Map, an_input_may_be_an_output_and_outputs_may_repeat) {
    const Formula f =
        make_formula<2, 0>([](auto a, auto b) { return std::tuple(a, a + b, a + b, b); });
    const Array x = random_array(Dtype::float32, {3000}, 1),
                y = random_array(Dtype::float32, {}, 2);
    const auto r =
        map_all(f, {x, y}, {Dtype::float32, Dtype::float32, Dtype::float64, Dtype::float32});
    EXPECT_EQ(r[0].to_vector<float>(), x.to_vector<float>());
    EXPECT_EQ(r[1].to_vector<float>(), r[2].to_vector<float>());
    EXPECT_EQ(r[3].to_vector<float>(), std::vector<float>(3000, y.item<float>()));
}

TEST(Map, many_live_values_keep_apart) {
    // Forty products, all needed at the end, in one formula.
    const Formula f = make_formula<1, 0>([](auto x) {
        std::vector<Symbol> terms;
        for (int i = 1; i <= 40; ++i) terms.push_back(x * double(i));
        Symbol sum = terms.back();
        for (int i = 38; i >= 0; --i) sum = sum + terms[size_t(i)];
        return sum;
    });
    const Array x = whole_array(Dtype::float64, {20'000}, 9);
    const std::vector<double> xs = x.to_vector<double>(),
                              ys = map(f, {x}, Dtype::float64).to_vector<double>();
    for (size_t i = 0; i < xs.size(); ++i) ASSERT_EQ(ys[i], xs[i] * 820);
}

TEST(Map, results_do_not_depend_on_the_number_of_threads) {
    const Formula f =
        make_formula<2, 0>([](auto a, auto b) { return tanh(a) * b + exp(b) / (1 + a * a); });
    const Array x = random_array(Dtype::float32, {700, 511}, 1),
                y = random_array(Dtype::float32, {511}, 2);
    const int before = thread_count();
    std::vector<std::vector<float>> results;
    for (int threads : {1, 2, 3}) {
        set_thread_count(threads);
        results.push_back(map(f, {x, y}, Dtype::float32).to_vector<float>());
    }
    set_thread_count(before);
    EXPECT_EQ(results[0], results[1]);
    EXPECT_EQ(results[0], results[2]);
}

TEST(Map, may_run_on_several_threads_at_once) {
    // Registered, so that the threads race for the one program that is kept.
    static const OpDef& op = []() -> const OpDef& {
        OpDef map;
        map.name = "test.several_threads";
        map.kind = Kind::map;
        map.formula = make_formula<1, 0>([](auto x) { return tanh(x) * 2 + x; });
        return register_map(std::move(map));
    }();
    const Array x = random_array(Dtype::float32, {5000}, 1);
    std::vector<std::vector<float>> results(4);
    std::vector<std::thread> threads;
    for (std::vector<float>& result : results)
        threads.emplace_back([&] {
            for (int i = 0; i < 20; ++i) {
                std::vector<Array> outputs = {Array::empty(x.type())};
                run_map({op, {&x, 1}, outputs, Attributes(), {}});
                result = outputs[0].to_vector<float>();
            }
        });
    for (std::thread& thread : threads) thread.join();
    for (const std::vector<float>& result : results) EXPECT_EQ(result, results[0]);
}

}  // namespace
}  // namespace catena
