// Lines as people who know NumPy write them, with NumPy's results.
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"

namespace catena {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;

std::string text(const Array& x) { return to_string(x); }
std::vector<double> list(const Array& x) { return x.to_vector<double>(); }
constexpr double inf = std::numeric_limits<double>::infinity(), nan = NAN;

const Array& m() {
    static const Array& made = *new Array(array({{1.f, 2.f, 4.f}, {8.f, 16.f, 32.f}}));
    return made;
}

TEST(NumpyIdioms, results_are_kept_in_arrays) {
    const Array f = array({0.f, 1.f});
    Array z = exp(f);
    z += exp(f);
    z = z / 2 + sqrt(f);
    EXPECT_NEAR(list(z)[1], std::exp(1.0) + 1, 1e-6);
    const Array row = m()[0], column = m()[{slice(), 1}];
    EXPECT_EQ(text(row), "float32[3] {1, 2, 4}");
    EXPECT_EQ(text(column), "float32[2] {2, 16}");
    const Array picked = m()[m() > 4.f];
    EXPECT_EQ(text(picked), "float32[3] {8, 16, 32}");
}

TEST(NumpyIdioms, lists_in_braces_are_joined) {
    const Array a = array({1, 2}), b = array({3, 4});
    EXPECT_EQ(text(vstack({a, b})), "int32[2,2] {{1, 2}, {3, 4}}");
    EXPECT_EQ(text(hstack({a, b})), "int32[4] {1, 2, 3, 4}");
    EXPECT_EQ(text(dstack({a, b})), "int32[1,2,2] {{{1, 3}, {2, 4}}}");
    const Variables grids = meshgrid({a, b});
    EXPECT_EQ(text(grids[0]), "int32[2,2] {{1, 2}, {1, 2}}");
    EXPECT_EQ(text(grids[1]), "int32[2,2] {{3, 3}, {4, 4}}");
}

TEST(NumpyIdioms, functions_of_floats_take_integers) {
    const Array n = array({1, 4, 9});
    EXPECT_EQ(text(sqrt(n)), "float32[3] {1, 2, 3}");
    EXPECT_EQ(text(pow(n, 2)), "float32[3] {1, 16, 81}");
    EXPECT_EQ(text(pow(2, n)), "float32[3] {2, 16, 512}");
    EXPECT_EQ(text(pow(n, n - 2)), "float32[3] {1, 16, 4782969}");
    EXPECT_EQ(exp(array({0, 1})).dtype(), Dtype::float32);
    EXPECT_EQ(text(floor(n)), "int32[3] {1, 4, 9}");
    EXPECT_EQ(text(einsum("i,i->", {n, n})), "float32[] 98");
    const auto kept = using_config(&Config::dtype, Dtype::float64);
    EXPECT_EQ(log(n).dtype(), Dtype::float64);
}

TEST(NumpyIdioms, rounding) {
    EXPECT_THAT(list(round(array({0.5, 1.5, 2.5, -0.5, -2.7}))), ElementsAre(0, 2, 2, 0, -3));
    EXPECT_THAT(list(round(array({1.234, -1.235}), 2)),
                ElementsAre(testing::DoubleNear(1.23, 1e-12), testing::DoubleNear(-1.24, 1e-12)));
    EXPECT_EQ(text(round(array({1234, 1250}), -2)), "int32[2] {1200, 1200}");
    EXPECT_EQ(text(round(array({1, 2}))), "int32[2] {1, 2}");
}

TEST(NumpyIdioms, medians_and_percentiles) {
    EXPECT_EQ(median(array({3.0, 1.0, 2.0})).item<double>(), 2);
    EXPECT_EQ(median(array({4, 1, 2, 3})).item<double>(), 2.5);
    EXPECT_THAT(list(median(m(), 0)), ElementsAre(4.5, 9, 18));
    EXPECT_EQ(text(median(m(), 1, true)), "float32[2,1] {{2}, {16}}");
    EXPECT_EQ(percentile(m(), 10).item<double>(), 1.5);
    EXPECT_THAT(list(percentile(array({0.0, 10.0}), std::vector<double>{0, 25, 100})),
                ElementsAre(0, 2.5, 10));
    EXPECT_TRUE(std::isnan(median(array({1.0, nan, 3.0})).item<double>()));
    EXPECT_THROW(percentile(m(), 101), ValueError);
    EXPECT_THROW(median(Array::zeros({Dtype::float32, {0}})), ValueError);
    const Variable x(array({3.f, 1.f, 2.f, 8.f}));
    EXPECT_EQ(text(grad({median(x)}, {x})[0].array()), "float32[4] {0.5, 0, 0.5, 0}");
}

TEST(NumpyIdioms, differences) {
    EXPECT_EQ(text(diff(array({1, 4, 9, 16}))), "int32[3] {3, 5, 7}");
    EXPECT_EQ(text(diff(array({1, 4, 9, 16}), 2)), "int32[2] {2, 2}");
    EXPECT_EQ(text(diff(m(), 1, 0)), "float32[1,3] {{7, 14, 28}}");
    EXPECT_EQ(text(diff(array({true, true, false}))), "bool[2] {false, true}");
    EXPECT_EQ(diff(array({1}), 3).size(), 0);
}

TEST(NumpyIdioms, products_of_vectors_and_matrices) {
    const Array a = array({1.f, 2.f, 3.f}), b = array({4.f, 5.f, 6.f});
    EXPECT_EQ(dot(a, b).item<float>(), 32);
    EXPECT_EQ(text(dot(m(), a)), "float32[2] {17, 136}");
    EXPECT_EQ(text(dot(a, 2.f * b)), "float32[] 64");
    EXPECT_EQ(to_string(dot(ones({2, 3, 4}), ones({5, 4, 6})).shape()), "[2,3,5,6]");
    EXPECT_EQ(text(outer(array({1, 2}), array({3, 4, 5}))), "int32[2,3] {{3, 4, 5}, {6, 8, 10}}");
    EXPECT_EQ(text(kron(array({1, 10}), array({1, 2}))), "int32[4] {1, 2, 10, 20}");
    EXPECT_EQ(text(kron(array({{1, 2}, {3, 4}}), array({{0, 1}}))),
              "int32[2,4] {{0, 1, 0, 2}, {0, 3, 0, 4}}");
    EXPECT_EQ(text(cross(a, b)), "float32[3] {-3, 6, -3}");
    EXPECT_EQ(trace(array({{1, 2}, {3, 4}})).item<int>(), 5);
    EXPECT_EQ(trace(m(), 1).item<int>(), 34);
    EXPECT_THROW(cross(a, array({1.f, 2.f})), ShapeError);
    EXPECT_THROW(trace(a), ShapeError);
}

TEST(NumpyIdioms, norms) {
    const Array a = array({{3.0, -4.0}, {0.0, 0.0}});
    EXPECT_EQ(norm(a).item<double>(), 5);
    EXPECT_EQ(norm(a, 1).item<double>(), 7);
    EXPECT_THAT(list(norm(a, 2, 1)), ElementsAre(5, 0));
    EXPECT_THAT(list(norm(a, inf, 0)), ElementsAre(3, 4));
    EXPECT_THAT(list(norm(a, -inf, 1)), ElementsAre(3, 0));
    EXPECT_THAT(list(norm(a, 0, 1)), ElementsAre(2, 0));
    EXPECT_NEAR(norm(a, 3).item<double>(), std::cbrt(27.0 + 64.0), 1e-9);
    EXPECT_EQ(norm(array({3, 4})).dtype(), Dtype::float32);
    const Variable x(a);
    EXPECT_THAT(
        list(grad({sum(norm(x, 2, 1))}, {x})[0].array()),
        ElementsAre(testing::DoubleNear(0.6, 1e-12), testing::DoubleNear(-0.8, 1e-12), 0, 0));
}

TEST(NumpyIdioms, questions_to_arrays) {
    EXPECT_TRUE(allclose(array({1.0, 2.0}), array({1.0 + 1e-9, 2.0})));
    EXPECT_FALSE(allclose(array({1.0, nan}), array({1.0, nan})));
    EXPECT_TRUE(allclose(array({1.0, nan}), array({1.0, nan}), 1e-5, 1e-8, true));
    EXPECT_TRUE(array_equal(array({1, 2}), array({1.0, 2.0})));
    EXPECT_FALSE(array_equal(array({1, 2}), array({1, 2, 3})));
    EXPECT_FALSE(array_equal(array({1, 2}), array({{1, 2}})));
}

TEST(NumpyIdioms, covariances) {
    const Array x = array({{0.0, 1.0, 2.0}, {2.0, 1.0, 0.0}});
    EXPECT_THAT(list(cov(x)), ElementsAre(1, -1, -1, 1));
    EXPECT_THAT(list(cov(transpose(x).array(), false)), ElementsAre(1, -1, -1, 1));
    EXPECT_NEAR(cov(array({1.0, 2.0, 4.0}), true, 0).item<double>(), 14.0 / 9, 1e-12);
}

TEST(NumpyIdioms, places_among_sorted_values) {
    const Array sorted = array({1, 3, 3, 5});
    EXPECT_EQ(text(searchsorted(sorted, array({0, 1, 2, 3, 4, 5, 6}))),
              "int64[7] {0, 0, 1, 1, 3, 3, 4}");
    EXPECT_EQ(text(searchsorted(sorted, array({0, 1, 2, 3, 4, 5, 6}), Side::right)),
              "int64[7] {0, 1, 1, 3, 3, 4, 4}");
    EXPECT_EQ(text(searchsorted(array({1.0, inf, nan}), array({nan, inf, 2.0}))),
              "int64[3] {2, 1, 1}");
    EXPECT_EQ(text(searchsorted(array({1.0, inf, nan}), array({nan, inf}), Side::right)),
              "int64[2] {3, 2}");
    EXPECT_EQ(text(searchsorted(Array::zeros({Dtype::int32, {0}}), array({1}))), "int64[1] {0}");
    std::vector<double> many(1000);
    for (size_t i = 0; i < many.size(); ++i) many[i] = double(i / 3) * 0.5;
    const std::vector<double> values{-1, 0, 0.25, 77.5, 166, 166.5, 1000};
    const auto found = searchsorted(array(many), array(values)).array().to_vector<int64_t>();
    for (size_t i = 0; i < values.size(); ++i)
        EXPECT_EQ(found[i], std::lower_bound(many.begin(), many.end(), values[i]) - many.begin());
    EXPECT_EQ(text(isin(array({{1, 2}, {3, 9}}), array({9, 1}))),
              "bool[2,2] {{true, false}, {false, true}}");
    EXPECT_EQ(text(isin(array({1.0, nan}), array({nan, 1.0}))), "bool[2] {true, false}");
    EXPECT_EQ(text(isin(array({1}), Array::zeros({Dtype::int32, {0}}))), "bool[1] {false}");
}

TEST(NumpyIdioms, counting) {
    EXPECT_EQ(text(bincount(array({0, 1, 1, 3}))), "int64[4] {1, 2, 0, 1}");
    EXPECT_EQ(text(bincount(array({0, 1}), 4)), "int64[4] {1, 1, 0, 0}");
    EXPECT_EQ(text(bincount(array({0, 1, 1}), array({0.5, 1.0, 2.0}))), "float64[2] {0.5, 3}");
    EXPECT_THROW(bincount(array({-1})), ValueError);
    const auto [counts, edges] = histogram(array({1.0, 2.0, 1.0, 4.0}), 3);
    EXPECT_EQ(text(counts), "int64[3] {2, 1, 1}");
    EXPECT_THAT(list(edges), ElementsAre(1, 2, 3, 4));
    EXPECT_EQ(text(histogram(array({1.0, 2.0, 5.0}), 2, std::pair(0.0, 4.0)).counts),
              "int64[2] {1, 1}");
    EXPECT_EQ(text(histogram(array({1, 2, 1}), array({0, 1, 2, 3})).counts), "int64[3] {0, 2, 1}");
    EXPECT_THAT(list(histogram(array({2.0, 2.0}), 2).edges), ElementsAre(1.5, 2, 2.5));
}

TEST(NumpyIdioms, numbers_in_place_of_nan) {
    EXPECT_THAT(list(nan_to_num(array({nan, inf, -inf, 1.0}))),
                ElementsAre(0, std::numeric_limits<double>::max(),
                            std::numeric_limits<double>::lowest(), 1));
    EXPECT_EQ(text(nan_to_num(array({NAN, INFINITY, -INFINITY}),
                              {.nan = 1, .posinf = 2.0, .neginf = 3.0})),
              "float32[3] {1, 2, 3}");
    EXPECT_EQ(text(nan_to_num(array({1}))), "int32[1] {1}");
}

TEST(NumpyIdioms, sums_of_exponentials) {
    const Array a = array({0.0, 1000.0, -inf, -inf}), b = array({0.0, 1000.0, -inf, 2.0});
    EXPECT_THAT(list(logaddexp(a, b)),
                ElementsAre(testing::DoubleNear(std::log(2.0), 1e-12),
                            testing::DoubleNear(1000 + std::log(2.0), 1e-9), -inf, 2));
    const Variable x(array({1.0, 1.0})), y(array({1.0, 3.0}));
    const auto g = grad({sum(logaddexp(x, y))}, {x, y});
    EXPECT_NEAR(list(g[0].array())[0], 0.5, 1e-12);
    EXPECT_NEAR(list(g[1].array())[1], 1 / (1 + std::exp(-2.0)), 1e-12);
}

TEST(NumpyIdioms, lines_between_points) {
    const Array xp = array({1.0, 2.0, 4.0}), fp = array({10.0, 20.0, 0.0});
    EXPECT_THAT(list(interp(array({0.0, 1.0, 1.5, 2.0, 3.0, 4.0, 9.0}), xp, fp)),
                ElementsAre(10, 10, 15, 20, 10, 0, 0));
    const Variable x(array({1.5, 3.0, 9.0}));
    EXPECT_THAT(list(grad({sum(interp(x, xp, fp))}, {x})[0].array()), ElementsAre(10, -10, 0));
}

TEST(NumpyIdioms, spectra_of_real_signals) {
    const ComplexPair y = rfft(array({1.0, 0.0, -1.0, 0.0}));
    EXPECT_THAT(list(y.real), ElementsAre(0, 2, 0));
    EXPECT_THAT(list(y.imag), ElementsAre(0, 0, 0));
    EXPECT_EQ(rfft(array({1, 2, 3})).real.size(), 2);
}

TEST(NumpyIdioms, functions_of_floats_take_integers_and_bools) {
    EXPECT_NEAR(list(arctan(array({1, 0})))[0], std::atan(1.0), 1e-6);
    EXPECT_EQ(arcsinh(array({true, false})).dtype(), Dtype::float32);
    EXPECT_NEAR(list(lgamma(array({5})))[0], std::log(24.0), 1e-5);
    EXPECT_NEAR(list(arctan2(array({1}), array({-1})))[0], std::atan2(1, -1), 1e-6);
    const Variable x(array({1, 2}));
    EXPECT_EQ(exp2(x).dtype(), Dtype::float32);
}

TEST(NumpyIdioms, arrays_of_several_dtypes_are_joined_in_the_promoted_one) {
    const Variable a(array({1, 2})), b(array({0.5f})), c(array({true}));
    EXPECT_EQ(text(concat({c, a, b}, 0).array()), "float32[4] {1, 1, 2, 0.5}");
    EXPECT_EQ(text(stack({c, cast(b, Dtype::float64)}).array()), "float64[2,1] {{1}, {0.5}}");
    const Variable y = stack({b, cast(b, Dtype::float64)});
    sum(y * y).backward();
    EXPECT_EQ(text(b.grad()), "float32[1] {2}");
}

TEST(NumpyIdioms, spread_of_a_sample) {
    const Array x = array({1.0, 2.0, 4.0, 9.0});
    EXPECT_DOUBLE_EQ(variance(x, {}, false, 1).item<double>(), 38.0 / 3);
    EXPECT_DOUBLE_EQ(standard_deviation(x, {}, false, 1).item<double>(), std::sqrt(38.0 / 3));
    EXPECT_EQ(variance(x, {}, false, 4).item<double>(), inf);
    EXPECT_TRUE(std::isnan(variance(x[{slice(0, 1)}], {}, false, 1).item<double>()));
    EXPECT_DOUBLE_EQ(nanvar(array({1.0, nan, 3.0}), {}, false, 1).item<double>(), 2);
    EXPECT_TRUE(std::isnan(nanstd(array({1.0, nan}), {}, false, 1).item<double>()));
}

TEST(NumpyIdioms, one_place_in_braces_is_a_place) {
    const Variable v(array({1, 2, 3}));
    for (const Variables& parts : {split(v, {1}, 0), split_axis(v, {1}, 0), hsplit(v, {1})}) {
        ASSERT_EQ(parts.size(), 2u);
        EXPECT_EQ(text(parts[1].array()), "int32[2] {2, 3}");
    }
    EXPECT_EQ(split(v, 3, 0).size(), 3u);
    EXPECT_EQ(percentile(v, {50}).shape(), (Shape{1}));
}

TEST(NumpyIdioms, further_forms) {
    const Variable v(array({1, 2, 3})), a(array({{1, 2}, {3, 4}, {5, 6}}));
    EXPECT_EQ(text(array_split(v, 2)[0].array()), "int32[2] {1, 2}");
    EXPECT_EQ(text(array_split(v, {2})[1].array()), "int32[1] {3}");
    EXPECT_EQ(text(column_stack({v, a}).array()), "int32[3,3] {{1, 1, 2}, {2, 3, 4}, {3, 5, 6}}");
    EXPECT_EQ(text(append(v, a).array()), "int32[9] {1, 2, 3, 1, 2, 3, 4, 5, 6}");
    EXPECT_EQ(text(rot90(a).array()), "int32[2,3] {{2, 4, 6}, {1, 3, 5}}");
    EXPECT_EQ(text(rot90(a, -1).array()), "int32[2,3] {{5, 3, 1}, {6, 4, 2}}");
    EXPECT_EQ(text(rot90(a, 2).array()), "int32[3,2] {{6, 5}, {4, 3}, {2, 1}}");
    EXPECT_EQ(text(rot90(rot90(a), 3, {-2, -1}).array()), text(a.array()));
    EXPECT_EQ(text(logspace(0, 2, 3)), "float32[3] {1, 10, 100}");
    EXPECT_EQ(text(logspace(0, 3, 3, false, 2, Dtype::int32)), "int32[3] {1, 2, 4}");
    EXPECT_THROW(array_split(v, 0), ValueError);
    EXPECT_THROW(rot90(a, 1, {0, 0}), Error);
    EXPECT_THROW(column_stack({Variable(array(1))}), ShapeError);
}

TEST(NumpyIdioms, insertions) {
    const Array v = array({1, 2, 3}), a = array({{1, 2}, {3, 4}});
    EXPECT_EQ(text(insert(v, 1, 9)), "int32[4] {1, 9, 2, 3}");
    EXPECT_EQ(text(insert(v, 3, 9)), "int32[4] {1, 2, 3, 9}");
    EXPECT_EQ(text(insert(v, -1, array({8, 9}))), "int32[5] {1, 2, 8, 9, 3}");
    EXPECT_EQ(text(insert(a, 0, 9)), "int32[5] {9, 1, 2, 3, 4}");
    EXPECT_EQ(text(insert(a, 1, 9, 0)), "int32[3,2] {{1, 2}, {9, 9}, {3, 4}}");
    EXPECT_EQ(text(insert(a, 1, array({8, 9}), 1)), "int32[2,3] {{1, 8, 2}, {3, 9, 4}}");
    EXPECT_EQ(text(insert(a, 1, array({8, 9}), 0)), "int32[3,2] {{1, 2}, {8, 9}, {3, 4}}");
    EXPECT_THROW(insert(v, 4, 1), ValueError);
    EXPECT_THROW(insert(v, 1, 0.5), DtypeError);
    EXPECT_THROW(insert(v, 1, a), ShapeError);
}

TEST(NumpyIdioms, lengths_do_not_overflow) {
    EXPECT_EQ(text(hypot(array({3.f, 3e30f, 0.f}), array({4.f, 4e30f, 0.f}))),
              "float32[3] {5, 5e+30, 0}");
    EXPECT_EQ(hypot(array({3}), array({4})).item(), 5);
    EXPECT_TRUE(std::isinf(hypot(array({INFINITY}), array({NAN})).item()));
    const Variable x(array({3.0, 0.0})), y(array({4.0, 0.0}));
    const auto g = grad({sum(hypot(x, y))}, {x, y});
    EXPECT_THAT(list(g[0].array()), ElementsAre(0.6, 0));
    EXPECT_THAT(list(g[1].array()), ElementsAre(0.8, 0));
}

TEST(NumpyIdioms, names_and_short_forms) {
    const Array x = array({1.f, 2.f, 4.f, 9.f});
    EXPECT_EQ(std(x).item(), standard_deviation(x).item());
    EXPECT_EQ(var(x, {}, false, 1).item(), variance(x, {}, false, 1).item());
    EXPECT_EQ(quantile(x, 0.5).item(), 3);
    EXPECT_EQ(average(x).item(), 4);
    EXPECT_EQ(ptp(x).item(), 8);
    EXPECT_EQ(text(where(x > 2.f)[0]), "int64[2] {2, 3}");
    EXPECT_EQ(text(pad(x, 1)), "float32[6] {0, 1, 2, 4, 9, 0}");
    EXPECT_EQ(text(array(std::vector<std::vector<int>>{{1, 2}, {3, 4}})),
              "int32[2,2] {{1, 2}, {3, 4}}");
    EXPECT_EQ(array(std::vector<std::vector<float>>{}).shape(), (Shape{0, 0}));
    EXPECT_THROW(array(std::vector<std::vector<int>>{{1, 2}, {3}}), ShapeError);
    EXPECT_FALSE(array(x) == x);
    EXPECT_TRUE(asarray(x) == x);
    EXPECT_EQ(asarray(x, Dtype::int32).dtype(), Dtype::int32);
    EXPECT_EQ(text(asarray({1, 2})), "int32[2] {1, 2}");
    const Array a = array({{2.0, 0.0}, {0.0, 4.0}});
    EXPECT_THAT(list(linalg::inv(a)), ElementsAre(0.5, 0, 0, 0.25));
    EXPECT_EQ(linalg::norm(array({3.0, 4.0})).item(), 5);
}

TEST(NumpyIdioms, random_has_its_names) {
    random::seed(5);
    const Array x = random::normal(2, 0.5, {3}), y = random::uniform(2, 3, {50});
    random::seed(5);
    EXPECT_TRUE(array_equal(x, random::normal(2, 0.5, {3})));
    EXPECT_TRUE(all(y >= 2.f && y < 3.f).item<bool>());
    EXPECT_EQ(random::randn(2, 3).shape(), (Shape{2, 3}));
    Array order = arange(5);
    const Array kept = order;
    random::shuffle(order);
    EXPECT_EQ(text(sort(order)), text(kept));
    EXPECT_EQ(text(kept), "int32[5] {0, 1, 2, 3, 4}");
}

TEST(NumpyIdioms, without_an_axis_all_elements_are_ordered) {
    EXPECT_EQ(text(sort(array({{3, 1}, {2, 0}}), {}).array()), "int32[4] {0, 1, 2, 3}");
    EXPECT_EQ(text(argsort(array({{3, 1}, {2, 0}}), {}).array()), "int32[4] {3, 1, 2, 0}");
}

TEST(NumpyIdioms, are_compiled_in_regions) {
    const Variable x(array({3.f, 1.f, 2.f, 8.f}));
    const auto f = [](const Variable& x) {
        return median(x) + norm(x, 3) + sum(round(x / 3)) + sum(logaddexp(x, -x)) +
               sum(interp(x, array({0.f, 4.f, 10.f}), array({1.f, 5.f, 0.f}))) +
               sum(cast(searchsorted(array({1.f, 2.f, 5.f}), x), Dtype::float32)) +
               sum(outer(x, x)) + sum(diff(x) * diff(x));
    };
    auto region = static_graph(f);
    const double expected = f(x).item<double>();
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(region(x).item<double>(), expected, 1e-4);
    if (compiler_available()) {
        EXPECT_EQ(region.statistics().cuts, 0);
    }
}

}  // namespace
}  // namespace catena
