// Links that are moved keep their identity: optimizers and regions go on with them.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "frontend/catena.h"

namespace catena {
namespace {

/// A network as users write them.
struct SmallNet : Chain {
    Linear a{3, 4}, b{4, 2};
    SmallNet() { add_children({{"a", a}, {"b", b}}); }
    Variable operator()(const Variable& x) { return b(tanh(a(x))); }
};
static_assert(std::is_nothrow_move_constructible_v<SmallNet> &&
              std::is_nothrow_move_constructible_v<Parameter>);

// A vector that grows moves its elements; copies would be other parameters than those that the
// optimizers have.
TEST(MovedLinks, networks_in_a_growing_vector_go_on_training) {
    std::vector<SmallNet> nets;
    std::vector<std::unique_ptr<SGD>> optimizers;
    for (int i = 0; i < 5; ++i) {
        nets.emplace_back();
        optimizers.push_back(std::make_unique<SGD>(0.1));
        optimizers.back()->setup(nets.back());
    }
    const Variable x(Array::full({Dtype::float32, {2, 3}}, 0.5), false);
    for (size_t i = 0; i < nets.size(); ++i) {
        const auto loss = [&] { return sum(square(nets[i](x) - 1.0)); };
        const float before = loss().item<float>();
        for (int k = 0; k < 3; ++k) optimizers[i]->update(loss);
        EXPECT_LT(loss().item<float>(), before) << i;
    }
}

TEST(MovedLinks, a_link_whose_parameters_were_taken_may_be_assigned) {
    Linear net(3, 4);
    const Linear copied = net;
    Linear teacher = std::move(net);
    EXPECT_TRUE(net.update_enabled());
    net.disable_update();
    net = teacher;
    EXPECT_EQ(net.W.array().to_vector<float>(), copied.W.array().to_vector<float>());
    EXPECT_EQ(net.W.name(), "/W");
    EXPECT_NE(net.W.body(), teacher.W.body());
}

}  // namespace
}  // namespace catena
