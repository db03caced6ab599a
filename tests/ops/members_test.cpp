// Members of Array and Variable give what the functions of the same names give: values, gradients,
// the user's line in errors, and the same programs in regions.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"

namespace catena {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <class X>
std::string shown(const X& x) {
    return to_string(Variable(x).array());
}

/// Checks that members and functions agree, of the array and of a variable of it.
void agree(const Array& x, const auto& member, const auto& function,
           const std::source_location& at = std::source_location::current()) {
    const testing::ScopedTrace trace(at.file_name(), int(at.line()), "member");
    const Variable v(x);
    const Array of_array = member(x);
    const Variable of_variable = member(v), expected = function(v);
    EXPECT_EQ(shown(of_array), shown(expected));
    EXPECT_EQ(shown(of_variable), shown(expected));
    EXPECT_EQ(of_variable.requires_grad(), expected.requires_grad());
    if (!expected.requires_grad()) return;
    const Variable start(ones_like(expected) * 2);
    EXPECT_EQ(shown(grad({of_variable}, {v}, {start})[0]),
              shown(grad({expected}, {v}, {start})[0]));
}

#define CATENA_AGREE(of, member, function)          \
    agree(                                          \
        of, [](const auto& x) { return x.member; }, \
        [](const Variable& x) { return Variable(function); })

TEST(Members, change_shapes) {
    const Array x = reshape(arange(6), {2, 3}).array().astype(Dtype::float32),
                column = x.reshape(6, 1);
    CATENA_AGREE(x, reshape({3, 2}), reshape(x, {3, 2}));
    CATENA_AGREE(x, reshape({6}), reshape(x, {6}));
    CATENA_AGREE(x, reshape(3, -1), reshape(x, {3, 2}));
    CATENA_AGREE(x, reshape(-1), reshape(x, {6}));
    CATENA_AGREE(x, view({3, -1}), reshape(x, {3, 2}));
    CATENA_AGREE(x, view(-1), reshape(x, {6}));
    CATENA_AGREE(x, transpose(), transpose(x));
    CATENA_AGREE(x, transpose({1, 0}), transpose(x));
    CATENA_AGREE(x, transpose(1, 0), transpose(x));
    CATENA_AGREE(x, permute({1, 0}), transpose(x));
    CATENA_AGREE(x, permute(1, 0), transpose(x));
    CATENA_AGREE(x, T(), transpose(x));
    CATENA_AGREE(x, t(), transpose(x));
    CATENA_AGREE(x, swapaxes(0, -1), swapaxes(x, 0, -1));
    CATENA_AGREE(x, flatten(), flatten(x));
    CATENA_AGREE(x, ravel(), flatten(x));
    CATENA_AGREE(column, squeeze(), squeeze(x));
    CATENA_AGREE(column, squeeze(1), squeeze(x));
    CATENA_AGREE(column, squeeze({1}), squeeze(x));
    CATENA_AGREE(x, unsqueeze(-1), expand_dims(x, -1));
    CATENA_AGREE(column, expand({6, 2}), broadcast_to(x, {6, 2}));
    CATENA_AGREE(column, expand(4, -1, 2), broadcast_to(x, {4, 6, 2}));
    CATENA_AGREE(x, gather(1, array({{2}, {0}})), take_along_axis(x, array({{2}, {0}}), 1));
    CATENA_AGREE(x, copy(), copy(x));
    CATENA_AGREE(x, clone(), copy(x));
}

TEST(Members, reduce) {
    const Array x = array({{3.f, 1.f, -2.f}, {4.f, 1.f, 5.f}});
    CATENA_AGREE(x, sum(), sum(x));
    CATENA_AGREE(x, sum(1), sum(x, 1));
    CATENA_AGREE(x, sum(-1, true), sum(x, 1, true));
    CATENA_AGREE(x, sum({0, 1}), sum(x));
    CATENA_AGREE(x, sum({}, true), sum(x, {}, true));
    CATENA_AGREE(x, prod(0), prod(x, 0));
    CATENA_AGREE(x, mean(0), mean(x, 0));
    CATENA_AGREE(x, max(1), max(x, 1));
    CATENA_AGREE(x, min(), min(x));
    CATENA_AGREE(x, std(), standard_deviation(x));
    CATENA_AGREE(x, std(1, true, 1), standard_deviation(x, 1, true, 1));
    CATENA_AGREE(x, var(0), variance(x, 0));
    CATENA_AGREE(x, norm(), norm(x));
    CATENA_AGREE(x, norm(1, 0), norm(x, 1, 0));
    CATENA_AGREE(x, all(1), all(x, 1));
    CATENA_AGREE(x, any(), any(x));
    CATENA_AGREE(x, argmax(), argmax(x));
    CATENA_AGREE(x, argmax(1), argmax(x, 1));
    CATENA_AGREE(x, argmin(0), argmin(x, 0));
    CATENA_AGREE(x, argsort(), argsort(x));
    CATENA_AGREE(x, cumsum(), cumsum(x));
    CATENA_AGREE(x, cumsum(1), cumsum(x, 1));
    CATENA_AGREE(x, cumprod(0), cumprod(x, 0));
}

TEST(Members, compute_with_elements) {
    const Array x = array({{0.5f, 1.f}, {2.f, 1.75f}}), signs = x - 1.f;
    CATENA_AGREE(x, clip(1, 1.8), clip(x, 1, 1.8));
    CATENA_AGREE(x, clip({}, 1), clip(x, {}, 1));
    CATENA_AGREE(x, clamp(1, std::nullopt), clip(x, 1, {}));
    CATENA_AGREE(x, round(1), round(x, 1));
    CATENA_AGREE(signs, abs(), absolute(x));
    CATENA_AGREE(x, pow(3), pow(x, 3));
    CATENA_AGREE(x, sqrt(), sqrt(x));
    CATENA_AGREE(x, exp(), exp(x));
    CATENA_AGREE(x, log(), log(x));
    CATENA_AGREE(signs, tanh(), tanh(x));
    CATENA_AGREE(signs, sigmoid(), sigmoid(x));
    CATENA_AGREE(signs, relu(), relu(x));
    CATENA_AGREE(x, softmax(-1), softmax(x, 1));
    CATENA_AGREE(x, log_softmax(0), log_softmax(x, 0));
    CATENA_AGREE(x, dot(x), dot(x, x));
    CATENA_AGREE(x, matmul(x), matmul(x, x));
    CATENA_AGREE(x, mm(x), matmul(x, x));
    CATENA_AGREE(x, to(Dtype::float64), cast(x, Dtype::float64));
    CATENA_AGREE(x, astype("float64"), cast(x, Dtype::float64));
}

TEST(Members, tell_sizes_and_numbers) {
    const Array x = reshape(arange(6), {2, 3});
    const Variable v(x);
    EXPECT_EQ(x.ndim(), 2);
    EXPECT_EQ(v.dim(), 2);
    EXPECT_EQ(x.size(-1), 3);
    EXPECT_EQ(v.dim(0), 2);
    EXPECT_EQ(v.size(1), 3);
    EXPECT_EQ(v.numel(), 6);
    EXPECT_EQ(x.shape()[-1], 3);
    EXPECT_EQ(v.shape()[-2], 2);
    EXPECT_THAT(v.to_vector<int>(), ElementsAre(0, 1, 2, 3, 4, 5));
    EXPECT_EQ(x.sum().item(), 15.0);
    EXPECT_EQ(float(v.sum()), 15.f);
    EXPECT_EQ(int(x[{1, 2}]), 5);
    EXPECT_EQ(int64_t(Variable(array(int64_t(1) << 60))), int64_t(1) << 60);
    EXPECT_EQ(&v.to("cpu").device(), &x.device());
    static_assert(!std::is_convertible_v<Array, float> && !std::is_convertible_v<Variable, double>);
    EXPECT_THROW(static_cast<float>(x), ShapeError);
    EXPECT_THROW(x.size(2), ShapeError);
    EXPECT_THROW(x.astype("float33"), DtypeError);
}

/// The text of the error that f throws.
std::string error_of(const auto& f) {
    try {
        f();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(Members, name_the_line_that_calls_them) {
    const Array x = zeros({2, 3, 4});
    const Variable v(x);
    EXPECT_THAT(error_of([&] { x.reshape(5, 5); }), HasSubstr("members_test.cpp"));
    EXPECT_THAT(error_of([&] { v.reshape({5, 5}); }), HasSubstr("members_test.cpp"));
    EXPECT_THAT(error_of([&] { v.sum(3); }), HasSubstr("members_test.cpp"));
    EXPECT_THAT(error_of([&] { v.view(-1, 7); }), HasSubstr("members_test.cpp"));
    // PyTorch exchanges two axes by transpose.
    EXPECT_THAT(error_of([&] { v.transpose(0, 1); }), HasSubstr("swapaxes exchanges two of them"));
    const Array matrix = zeros({2, 3});
    EXPECT_THAT(error_of([&] { matrix.transpose(0, 1); }), HasSubstr("swapaxes(0, 1) or T()"));
    EXPECT_THAT(error_of([&] { matrix.transpose(-2, -1); }), HasSubstr("members_test.cpp"));
    EXPECT_EQ(matrix.transpose({0, 1}).shape(), (Shape{2, 3}));
    EXPECT_THAT(error_of([&] { v.t(); }), HasSubstr("t: x [2,3,4] has 3 axes"));
    EXPECT_THAT(error_of([&] { v.mm(v); }), HasSubstr("mm: a [2,3,4] and b [2,3,4]"));
    EXPECT_THAT(error_of([&] { v.flatten(2, 1); }), HasSubstr("flatten: axis 2 is behind axis 1"));
    EXPECT_THAT(error_of([&] { v.expand(-1, 2, 3, 4); }), HasSubstr("no such axis"));
}

TEST(Members, flatten_keeps_what_is_before_and_behind) {
    const Variable x(zeros({2, 3, 4, 5}));
    EXPECT_EQ(x.flatten(1).shape(), (Shape{2, 60}));
    EXPECT_EQ(flatten(x, 1, 2).shape(), (Shape{2, 12, 5}));
    EXPECT_EQ(flatten(x, -2).shape(), (Shape{2, 3, 20}));
    EXPECT_EQ(flatten(array(1.f)).shape(), Shape{1});
    EXPECT_EQ(zeros({0, 3}).flatten().shape(), Shape{0});
}

TEST(Members, are_recorded_in_regions) {
    const Array weights = array({{1.f, -2.f}, {0.5f, 3.f}});
    const auto f = [&](const Variable& x) {
        const Array shift = weights.exp().sum(0).sqrt();  // Arrays of arrays, in the region
        const Variable h = x.matmul(weights).relu() + shift;
        return (h.softmax(1) * h.T().reshape(-1, 2)).clip(-1, 5).mean(1).sum();
    };
    const auto by_functions = [&](const Variable& x) {
        const Array shift = sqrt(sum(exp(weights), 0));
        const Variable h = relu(matmul(x, weights)) + shift;
        return sum(mean(clip(softmax(h, 1) * reshape(transpose(h), {-1, 2}), -1, 5), 1));
    };
    auto region = static_graph(f);
    auto reference = static_graph(by_functions);
    const Variable x(array({{1.f, 2.f}, {-1.f, 0.25f}}));
    for (int call = 0; call < 4; ++call) {
        const Variable y = region(x), expected = reference(x);
        EXPECT_EQ(y.item(), expected.item());
        EXPECT_EQ(shown(grad({y}, {x})[0]), shown(grad({expected}, {x})[0]));
        EXPECT_NEAR(y.item(), f(x).item(), 1e-5);
    }
    if (compiler_available()) {
        EXPECT_EQ(region.statistics().cuts, reference.statistics().cuts);
        EXPECT_EQ(region.statistics().cuts, 0);
    }
}

TEST(Members, read_numbers_where_a_region_is_cut) {
    auto region = static_graph([](const Variable& x) { return x * float(x.sum()); });
    for (int call = 0; call < 3; ++call) {
        const Variable x(array({1.f, float(call)}));
        EXPECT_THAT(region(x).to_vector<float>(), ElementsAre(1 + call, (1 + call) * call));
    }
}

TEST(Members, of_undefined_handles_are_errors) {
    const Array none;
    const Variable nothing;
    EXPECT_THROW(none.sum(), Error);
    EXPECT_THROW(none.reshape(2), Error);
    EXPECT_THROW(nothing.sum(), Error);
    EXPECT_THROW(nothing.T(), Error);
    EXPECT_THROW(static_cast<float>(nothing), Error);
}

}  // namespace
}  // namespace catena
