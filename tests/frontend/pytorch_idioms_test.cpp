// Lines as people write them who know PyTorch: they compile, and give the numbers that PyTorch
// gives.
#include <cmath>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/catena.h"

namespace ct = catena;

namespace catena {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(PytorchIdioms, tensors_have_its_dtypes) {
    EXPECT_EQ(to_string(ct::tensor({1.0, 2.5}).array()), "float32[2] {1, 2.5}");
    EXPECT_EQ(to_string(ct::tensor({{1, 2}, {3, 4}}).array()), "int64[2,2] {{1, 2}, {3, 4}}");
    EXPECT_EQ(ct::tensor({true}).dtype(), Dtype::bool_);
    EXPECT_EQ(ct::tensor(1.5).shape(), Shape{});
    EXPECT_EQ(ct::tensor(std::vector<double>{1, 2}, {.dtype = ct::float64}).dtype(), ct::float64);
    EXPECT_EQ(ct::tensor(ct::array({1.0})).dtype(), ct::float64);
    ct::Variable x = ct::tensor({1.0, 2.0}, {.requires_grad = true});
    (x * x).sum().backward();
    EXPECT_THAT(x.grad().to_vector<float>(), ElementsAre(2, 4));
    EXPECT_FALSE(ct::tensor({1.0}).requires_grad());
    EXPECT_THROW(ct::tensor({1}, {.requires_grad = true}), DtypeError);
}

TEST(PytorchIdioms, random_numbers_are_repeated_by_a_seed) {
    ct::manual_seed(3);
    const ct::Variable x = ct::randn({2, 3}), y = ct::randn(2, 3), u = ct::rand({1000});
    ct::manual_seed(3);
    EXPECT_TRUE(ct::array_equal(x, ct::randn(2, 3)));
    EXPECT_FALSE(ct::array_equal(x, y));
    EXPECT_EQ(x.shape(), (Shape{2, 3}));
    EXPECT_TRUE(u.min().item() >= 0 && u.max().item() < 1 && std::abs(u.mean().item() - .5) < .1);
    EXPECT_TRUE(ct::randn({2}, {.requires_grad = true}).requires_grad());
    EXPECT_EQ(ct::rand({2}, {.dtype = ct::float64}).dtype(), ct::float64);
}

TEST(PytorchIdioms, join_and_pick) {
    const ct::Variable x(ct::array({{1.f, 2.f}, {3.f, 4.f}}));
    EXPECT_EQ(ct::cat({x, x}).shape(), (Shape{4, 2}));
    EXPECT_EQ(ct::cat({x, x}, 1).shape(), (Shape{2, 4}));
    EXPECT_THAT(ct::masked_fill(x, x > 2, -1).to_vector<float>(), ElementsAre(1, 2, -1, -1));
    EXPECT_THAT(ct::gather(x, 1, ct::array({{1}, {0}})).to_vector<float>(), ElementsAre(2, 3));
    const ct::Array five = ct::arange(5);
    const ct::Variables parts = ct::chunk(five, 4);  // 2, 2 and 1
    ASSERT_EQ(parts.size(), 3u);
    EXPECT_EQ(parts[2].shape(), Shape{1});
    EXPECT_EQ(ct::chunk(x, 2, 1)[1].shape(), (Shape{2, 1}));
    EXPECT_THROW(ct::chunk(x, 0), ValueError);
    EXPECT_THAT(ct::clamp(x, 2, 3).to_vector<float>(), ElementsAre(2, 2, 3, 3));
    EXPECT_THAT(ct::clamp(x, 2).to_vector<float>(), ElementsAre(2, 2, 3, 4));
}

TEST(PytorchIdioms, losses) {
    const ct::Variable y(ct::array({{2.f, 0.f, 0.f}, {0.f, 1.f, 0.f}, {5.f, 0.f, 0.f}}));
    const double first = std::log(std::exp(2) + 2) - 2, second = std::log(std::exp(1) + 2);
    EXPECT_NEAR(ct::cross_entropy(y, ct::array({0, 2, -100})).item(), (first + second) / 2, 1e-6);
    EXPECT_THROW(ct::cross_entropy(y, ct::array({0, 2, -1})), ValueError);
    EXPECT_NEAR(ct::mse_loss(y, y - 2).item(), 4, 1e-6);
    EXPECT_NEAR(ct::l1_loss(y, y - 2).item(), 2, 1e-6);
}

TEST(PytorchIdioms, functions_are_layers) {
    const ct::Variable x(ct::ones({2, 1, 5, 5}));
    ct::Sequential net(ct::Convolution2D(1, 4, 3), ct::tanh, ct::sqrt, ct::absolute, ct::exp,
                       ct::floor, ct::sigmoid, ct::leaky_relu, ct::flatten);
    EXPECT_EQ(net(x).shape(), Shape{72});
    EXPECT_EQ(ct::Sequential(ct::log, ct::sin, ct::cos, ct::erf)(x).shape(), x.shape());
}

TEST(PytorchIdioms, a_step_of_training) {
    ct::set_seed(1);
    struct Net : ct::Chain {
        ct::Linear fc1{2, 4}, fc2{4, 2};
        Net() { add_children({{"fc1", fc1}, {"fc2", fc2}}); }
        ct::Variable operator()(const ct::Variable& x) { return fc2(ct::relu(fc1(x))); }
    } net;
    net.to("cpu");
    ct::Adam optimizer(1e-2);
    optimizer.setup(net);
    const ct::Variable x = ct::tensor({{1.0, 2.0}, {-3.0, 4.0}}), t = ct::tensor({0, 1});
    const double before = ct::cross_entropy(net(x), t).item();
    for (int i = 0; i < 20; ++i) {
        optimizer.zero_grad();
        ct::cross_entropy(net(x), t).backward();
        optimizer.step();
    }
    EXPECT_LT(ct::cross_entropy(net(x), t).item(), before - .1);
    EXPECT_EQ(optimizer.t(), 20);
    EXPECT_EQ(net.parameters().size(), 4u);
    EXPECT_EQ(net.named_parameters()[0].first, "/fc1/W");
    EXPECT_GT(float(net.fc1.W.grad().norm()), 0.f);
    net.zero_grad();
    EXPECT_FALSE(net.fc1.W.grad().defined());
    EXPECT_THROW(ct::Adam().zero_grad(), ValueError);
    const auto no_grad = ct::no_grad();
    EXPECT_FALSE(net(x).requires_grad());
}

}  // namespace
}  // namespace catena
