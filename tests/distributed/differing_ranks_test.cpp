// What differs between the ranks is an error at the first update, or at the second where only the
// parameters show it; and a resumed compiled training has the bits of one that nothing interrupted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "runtime/comm/local.h"

namespace catena {
namespace {

using ::testing::HasSubstr;

using Differ = std::function<void(Optimizer&, int rank)>;

Variable some_rows(int64_t step, int64_t rank) {
    std::vector<float> x;
    for (int64_t i = 0; i < 24; ++i) x.push_back(float(std::sin(double(step * 7 + rank * 3 + i))));
    return Variable(Array::from(x, {4, 6}), false);
}

/// The error of three updates by two ranks whose optimizers `differ` makes different.
std::string problem_with(const Differ& differ) {
    try {
        run_local(2, [&](const std::shared_ptr<Communicator>& comm) {
            set_seed(1);
            Linear model(6, 3);
            SGD sgd(0.1);
            sgd.setup(model);
            create_multi_node_optimizer(sgd, comm);
            differ(sgd, comm->rank());
            for (int64_t step = 0; step < 3; ++step) {
                model.cleargrads();
                sgd.backward(mean(model(some_rows(step, comm->rank()))));
                sgd.update();
            }
        });
    } catch (const std::exception& error) {
        return error.what();
    }
    return "no error";
}

TEST(DifferingRanks, train_where_nothing_differs) {
    EXPECT_EQ(problem_with([](Optimizer&, int) {}), "no error");
}

TEST(DifferingRanks, with_another_learning_rate_are_named_with_both) {
    EXPECT_THAT(problem_with([](Optimizer& optimizer, int rank) {
                    Cell rate = optimizer.hyperparameter("lr");
                    rate = rank ? 0.2 : 0.1;
                }),
                HasSubstr("multi-node optimizer: rank 0 has the hyperparameter lr = 0.1, rank 1 "
                          "the hyperparameter lr = 0.2; all ranks must have the same"));
}

TEST(DifferingRanks, with_another_hook_are_found_by_their_parameters) {
    EXPECT_THAT(problem_with([](Optimizer& optimizer, int rank) {
                    if (rank == 1) optimizer.add_hook(WeightDecay(0.1));
                }),
                HasSubstr("the first update made parameters differ (by hooks, settings or "
                          "processors that differ): rank 0 has /"));
}

TEST(DifferingRanks, with_a_parameter_that_one_does_not_update_are_named) {
    EXPECT_THAT(problem_with([](Optimizer& optimizer, int rank) {
                    if (rank == 1) *optimizer.slots()[0].enabled = false;
                }),
                HasSubstr("whose update is disabled"));
}

TEST(DifferingRanks, with_another_number_in_a_hook_are_found_by_their_parameters) {
    EXPECT_THAT(problem_with([](Optimizer& optimizer, int rank) {
                    optimizer.add_hook(WeightDecay(rank ? 0.1 : 0.2));
                }),
                HasSubstr("the first update made parameters differ (by hooks, settings or "
                          "processors that differ): rank 0 has /"));
}

TEST(DifferingRanks, with_another_setting_are_named_with_both) {
    std::string problem = "no error";
    try {
        run_local(2, [](const std::shared_ptr<Communicator>& comm) {
            const auto use = using_config(&Config::use_static_graph, comm->rank() == 0);
            Linear model(6, 3);
            SGD sgd(0.1);
            sgd.setup(model);
            create_multi_node_optimizer(sgd, comm);
            sgd.update([&](const Variable& x) { return mean(model(x)); }, some_rows(0, 0));
        });
    } catch (const std::exception& error) {
        problem = error.what();
    }
    EXPECT_THAT(problem, HasSubstr("rank 0 has the setting use_static_graph = true, rank 1 the "
                                   "setting use_static_graph = false"));
}

struct WideNet : Chain {
    Linear l1{std::nullopt, 100}, l2{std::nullopt, 100}, l3{std::nullopt, 10};
    WideNet() { add_children({{"l1", l1}, {"l2", l2}, {"l3", l3}}); }
    Variable operator()(const Variable& x) { return l3(relu(l2(relu(l1(x))))); }
};

/// Compiled steps from `first` to 4 on 100 rows a rank; the state of rank 0 is left in `archive`,
/// and taken from there before a later first step.
std::vector<float> train_wide(int first, int last, std::string& model_file) {
    std::vector<float> parameters;
    run_local(2, [&](const std::shared_ptr<Communicator>& comm) {
        set_seed(5);
        WideNet model;
        Adam adam;
        adam.setup(model);
        create_multi_node_optimizer(adam, comm);
        const MultiNodeSnapshot snapshot = multi_node_snapshot(comm);
        if (first > 0)
            snapshot.load(
                model_file,
                [&](const std::string& name) {
                    load_npz(name + ".model", model);
                    load_npz(name + ".state", adam);
                },
                model, &adam);
        auto step = static_graph(
            [&](const Variable& x, const Variable& t) {
                const Variable loss = softmax_cross_entropy(model(x), t);
                model.cleargrads();
                adam.backward(loss);
                adam.update();
            },
            {});
        for (int s = first; s < last; ++s) {
            std::vector<float> x;
            std::vector<int32_t> t;
            for (int i = 0; i < 100; ++i) {
                for (int k = 0; k < 784; ++k)
                    x.push_back(float(std::sin(double(s * 131 + i * 17 + k * 3 + comm->rank()))));
                t.push_back((s + i) % 10);
            }
            step(Variable(Array::from(x, {100, 784}), false),
                 Variable(Array::from(t, {100}), false));
        }
        snapshot.save(model_file, [&](const std::string& name) {
            save_npz(name + ".model", model);
            save_npz(name + ".state", adam);
        });
        if (comm->rank() == 0)
            for (Parameter* p : model.params())
                for (const float v : p->array().to_vector<float>()) parameters.push_back(v);
    });
    return parameters;
}

TEST(ResumedRanks, of_a_compiled_training_have_the_bits_of_an_uninterrupted_one) {
    if (!compiler_available()) GTEST_SKIP() << "there is no compiler";
    std::string through = ::testing::TempDir() + "wide_through",
                resumed = ::testing::TempDir() + "wide_resumed";
    const std::vector<float> expected = train_wide(0, 12, through);
    train_wide(0, 6, resumed);
    EXPECT_EQ(train_wide(6, 12, resumed), expected);
}

}  // namespace
}  // namespace catena
