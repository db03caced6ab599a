// What the rows of the op table do not reach: forms with numbers, lists of the host, results whose
// length depends on elements.
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "frontend/static_graph/static_graph.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/config.h"
#include "runtime/graph/walk/gradient.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/array/layout/creation.h"
#include "runtime/ops/array/layout/from_lists.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/array/rearrange.h"
#include "runtime/ops/array/searching.h"
#include "runtime/ops/array/set_item.h"
#include "runtime/ops/array/triangles.h"
#include "runtime/ops/connection/output_size.h"
#include "runtime/ops/math/bits.h"
#include "runtime/ops/math/division.h"
#include "runtime/ops/math/reduction/logic.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "runtime/ops/noise/draws.h"

namespace catena {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<int64_t> integers(const Variable& x) { return x.array().to_vector<int64_t>(); }
std::string text(const Variable& x) { return to_string(x.array()); }

template <class E, class F>
std::string message_of(F f) {
    try {
        f();
    } catch (const E& error) {
        return error.what();
    }
    return "nothing was thrown";
}

TEST(Creation, lists_make_arrays_of_their_type) {
    EXPECT_EQ(to_string(array({1, 2, 3}).type()), "int32[3]");
    EXPECT_EQ(to_string(array({{1.0, 2.0}, {3.0, 4.0}}).type()), "float64[2,2]");
    const Array cube = array({{{1.f}, {2.f}}, {{3.f}, {4.f}}, {{5.f}, {6.f}}});
    EXPECT_EQ(to_string(cube.type()), "float32[3,2,1]");
    EXPECT_THAT(cube.to_vector<float>(), ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_EQ(to_string(array({1, 2}, Dtype::float16).type()), "float16[2]");
    EXPECT_EQ(to_string(array(std::vector<int64_t>{1, 2, 3}).type()), "int64[3]");
    EXPECT_EQ(to_string(array(std::vector<bool>{true, false})),
              to_string(Array::from<bool>({true, false})));
}

TEST(Creation, lists_of_one_level_are_equally_long) {
    EXPECT_THAT(message_of<ShapeError>([] { array({{1, 2}, {3}}); }),
                HasSubstr("array: a list of 1 elements at level 1, the first one there has 2; "
                          "lengths must be equal"));
}

TEST(Creation, the_default_dtype_is_that_of_the_configuration) {
    const auto wide = using_config(&Config::dtype, Dtype::float64);
    EXPECT_EQ(zeros({2}).dtype(), Dtype::float64);
    EXPECT_EQ(eye(2).dtype(), Dtype::float64);
    EXPECT_EQ(arange(0.5, 2).dtype(), Dtype::float64);
    EXPECT_EQ(arange(3).dtype(), Dtype::int32);
    EXPECT_EQ(full({1}, true).dtype(), Dtype::bool_);
}

TEST(Creation, a_large_end_asks_for_a_wider_dtype) {
    EXPECT_THAT(message_of<ValueError>([] { arange(3e9, 3e9 + 2, 1, Dtype::int32); }),
                HasSubstr("arange: int32 does not hold"));
    EXPECT_THAT(integers(arange(int64_t(1) << 40, (int64_t(1) << 40) + 2, 1, Dtype::int64)),
                ElementsAre(1ll << 40, (1ll << 40) + 1));
}

TEST(Squeeze, takes_a_number_a_list_or_nothing) {
    const Variable x(Array::zeros({Dtype::float32, {1, 3, 1}}), false);
    EXPECT_EQ(squeeze(x, 0).shape(), (Shape{3, 1}));
    EXPECT_EQ(squeeze(x, -1).shape(), (Shape{1, 3}));
    EXPECT_EQ(squeeze(x, {0}).shape(), (Shape{3, 1}));
    EXPECT_EQ(squeeze(x, {}).shape(), (Shape{3}));
    EXPECT_EQ(squeeze(x).shape(), (Shape{3}));
}

TEST(Creation, linspace_ends_exactly) {
    const std::vector<float> y = linspace(0.0, 0.7, 7).to_vector<float>();
    EXPECT_EQ(y.back(), 0.7f);
    EXPECT_EQ(y.size(), 7u);
}

TEST(Creation, is_a_part_of_compiled_programs_of_any_size) {
    if (!compiler_available()) GTEST_SKIP() << "there is no compiler";
    auto region = static_graph([](const Variable& x) {
        const int64_t n = x.shape()[0];
        return sum(tril(x)) + sum(x * eye(n) * arange(double(n))) + sum(ones_like(x)) +
               sum(linspace(0.0, 1.0, n));
    });
    for (int64_t n : {3, 3, 4, 4, 6, 6, 5}) {
        const Variable x(full({n, n}, 2.0), false);
        const double n_ = double(n);
        EXPECT_FLOAT_EQ(region(x).item<float>(),
                        float(n_ * (n_ + 1) + n_ * (n_ - 1) + n_ * n_ + n_ / 2))
            << n;
    }
    EXPECT_GT(region.statistics().compiled_calls, 0);
}

TEST(Triangles, diagonals_of_vectors) {
    EXPECT_EQ(text(diag(array({1, 2}), 1)), "int32[3,3] {{0, 1, 0}, {0, 0, 2}, {0, 0, 0}}");
    EXPECT_EQ(text(diagflat(array({{1, 2}}), -1)), "int32[3,3] {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}}");
    EXPECT_EQ(text(diag(diag(array({3, 4}), -2), -2)), "int32[2] {3, 4}");
    const Variable v(array({1.0, 2.0}));
    const Variable y = diag(v);
    EXPECT_THAT(grad({sum(y * y)}, {v})[0].array().to_vector<double>(), ElementsAre(2, 4));
}

TEST(Triangles, grids) {
    const Variable a(array({1, 2}), false), b(array({3, 4, 5}), false);
    const std::vector<Variable> both = {a, b};
    const Variables xy = meshgrid(both), ij = meshgrid(both, MeshgridIndexing::ij);
    EXPECT_EQ(text(xy[0]), "int32[3,2] {{1, 2}, {1, 2}, {1, 2}}");
    EXPECT_EQ(text(xy[1]), "int32[3,2] {{3, 3}, {4, 4}, {5, 5}}");
    EXPECT_EQ(text(ij[0]), "int32[2,3] {{1, 1, 1}, {2, 2, 2}}");
    EXPECT_EQ(text(ij[1]), "int32[2,3] {{3, 4, 5}, {3, 4, 5}}");
}

TEST(Bits, of_64_bits_are_exact) {
    const int64_t big = std::numeric_limits<int64_t>::max() - 5;
    const Array x = Array::from<int64_t>({big}), mask = Array::from<int64_t>({0x7fff0000ffff0001});
    EXPECT_THAT(integers(x & mask), ElementsAre(big & 0x7fff0000ffff0001));
    EXPECT_THAT(integers(x ^ mask), ElementsAre(big ^ 0x7fff0000ffff0001));
    EXPECT_THAT(integers(x >> 3), ElementsAre(big >> 3));
    EXPECT_THAT(integers(~x), ElementsAre(~big));
}

TEST(Bits, numbers_take_the_dtype_of_the_array) {
    const Array x = Array::from<uint8_t>({0xf3, 0x05});
    EXPECT_EQ(text(x & 0x0f), "uint8[2] {3, 5}");
    EXPECT_EQ(text(1 << Variable(x & 3)), "uint8[2] {8, 2}");
    EXPECT_EQ(text(Array::from<bool>({true, false}) | true), "bool[2] {true, true}");
    EXPECT_EQ((Array::from<bool>({true}) & 3).dtype(), Dtype::int32);
    EXPECT_THAT(message_of<ValueError>([&] { x & 256; }),
                HasSubstr("bitwise_and: uint8 does not hold 256"));
    EXPECT_THAT(message_of<DtypeError>([&] { x & 0.5; }), HasSubstr("integers or bools are right"));
}

TEST(Division, of_integers_and_numbers) {
    const Array x = Array::from<int32_t>({7, -7});
    EXPECT_EQ(text(x % 3), "int32[2] {1, 2}");
    EXPECT_EQ(text(x % -3), "int32[2] {-2, -1}");
    EXPECT_EQ(text(20 % Variable(x)), "int32[2] {6, -1}");
    EXPECT_EQ(text(floor_divide(x, 2)), "int32[2] {3, -4}");
    EXPECT_EQ(text(floor_divide(x, 2.0)), "float32[2] {3, -4}");
    EXPECT_EQ(text(x / 2), "float32[2] {3.5, -3.5}");
    EXPECT_EQ(text(x / x), "float32[2] {1, 1}");
    EXPECT_EQ(text(x % 2.5), "float32[2] {2, 0.5}");
}

TEST(Where, of_two_numbers) {
    const Array c = Array::from<bool>({true, false});
    EXPECT_EQ(text(where(c, 1, 2)), "int32[2] {1, 2}");
    EXPECT_EQ(text(where(c, 0.5, 2)), "float32[2] {0.5, 2}");
    EXPECT_EQ(text(where(c, false, true)), "bool[2] {false, true}");
}

TEST(Take, wraps_and_clips) {
    const Array x = array({10, 11, 12}), at = array({-4, -1, 5});
    EXPECT_EQ(text(take(x, at, 0, TakeMode::wrap)), "int32[3] {12, 12, 12}");
    EXPECT_EQ(text(take(x, at, 0, TakeMode::clip)), "int32[3] {10, 10, 12}");
    EXPECT_THROW(take(x, at, 0, TakeMode::raise).array().to_vector<int>(), ValueError);
    EXPECT_EQ(text(take_flat(array({{1, 2}, {3, 4}}), array({3}))), "int32[1] {4}");
    EXPECT_EQ(text(flip(array({{1, 2}, {3, 4}}), Axes{})), "int32[2,2] {{4, 3}, {2, 1}}");
    EXPECT_EQ(text(repeat(array({{1, 2}}), 2)), "int32[4] {1, 1, 2, 2}");
}

TEST(Searching, nonzero_gives_the_places_of_each_axis) {
    const Array x = array({{0, 3, 0}, {4, 0, 5}});
    const Variables places = nonzero(x);
    ASSERT_EQ(places.size(), 2u);
    EXPECT_THAT(integers(places[0]), ElementsAre(0, 1, 1));
    EXPECT_THAT(integers(places[1]), ElementsAre(1, 0, 2));
    EXPECT_THAT(integers(flatnonzero(x)), ElementsAre(1, 3, 5));
    EXPECT_EQ(text(argwhere(x)), "int64[3,2] {{0, 1}, {1, 0}, {1, 2}}");
    EXPECT_EQ(to_string(argwhere(zeros({2, 2})).shape()), "[0,2]");
    EXPECT_THAT(message_of<ShapeError>([] { nonzero(Array::scalar(1)); }),
                HasSubstr("nonzero: x is a scalar"));
}

TEST(Searching, nonzero_sees_small_fractions_and_nan) {
    EXPECT_THAT(integers(flatnonzero(Array::from<double>({0.25, 0, NAN, -0.0}))),
                ElementsAre(0, 2));
}

TEST(Searching, unique_elements_come_with_places_and_counts) {
    const Unique found = unique_with_places(array({5, 2, 5, 9, 2}));
    EXPECT_THAT(integers(found.values), ElementsAre(2, 5, 9));
    EXPECT_THAT(integers(found.indices), ElementsAre(1, 0, 3));
    EXPECT_THAT(integers(found.inverse), ElementsAre(1, 0, 1, 2, 0));
    EXPECT_THAT(integers(found.counts), ElementsAre(2, 2, 1));
    EXPECT_THAT(integers(unique(array({5, 2, 5, 9, 2}), {.sorted = false})), ElementsAre(5, 2, 9));
    EXPECT_EQ(unique(zeros({0})).size(), 0);
}

TEST(Searching, unique_rows) {
    const Unique found = unique_with_places(array({{3, 1}, {0, 2}, {3, 1}}), {.axis = 0});
    EXPECT_EQ(text(found.values), "int32[2,2] {{0, 2}, {3, 1}}");
    EXPECT_THAT(integers(found.inverse), ElementsAre(1, 0, 1));
}

TEST(Searching, unique_of_large_integers_is_exact_and_every_nan_is_its_own) {
    const int64_t big = int64_t(1) << 60;
    EXPECT_THAT(integers(unique(Array::from<int64_t>({big + 1, big, big + 1}))),
                ElementsAre(big, big + 1));
    EXPECT_EQ(unique(Array::from<double>({NAN, 1, NAN})).size(), 3);
}

/// Few different values, so that there are ties, and NaN.
Variable with_ties(const Shape& shape) {
    std::vector<float> values(size_t(element_count(shape)));
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = i % 31 == 3 ? NAN : i % 13 == 0 ? -0.f : float(i * 7919 % 23) - 11;
    return Variable(Array::from(values, shape), false);
}

TEST(Searching, topk_begins_the_order_of_all_elements) {
    const Variable x = with_ties({4, 300, 3}), row = with_ties({3000});
    const auto order = [](const Variable& v, int axis,
                          bool largest) {  // Reversed twice, ties keep their order.
        return integers(largest ? (v.shape()[axis] - 1) - flip(argsort(flip(v, axis), axis), axis)
                                : argsort(v, axis));
    };
    for (bool largest : {true, false}) {
        for (int axis = 0; axis < 3; ++axis)
            for (int64_t k : {int64_t(0), int64_t(1), x.shape()[axis] / 2, x.shape()[axis]}) {
                const Variable all(Array::from(order(x, axis, largest), x.shape()), false);
                EXPECT_EQ(integers(topk(x, k, axis, largest).indices),
                          integers(slice_axis(all, axis, 0, k)))
                    << axis << ' ' << k;
            }
        for (int64_t k : {5, 64, 65, 2000, 3000}) {
            std::vector<int64_t> all = order(row, 0, largest);
            all.resize(size_t(k));
            EXPECT_EQ(integers(topk(row, k, 0, largest).indices), all) << k;
        }
    }
}

TEST(Searching, a_choice_without_replacement_begins_the_permutation_of_its_seed) {
    for (int64_t size : {0, 1, 7, 100, 500}) {
        set_seed(3);
        std::vector<int64_t> all = integers(permutation(500));
        const Variable next = random_uniform({3});
        all.resize(size_t(size));
        set_seed(3);
        EXPECT_EQ(integers(choice(500, size, {.replace = false})), all);
        EXPECT_EQ(random_uniform({3}).array().to_vector<float>(), next.array().to_vector<float>());
    }
}

TEST(Searching, takes_of_views_are_those_of_their_copies) {
    const Variable x = with_ties({4, 5, 6, 7});
    const Variable at(Array::from<int64_t>({3, 0, -1, 3, 1}), false);
    const auto bits = [](const Variable& v) { return text(v); };
    for (const Dims& order : {Dims{0, 1, 2, 3}, Dims{0, 3, 2, 1}, Dims{0, 1, 3, 2},
                              Dims{3, 2, 1, 0}, Dims{0, 2, 3, 1}, Dims{1, 0, 2, 3}}) {
        const Variable view = transpose(x, order), whole = copy(view);
        for (int axis = 0; axis < 4; ++axis)
            EXPECT_EQ(bits(take(view, at, axis)), bits(take(whole, at, axis))) << axis;
    }
    const Variable repeated = broadcast_to(with_ties({4, 1, 6}), {4, 5, 6});
    EXPECT_EQ(bits(take(repeated, at, 0)), bits(take(copy(repeated), at, 0)));
    EXPECT_EQ(take(with_ties({4, 0, 3}), at, 0).shape(), (Shape{5, 0, 3}));
}

TEST(Searching, a_region_is_cut_where_elements_decide) {
    if (!compiler_available()) GTEST_SKIP() << "there is no compiler";
    auto region = static_graph([](const Variable& x) { return take(x * 2, flatnonzero(x > 0)); });
    for (std::vector<float> values : {std::vector<float>{1, -1, 3}, {1, -1, 3}, {-1, -1, 4}})
        EXPECT_EQ(text(region(Variable(array(values), false))),
                  text(take(array(values) * 2, flatnonzero(array(values) > 0))));
}

TEST(SetItem, replaces_elements_of_a_new_array) {
    const Array x = array({{1, 2, 3}, {4, 5, 6}});
    EXPECT_EQ(text(set_item(x, {0}, array({7, 8, 9}))), "int32[2,3] {{7, 8, 9}, {4, 5, 6}}");
    EXPECT_EQ(text(set_item(x, {ellipsis, slice(1, {})}, 0)), "int32[2,3] {{1, 0, 0}, {4, 0, 0}}");
    EXPECT_EQ(text(set_item(x, {x > 4}, -1)), "int32[2,3] {{1, 2, 3}, {4, -1, -1}}");
    EXPECT_EQ(text(set_item(x, {array({1, 0}), array({0, 2})}, array({-4, -3}))),
              "int32[2,3] {{1, 2, -3}, {-4, 5, 6}}");
    EXPECT_EQ(text(set_item(Array::from<bool>({false, false}), {1}, true)),
              "bool[2] {false, true}");
    EXPECT_EQ(text(x), "int32[2,3] {{1, 2, 3}, {4, 5, 6}}");
}

TEST(SetItem, refuses_what_does_not_fit) {
    const Array x = array({1, 2, 3});
    EXPECT_THAT(message_of<DtypeError>([&] { set_item(x, {0}, 0.5); }),
                HasSubstr("set_item: float64[] does not fit into int32[]"));
    EXPECT_THAT(message_of<ShapeError>([&] { set_item(x, {slice(0, 2)}, array({1, 2, 3})); }),
                HasSubstr("does not broadcast"));
    EXPECT_THAT(message_of<ValueError>([&] { set_item(x, {array({1, 1})}, array({5, 6})); }),
                HasSubstr("name an element of x [3] twice"));
}

TEST(SetItem, an_element_may_be_named_twice_for_one_element_of_the_value) {
    const Array x = array({1, 2, 3}), m = array({{1, 2, 3}, {4, 5, 6}}), twice = array({1, 1, -1});
    EXPECT_EQ(text(set_item(x, {twice}, 7)), "int32[3] {1, 7, 7}");
    EXPECT_EQ(text(set_item(x, {twice}, array({7}))), "int32[3] {1, 7, 7}");
    EXPECT_EQ(text(set_item(Array::from<bool>({false, false}), {array({1, 1})}, true)),
              "bool[2] {false, true}");
    EXPECT_EQ(text(set_item(m, {array({1, 1})}, array({7, 8, 9}))),
              "int32[2,3] {{1, 2, 3}, {7, 8, 9}}");
    EXPECT_EQ(text(set_item(m, {slice(0, {}), twice}, array({{7}, {8}}))),
              "int32[2,3] {{1, 7, 7}, {4, 8, 8}}");
    EXPECT_THAT(message_of<ValueError>([&] { set_item(m, {array({1, 1})}, m); }),
                HasSubstr("of size 1 along the axes of the index arrays"));
}

TEST(SetItem, an_element_named_twice_has_its_gradient_once) {
    const Variable x(array({{1.0, 2.0}, {3.0, 4.0}})), row(array({5.0, 6.0})), one(array({7.0}));
    const Variable by_row = set_item(x, {array({1, 1})}, row),
                   by_one = set_item(x, {array({1, 1})}, one);
    const Variables g = grad({sum(by_row * by_row) + sum(by_one * by_one)}, {x, row, one});
    EXPECT_THAT(g[0].array().to_vector<double>(), ElementsAre(4, 8, 0, 0));
    EXPECT_THAT(g[1].array().to_vector<double>(), ElementsAre(10, 12));
    EXPECT_THAT(g[2].array().to_vector<double>(), ElementsAre(28));
}

TEST(SetItem, one_value_for_computed_places_does_not_cut_a_region) {
    if (!compiler_available()) GTEST_SKIP() << "there is no compiler";
    auto region = static_graph(
        [](const Variable& x, const Variable& at) { return set_item(x * 2, {at + 1}, 7.0) * 3; });
    const Variable x(array({1.0, 2.0, 3.0}), false), at(array({0, 0, 1}), false);
    for (int i = 0; i < 4; ++i)
        EXPECT_THAT(region(x, at).array().to_vector<double>(), ElementsAre(6, 21, 21));
    EXPECT_EQ(region.statistics().programs, 1) << region.explain();
}

TEST(SetItem, has_gradients_towards_both) {
    const Variable x(array({1.0, 2.0, 3.0})), v(array({4.0}));
    const Variable y = set_item(x, {slice(1, 2)}, v);
    const Variables g = grad({sum(y * y)}, {x, v});
    EXPECT_THAT(g[0].array().to_vector<double>(), ElementsAre(2, 0, 6));
    EXPECT_THAT(g[1].array().to_vector<double>(), ElementsAre(8));
}

TEST(SetItem, copyto_takes_a_mask) {
    Array x = array({1, 2, 3});
    copyto(x, array({7, 8, 9}), Array::from<bool>({true, false, true}));
    EXPECT_EQ(text(x), "int32[3] {7, 2, 9}");
    copyto(x, array({5}));
    EXPECT_EQ(text(x), "int32[3] {5, 5, 5}");
    EXPECT_THAT(message_of<DtypeError>([&] { copyto(x, array({0.5})); }),
                HasSubstr("dtypes must be equal"));
}

TEST(OutputSize, of_a_deconvolution_is_what_the_convolution_had) {
    for (int64_t size = 5; size < 12; ++size)
        for (int64_t k = 1; k < 4; ++k)
            for (int64_t s = 1; s < 3; ++s)
                for (int64_t p = 0; p < 2; ++p)
                    for (int64_t d = 1; d < 3; ++d) {
                        const int64_t out = get_conv_outsize(size, k, s, p, false, d);
                        const int64_t back = get_deconv_outsize(out, k, s, p, false, d);
                        EXPECT_TRUE(back <= size && back > size - s)
                            << size << ' ' << k << ' ' << s << ' ' << p << ' ' << d;
                        const int64_t all = get_conv_outsize(size, k, s, p, true, d);
                        const int64_t least = get_deconv_outsize(all, k, s, p, true, d);
                        EXPECT_TRUE(least <= size && least > size - s);
                    }
    EXPECT_THAT(message_of<ValueError>([] { get_deconv_outsize(0, 3, 1, 0); }),
                HasSubstr("size 0, k 3"));
}

TEST(Draws, uniform_and_normal_take_their_parameters) {
    set_seed(3);
    const std::vector<double> u =
        random_uniform(-3, 5, {4000}, Dtype::float64).array().to_vector<double>();
    for (double x : u) ASSERT_TRUE(x >= -3 && x < 5);
    EXPECT_NEAR(mean(array(u)).item<double>(), 1, 5 * 8 / std::sqrt(12.0 * 4000));
    const Array n = random_normal(10, 0.5, {4000}, Dtype::float64).array();
    EXPECT_NEAR(mean(n).item<double>(), 10, 5 * 0.5 / std::sqrt(4000.0));
    EXPECT_NEAR(variance(n).item<double>(), 0.25, 0.05);
    const Variable hits = random_bernoulli(0.25, {4000});
    EXPECT_EQ(hits.dtype(), Dtype::bool_);
    EXPECT_NEAR(sum(hits).item<double>() / 4000, 0.25, 5 * std::sqrt(0.1875 / 4000));
}

TEST(Draws, are_the_same_eager_and_compiled) {
    if (!compiler_available()) GTEST_SKIP() << "there is no compiler";
    const auto draw = [] {
        return std::vector<Variable>{randint(0, 100, {20}), permutation(30),
                                     choice(50, 5, {.replace = false}), random_uniform(0, 2, {8})};
    };
    auto region = static_graph(draw);
    set_seed(5);
    std::vector<std::string> eager, compiled;
    for (int call = 0; call < 3; ++call)
        for (const Variable& y : draw()) eager.push_back(text(y));
    set_seed(5);
    for (int call = 0; call < 3; ++call)
        for (const Variable& y : region()) compiled.push_back(text(y));
    EXPECT_EQ(eager, compiled);
    EXPECT_GT(region.statistics().compiled_calls, 0);
}

}  // namespace
}  // namespace catena
