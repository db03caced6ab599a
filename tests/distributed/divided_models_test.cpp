// Models that are divided among ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "examples/multi_node/parallel_vgg.h"

namespace catena {
namespace {

using Comm = std::shared_ptr<Communicator>;

TEST(DividedModels, a_region_receives_the_sizes_of_training_after_a_test_with_others) {
    run_local(2, [](const Comm& comm) {
        const auto exchanged = [&](const Variable& x) {
            if (comm->rank() == 1) return parallel::recv(*comm, 0) * 2.0;
            return parallel::send(*comm, x, 1);
        };
        auto region = static_graph(exchanged, "exchanged");
        for (int i = 0; i < 4; ++i) {
            const Variable y = region(Variable(Array::full({Dtype::float32, {5, 2}}, 3.f)));
            EXPECT_EQ(y.shape(), comm->rank() == 1 ? (Shape{5, 2}) : (Shape{0}));
            const auto test_mode = using_config(&Config::train, false);
            const Variable last = exchanged(Variable(Array::full({Dtype::float32, {3, 2}}, 3.f)));  // a smaller batch
            EXPECT_EQ(last.shape(), comm->rank() == 1 ? (Shape{3, 2}) : (Shape{0}));
        }
    });
}

/// The loss of VGG on divided channels, the same on all ranks.
struct DividedLoss {
    ParallelVGG network;
    Variable x, t;
    Variable operator()() { return softmax_cross_entropy(network(x), t); }
};

/// The derivative of the loss by an element of `rank`'s parameter, by differences.
double difference(DividedLoss& loss, int rank, Parameter& parameter, int64_t element) {
    constexpr double eps = 1e-5;
    const bool owns = loss.network.comm->rank() == rank;
    const auto moved = [&](double by) {
        const Array before = parameter.array();
        if (owns) {
            std::vector<double> values = before.to_vector<double>();
            values[size_t(element)] += by;
            parameter.set_array(Array::from(values, before.shape()));
        }
        const double value = loss().item<double>();
        if (owns) parameter.set_array(before);
        return value;
    };
    return (moved(eps) - moved(-eps)) / (2 * eps);
}

TEST(DividedModels, vgg_with_divided_channels_has_the_gradients_of_its_loss) {
    run_local(2, [](const Comm& comm) {
        const auto use = using_config(&Config::dtype, Dtype::float64);
        set_seed(3);
        const Variable x = random_uniform({4, 3, 32, 32}, Dtype::float64);  // equal on all ranks
        set_seed(10 + comm->rank());
        DividedLoss loss{ParallelVGG(comm, 10, 4, 0), x, Variable(Array::from(std::vector<int32_t>{1, 7, 2, 2}, {4}), false)};
        loss();  // creates the parameters
        loss.network.cleargrads();
        (loss() / double(comm->size())).backward();
        auto named = loss.network.namedparams();
        int compared = 0;
        for (auto& [name, parameter] : named)
            for (int rank = 0; rank < comm->size(); ++rank) {
                const double numeric = difference(loss, rank, *parameter, 1);
                if (comm->rank() != rank) continue;
                const double gradient = parameter->grad().to_vector<double>()[1];
                EXPECT_NEAR(gradient, numeric, 1e-6 + 1e-4 * std::abs(numeric)) << name << " of rank " << rank;
                compared += std::abs(numeric) > 1e-6;
            }
        EXPECT_GT(compared, 10);
    });
}

TEST(DividedModels, vgg_needs_ranks_that_divide_its_channels) {
    run_local(3, [](const Comm& comm) { EXPECT_THROW(ParallelVGG(comm, 10, 4, 0), ValueError); });
}

}  // namespace
}  // namespace catena
