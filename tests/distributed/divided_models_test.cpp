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
            const Variable last =
                exchanged(Variable(Array::full({Dtype::float32, {3, 2}}, 3.f)));  // a smaller batch
            EXPECT_EQ(last.shape(), comm->rank() == 1 ? (Shape{3, 2}) : (Shape{0}));
        }
    });
}

TEST(DividedModels, a_region_receives_arrays_of_many_types_at_one_line) {
    run_local(2, [](const Comm& comm) {
        const auto sums = [&](const Variable& x) {
            Variable total;
            for (int k = 1; k < 4; ++k) {
                const Variable sent =
                    comm->rank() == 0 ? concat(std::vector<Variable>(size_t(k), x), 0) : Variable();
                const Variable part = sum(parallel::bcast(*comm, sent));
                total = total.defined() ? total + part : part;
            }
            return total;
        };
        auto region = static_graph(sums, "sums");
        for (int64_t rows : {4, 4, 2, 4, 2, 2})
            EXPECT_EQ(
                region(Variable(Array::full({Dtype::float32, {rows, 3}}, 1), false)).item<float>(),
                float(6 * rows * 3));
    });
}

TEST(DividedModels, a_region_trains_on_a_smaller_last_batch) {
    run_local(2, [](const Comm& comm) {
        set_seed(1);
        Linear first(4, 5), second(7, 6), between(5, 7), last(6, 3);
        // Two links of rank 1 receive at one line.
        MultiNodeChainList model(comm);
        if (comm->rank() == 0) {
            model.add_link(Linear(first), {}, 1);
            model.add_link(Linear(second), 1, 1);
        } else {
            model.add_link(Linear(between), 0, 0);
            model.add_link(Linear(last), 0);
        }
        const auto loss = [&](const Variable& x) {
            const Variable y = model(x);
            return comm->rank() == 0 ? y : sum(y * y);
        };
        auto step = static_graph([&](const Variable& x) {
            model.cleargrads();
            const Variable y = loss(x);
            y.backward();
            return y;
        });
        for (int64_t rows : {4, 4, 2, 4, 2}) {
            const Variable x(Array::full({Dtype::float32, {rows, 4}}, double(rows) / 3), false);
            const Variable y = step(x);
            const Variable whole = last(second(between(first(x))));
            if (comm->rank() == 1) {
                EXPECT_NEAR(y.item<float>(), sum(whole * whole).item<float>(), 1e-4);
            }
        }
    });
}

TEST(DividedModels, a_region_that_was_surprised_by_a_type_asks_from_then_on) {
    run_local(2, [](const Comm& comm) {
        auto received = static_graph([&] { return parallel::recv(*comm, 0) * 2.0; }, "received");
        for (int64_t rows : {2, 2, 3, 3, 2}) {
            static bool surprised = false;
            if (comm->rank() == 0) {
                comm->send(Array::full({Dtype::float32, {rows}}, 1), 1);
            } else if (rows == 3 && !std::exchange(surprised, true)) {
                EXPECT_THROW(received(), CommunicationError);
            } else {
                EXPECT_EQ(received().array().to_vector<float>(),
                          std::vector<float>(size_t(rows), 2));
            }
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
        DividedLoss loss{ParallelVGG(comm, 10, 4, 0), x,
                         Variable(Array::from(std::vector<int32_t>{1, 7, 2, 2}, {4}), false)};
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
                EXPECT_NEAR(gradient, numeric, 1e-6 + 1e-4 * std::abs(numeric))
                    << name << " of rank " << rank;
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
