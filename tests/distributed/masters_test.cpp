// float32 masters of an optimizer of several ranks: the gradients are averaged in 16 bits and used
// in float32.
#include "frontend/optimizer/masters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/catena.h"
#include "frontend/optimizer/loss_scaling.h"
#include "runtime/comm/local.h"
#include "runtime/graph/settings/mixed16.h"

namespace catena {
namespace {

struct Weights : Chain {
    Parameter a;
    Weights() : a(Array::full({Dtype::float16, {4}}, 0.5), "a") { add_param("a", a); }
};

/// Exact in float16, as is the mean over two ranks.
Variable gradient(int rank, int step) {
    return Variable(Array::from<float>({1, -2, 0.5f, float(step)}).astype(Dtype::float16), false) *
           (rank + 1);
}

struct Trained {
    std::vector<float> master, param;
};

template <class Gradient>
Trained train(bool compiled, bool scaled, const std::shared_ptr<Communicator>& comm,
              const Gradient& gradient_of) {
    const auto use = using_config(&Config::use_static_graph, compiled);
    Weights link;
    Adam adam(1e-5);
    adam.use_fp32_update();
    adam.setup(link);
    if (comm) create_multi_node_optimizer(adam, comm);
    const auto scaling = scaled ? loss_scaling(adam) : nullptr;
    auto step = static_graph(
        [&](const Variable& g) {
            const Variable loss = sum(cast(link.a * g, Dtype::float32));
            link.cleargrads();
            adam.backward(loss);
            adam.update();
            return loss;
        },
        {.audit = Audit::never});
    for (int i = 0; i < 6; ++i) step(gradient_of(i));
    return {adam.slots()[0].master.array().to_vector<float>(), link.a.array().to_vector<float>()};
}

TEST(Masters, of_several_ranks_are_those_of_one_with_the_mean_gradient) {
    for (const bool scaled : {false, true})
        for (const bool compiled : {false, true}) {
            const Trained alone = train(compiled, scaled, nullptr, [](int i) {
                return (gradient(0, i) + gradient(1, i)) / 2;
            });
            EXPECT_EQ(alone.param, std::vector<float>(
                                       4, 0.5f));  // The masters alone know of such small updates.
            EXPECT_NE(alone.master[0], 0.5f);
            run_local(2, [&](const std::shared_ptr<Communicator>& comm) {
                const Trained mine =
                    train(compiled, scaled, comm, [&](int i) { return gradient(comm->rank(), i); });
                EXPECT_THAT(mine.master,
                            ::testing::Pointwise(::testing::FloatNear(1e-7f), alone.master))
                    << scaled << compiled;
                EXPECT_EQ(mine.param, alone.param);
            });
        }
}

}  // namespace
}  // namespace catena
