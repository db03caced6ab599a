// Lines as people write them who know NumPy, PyTorch or Chainer: they compile, and give the numbers
// that NumPy gives.
#include <cmath>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/catena.h"

namespace ct = catena;

namespace catena {
namespace {

using Numbers = std::vector<double>;

/// `got` has this shape and, to float32's precision, these numbers in row-major order.
void gives(const Variable& got, const Shape& shape, const Numbers& numbers,
           std::source_location at = std::source_location::current()) {
    const testing::ScopedTrace trace(at.file_name(), int(at.line()), "the idiom");
    EXPECT_EQ(got.shape(), shape);
    const auto found = got.array().astype(Dtype::float64).to_vector<double>();
    EXPECT_THAT(found, testing::Pointwise(testing::DoubleNear(1e-5), numbers));
}

TEST(Idioms, create_arrays) {
    gives(ct::zeros({2, 3}), {2, 3}, Numbers(6, 0));
    gives(ct::ones({2}), {2}, {1, 1});
    gives(ct::full({2, 2}, 7), {2, 2}, {7, 7, 7, 7});
    gives(ct::array({1, 2, 3}), {3}, {1, 2, 3});
    gives(ct::array({{1.0, 2.0}, {3.0, 4.0}}), {2, 2}, {1, 2, 3, 4});
    gives(ct::array(std::vector<float>{1, 2}), {2}, {1, 2});
    gives(ct::arange(5), {5}, {0, 1, 2, 3, 4});
    gives(ct::arange(2, 8, 2), {3}, {2, 4, 6});
    gives(ct::arange(0.0, 1.0, 0.25), {4}, {0, .25, .5, .75});
    gives(ct::linspace(0, 1, 3), {3}, {0, .5, 1});
    gives(ct::eye(2), {2, 2}, {1, 0, 0, 1});
    gives(ct::identity(2), {2, 2}, {1, 0, 0, 1});
    gives(ct::diag(ct::array({1, 2})), {2, 2}, {1, 0, 0, 2});
    gives(ct::tri(2), {2, 2}, {1, 0, 1, 1});
    const ct::Array x = ct::array({{1.f, 2.f}});
    gives(ct::zeros_like(x), {1, 2}, {0, 0});
    gives(ct::ones_like(x), {1, 2}, {1, 1});
    gives(ct::full_like(x, 3), {1, 2}, {3, 3});
    EXPECT_EQ(ct::empty_like(x).shape(), x.shape());
    gives(ct::zeros({2}, ct::Dtype::int32), {2}, {0, 0});
    gives(ct::arange(3) * 1.0f, {3}, {0, 1, 2});
    gives(ct::random_normal({3, 2}) * 0, {3, 2}, Numbers(6, 0));
    gives(ct::random_uniform({4}) * 0, {4}, Numbers(4, 0));
    gives(ct::randint(0, 1, {3}), {3}, {0, 0, 0});
    gives(ct::array(3.5), {}, {3.5});
}

TEST(Idioms, change_shapes) {
    const ct::Array x = ct::arange(6).astype(ct::Dtype::float32), m = ct::reshape(x, {2, 3});
    gives(ct::reshape(x, {2, 3}), {2, 3}, {0, 1, 2, 3, 4, 5});
    gives(ct::reshape(x, {2, -1}), {2, 3}, {0, 1, 2, 3, 4, 5});
    gives(ct::transpose(m), {3, 2}, {0, 3, 1, 4, 2, 5});
    gives(ct::transpose(m, {1, 0}), {3, 2}, {0, 3, 1, 4, 2, 5});
    gives(ct::flatten(m), {6}, {0, 1, 2, 3, 4, 5});
    gives(ct::ravel(m), {6}, {0, 1, 2, 3, 4, 5});
    gives(ct::squeeze(ct::reshape(x, {1, 6})), {6}, {0, 1, 2, 3, 4, 5});
    gives(ct::expand_dims(x, 0), {1, 6}, {0, 1, 2, 3, 4, 5});
    gives(ct::concatenate({x, x}), {12}, {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5});
    gives(ct::concatenate({m, m}, 1), {2, 6}, {0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5});
    gives(ct::stack({x, x}), {2, 6}, {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5});
    gives(ct::vstack({m, m}), {4, 3}, {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5});
    gives(ct::hstack({m, m}), {2, 6}, {0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5});
    gives(ct::split(x, 2)[1], {3}, {3, 4, 5});
    gives(ct::tile(x, {2}), {12}, {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5});
    gives(ct::tile(x, 2), {12}, {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5});
    gives(ct::repeat(ct::array({1, 2}), 2), {4}, {1, 1, 2, 2});
    gives(ct::broadcast_to(ct::array({1, 2}), {2, 2}), {2, 2}, {1, 2, 1, 2});
    gives(ct::swapaxes(m, 0, 1), {3, 2}, {0, 3, 1, 4, 2, 5});
    gives(ct::moveaxis(m, 0, 1), {3, 2}, {0, 3, 1, 4, 2, 5});
    gives(ct::flip(x, 0), {6}, {5, 4, 3, 2, 1, 0});
    gives(ct::flip(x), {6}, {5, 4, 3, 2, 1, 0});
    gives(ct::roll(x, 1), {6}, {5, 0, 1, 2, 3, 4});
    gives(ct::pad(ct::array({1, 2}), {1}, {1}), {4}, {0, 1, 2, 0});
    gives(ct::atleast_2d(x), {1, 6}, {0, 1, 2, 3, 4, 5});
    gives(ct::flipud(m), {2, 3}, {3, 4, 5, 0, 1, 2});
    gives(ct::split(m, std::vector<int64_t>{1}, 1)[1], {2, 2}, {1, 2, 4, 5});
    gives(ct::triu(m), {2, 3}, {0, 1, 2, 0, 4, 5});
    gives(ct::meshgrid({x, x})[0], {6, 6}, [] {
        Numbers rows;
        for (int i = 0; i < 36; ++i) rows.push_back(i % 6);
        return rows;
    }());
    EXPECT_EQ(m.shape()[0], 2);
    EXPECT_EQ(m.size(), 6);
    EXPECT_EQ(m.rank(), 2);
    EXPECT_EQ(m.dim(1), 3);
}

TEST(Idioms, index_and_assign) {
    ct::Array x = ct::reshape(ct::arange(6), {2, 3}).astype(ct::Dtype::float32);
    gives(x[0], {3}, {0, 1, 2});
    gives(x[-1], {3}, {3, 4, 5});
    gives(x[{0, 1}], {}, {1});
    gives(x[0][1], {}, {1});
    gives(x[{ct::slice(), 1}], {2}, {1, 4});
    gives(x[{ct::slice(0, 1), ct::slice(1, {})}], {1, 2}, {1, 2});
    gives(x[ct::slice({}, {}, -1)], {2, 3}, {3, 4, 5, 0, 1, 2});
    gives(x[{ct::ellipsis, 0}], {2}, {0, 3});
    gives(x[{ct::newaxis, 0}], {1, 3}, {0, 1, 2});
    gives(x[x > 2], {3}, {3, 4, 5});
    gives(x[ct::array({1, 0})], {2, 3}, {3, 4, 5, 0, 1, 2});
    gives(ct::take(x, ct::array({2, 0}), 1), {2, 2}, {2, 0, 5, 3});
    gives(ct::where(x > 2, x, 0), {2, 3}, {0, 0, 0, 3, 4, 5});
    gives(ct::where(x > 2, 1.0, 0.0), {2, 3}, {0, 0, 0, 1, 1, 1});
    EXPECT_EQ((x[{1, 2}].item<float>()), 5);
    x = ct::set_item(x, {0}, 9);
    gives(x, {2, 3}, {9, 9, 9, 3, 4, 5});
    x = ct::set_item(x, {1, 0}, -1);
    gives(x, {2, 3}, {9, 9, 9, -1, 4, 5});
    x = ct::set_item(x, {ct::slice(), 0}, ct::array({7.f, 8.f}));
    gives(x, {2, 3}, {7, 9, 9, 8, 4, 5});
    x = ct::set_item(x, {x > 8}, 0);
    gives(x, {2, 3}, {7, 0, 0, 8, 4, 5});
    x = ct::where(x > 7, 0.0, x);
    gives(x, {2, 3}, {7, 0, 0, 0, 4, 5});
    const ct::Array copy = ct::copy(x);
    gives(copy, {2, 3}, {7, 0, 0, 0, 4, 5});
}

TEST(Idioms, compute_with_elements) {
    ct::Array x = ct::array({1.f, 4.f, 9.f}), y = ct::array({3.f, 2.f, 1.f});
    gives(x + y, {3}, {4, 6, 10});
    gives(x - 1, {3}, {0, 3, 8});
    gives(2 * x, {3}, {2, 8, 18});
    gives(1 / x, {3}, {1, .25, 1 / 9.});
    gives(x / y, {3}, {1 / 3., 2, 9});
    gives(-x, {3}, {-1, -4, -9});
    gives(ct::pow(x, 2), {3}, {1, 16, 81});
    gives(ct::power(x, 2), {3}, {1, 16, 81});
    gives(ct::square(y), {3}, {9, 4, 1});
    gives(ct::sqrt(x), {3}, {1, 2, 3});
    gives(ct::exp(ct::log(x)), {3}, {1, 4, 9});
    gives(ct::abs(-x), {3}, {1, 4, 9});
    gives(ct::absolute(-x), {3}, {1, 4, 9});
    gives(ct::maximum(x, y), {3}, {3, 4, 9});
    gives(ct::maximum(x, 2), {3}, {2, 4, 9});
    gives(ct::minimum(x, 2.0), {3}, {1, 2, 2});
    gives(ct::clip(x, 2, 5), {3}, {2, 4, 5});
    gives(ct::sin(x * 0), {3}, {0, 0, 0});
    gives(ct::floor(y / 2), {3}, {1, 1, 0});
    gives(ct::round(y / 2), {3}, {2, 1, 0});
    gives(ct::floor_divide(x, y), {3}, {0, 2, 9});
    gives(x % 3, {3}, {1, 1, 0});
    gives(ct::mod(x, 3), {3}, {1, 1, 0});
    gives(ct::sign(x - 4), {3}, {-1, 0, 1});
    gives((x > 1) & (x < 9), {3}, {0, 1, 0});
    gives((x > 1) && (x < 9), {3}, {0, 1, 0});
    gives(!(x > 1), {3}, {1, 0, 0});
    gives(~(x > 1), {3}, {1, 0, 0});
    gives(ct::equal(x, y), {3}, {0, 0, 0});
    gives(x != 4, {3}, {1, 0, 1});
    gives(ct::logical_and(x > 1, x < 9), {3}, {0, 1, 0});
    gives(ct::isnan(x), {3}, {0, 0, 0});
    gives(ct::arctan2(x * 0, x), {3}, {0, 0, 0});
    gives(ct::nan_to_num(x / 0 * 0), {3}, {0, 0, 0});
    gives(ct::logaddexp(x * 0, x * 0), {3}, Numbers(3, std::numbers::ln2));
    gives(ct::isin(x, ct::array({4.f})), {3}, {0, 1, 0});
    EXPECT_TRUE(ct::allclose(x, x + 1e-9));
    EXPECT_TRUE(ct::array_equal(x, x));
    x += 1;
    gives(x, {3}, {2, 5, 10});
    x *= y;
    gives(x, {3}, {6, 10, 10});
    x -= ct::exp(y * 0);
    gives(x, {3}, {5, 9, 9});
    x /= 2;
    gives(x, {3}, {2.5, 4.5, 4.5});
}

TEST(Idioms, reduce_sort_and_count) {
    const ct::Array x = ct::array({{3.f, 1.f}, {2.f, 4.f}});
    gives(ct::sum(x), {}, {10});
    gives(ct::sum(x, 0), {2}, {5, 5});
    gives(ct::sum(x, {0, 1}), {}, {10});
    gives(ct::sum(x, -1, true), {2, 1}, {4, 6});
    gives(ct::mean(x, 0), {2}, {2.5, 2.5});
    gives(ct::max(x), {}, {4});
    gives(ct::max(x, 1), {2}, {3, 4});
    gives(ct::min(x, 0), {2}, {2, 1});
    gives(ct::argmax(x, 1), {2}, {0, 1});
    gives(ct::argmin(x), {}, {1});
    gives(ct::prod(x), {}, {24});
    gives(ct::standard_deviation(x), {}, {std::sqrt(1.25)});
    gives(ct::variance(x), {}, {1.25});
    gives(ct::median(x), {}, {2.5});
    gives(ct::percentile(x, 50), {}, {2.5});
    gives(ct::nansum(x), {}, {10});
    gives(ct::cumsum(x, 0), {2, 2}, {3, 1, 5, 5});
    gives(ct::searchsorted(ct::array({1, 3, 5}), ct::array({4})), {1}, {2});
    gives(ct::interp(ct::array({.5}), ct::array({0., 1.}), ct::array({2., 4.})), {1}, {3});
    gives(ct::sort(x), {2, 2}, {1, 3, 2, 4});
    gives(ct::argsort(x, 1), {2, 2}, {1, 0, 0, 1});
    gives(ct::any(x > 3), {}, {1});
    gives(ct::all(x > 3, 0), {2}, {0, 0});
    gives(ct::unique(ct::array({2, 1, 2})), {2}, {1, 2});
    gives(ct::bincount(ct::array({0, 2, 2})), {3}, {1, 0, 2});
    gives(ct::nonzero(ct::array({0, 5, 6}))[0], {2}, {1, 2});
    gives(ct::diff(ct::array({1, 4, 9})), {2}, {3, 5});
    EXPECT_EQ(ct::sum(x).item<float>(), 10);
    EXPECT_EQ(ct::count_nonzero(x > 1).item<int64_t>(), 3);
}

TEST(Idioms, multiply_matrices) {
    const ct::Array a = ct::array({{1.f, 2.f}, {3.f, 4.f}}), v = ct::array({1.f, 1.f});
    gives(ct::matmul(a, a), {2, 2}, {7, 10, 15, 22});
    gives(ct::dot(a, v), {2}, {3, 7});
    gives(ct::dot(v, v), {}, {2});
    gives(ct::matmul(a, ct::transpose(a)), {2, 2}, {5, 11, 11, 25});
    gives(ct::inv(a), {2, 2}, {-2, 1, 1.5, -.5});
    gives(ct::solve(a, v), {2}, {-1, 1});
    gives(ct::det(a), {}, {-2});
    gives(ct::trace(a), {}, {5});
    gives(ct::norm(v), {}, {std::numbers::sqrt2});
    gives(ct::outer(v, v), {2, 2}, {1, 1, 1, 1});
    gives(ct::einsum("ij,jk->ik", a, a), {2, 2}, {7, 10, 15, 22});
    gives(ct::einsum("ii", {a}), {}, {5});
    gives(ct::tensordot(a, a, 1), {2, 2}, {7, 10, 15, 22});
    gives(ct::kron(v, v), {4}, {1, 1, 1, 1});
}

TEST(Idioms, convert_read_and_print) {
    const ct::Array x = ct::array({1.5f, 2.5f});
    gives(x.astype(ct::Dtype::int32), {2}, {1, 2});
    gives(x.astype(ct::int32), {2}, {1, 2});
    gives(ct::cast(x, ct::Dtype::float64), {2}, {1.5, 2.5});
    EXPECT_THAT(x.to_vector<float>(), testing::ElementsAre(1.5f, 2.5f));
    EXPECT_EQ(x.data<float>()[1], 2.5f);
    std::ostringstream out;
    out << x << x.shape() << x.dtype();
    EXPECT_EQ(out.str(), "[1.5 2.5][2]float32");
    float total = 0;
    for (float value : x.to_vector<float>()) total += value;
    for (int64_t i = 0; i < x.dim(0); ++i) total += x[i].item<float>();
    EXPECT_EQ(total, 8);
    ct::Array none;
    EXPECT_FALSE(none.defined());
    const ct::Shape shape = {2, 3};
    gives(ct::zeros(shape), {2, 3}, Numbers(6, 0));
}

TEST(Idioms, differentiate) {
    ct::Variable x(ct::array({1.f, 2.f}));
    ct::Variable y = ct::sum(x * x);
    y.backward();
    gives(x.grad(), {2}, {2, 4});
    x.cleargrad();
    ct::sum(ct::exp(x * 0)).backward();
    gives(x.grad(), {2}, {0, 0});
    gives(ct::grad(ct::sum(x * 3), x), {2}, {3, 3});
    gives(ct::grad({ct::sum(x * 3)}, {x})[0], {2}, {3, 3});
    gives(x.detach(), {2}, {1, 2});
    gives(x.array(), {2}, {1, 2});
    EXPECT_EQ(ct::sum(x).item<float>(), 3);
    {
        auto no_grad = ct::no_backprop_mode();
        EXPECT_FALSE(ct::sum(x).requires_grad());
    }
    ct::Parameter W(ct::ones({2}));
    ct::sum(W * x.detach()).backward();
    gives(W.grad(), {2}, {1, 2});
    W -= 0.5 * W.grad();
    gives(W, {2}, {.5, 0});
}

TEST(Idioms, go_through_batches) {
    const ct::Array images = ct::reshape(ct::arange(10), {5, 2}), labels = ct::arange(5);
    ct::SerialIterator iterator({images, labels}, 2, {.repeat = false, .shuffle = false});
    std::vector<int64_t> sizes;
    for (auto& batch : iterator) {
        sizes.push_back(batch[0].shape()[0]);
        EXPECT_EQ(batch[1].shape()[0], sizes.back());
    }
    EXPECT_THAT(sizes, testing::ElementsAre(2, 2, 1));
    for (auto& batch : iterator) ADD_FAILURE() << "the only epoch is over: " << batch[0].shape();
    iterator.reset();
    for (const auto& batch : iterator) {
        gives(batch[0], {2, 2}, {0, 1, 2, 3});
        break;
    }
}

}  // namespace
}  // namespace catena
