// Files and snapshots of optimizers of which each rank updates a part: those of a whole one.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include <unistd.h>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "frontend/optimizer/gather_moments.h"
#include "runtime/comm/local.h"
#include "tests/distributed/odd_net.h"

namespace catena {
namespace {

using Comm = std::shared_ptr<Communicator>;
using Options = MultiNodeOptimizerOptions;

std::string file_of(const char* name) {
    return ::testing::TempDir() + name + std::to_string(getpid());
}

/// Steps from `first` on, loaded from files if it is not 0, and saved at the end.
std::vector<float> train_part(const Comm& comm, const std::string& file, int first, int last,
                              bool shard, bool compiled, const Options& more = {}) {
    const auto use = using_config(&Config::use_static_graph, compiled);
    set_seed(7);
    OddNet net;
    Adam adam(0.01);
    adam.setup(net);
    Options options = more;
    options.shard = shard;
    create_multi_node_optimizer(adam, comm, options);
    if (first > 0) {
        load_npz(file + ".model", net);
        load_npz(file + ".state", adam);
    }
    auto step = static_graph(
        [&](const Variable& x) { adam.update([&] { return sum(square(net(x))) * 0.1f; }); }, {});
    // The same rows on all ranks: the mean does not depend on how many there are.
    for (int i = first; i < last; ++i) step(odd_rows(i));
    const std::vector<float> content = parameters_of(net);
    gather_moments(adam);
    if (comm->rank() == 0) {
        save_npz(file + ".model", net);
        save_npz(file + ".state", adam);
    }
    comm->barrier();
    return content;
}

TEST(ShardedFiles, files_are_those_of_a_whole_optimizer_and_of_any_number_of_ranks) {
    const std::string file = file_of("sharded");
    for (const bool compiled : {false, true}) {
        if (compiled && !compiler_available()) continue;
        std::vector<float> through;
        run_local(2, [&](const Comm& comm) {
            const auto all = train_part(comm, file + "through", 0, 6, false, compiled);
            if (comm->rank() == 0) through = all;
        });
        const auto goes_on = [&](int before, bool sharded_before, int after, bool sharded_after) {
            run_local(before, [&](const Comm& comm) {
                train_part(comm, file, 0, 3, sharded_before, compiled);
            });
            run_local(after, [&](const Comm& comm) {
                EXPECT_EQ(train_part(comm, file, 3, 6, sharded_after, compiled), through)
                    << before << sharded_before << after << sharded_after;
            });
        };
        goes_on(2, true, 2, true);
        goes_on(4, true, 2, true);
        goes_on(2, true, 4, true);
        goes_on(4, true, 1, false);
        goes_on(2, false, 4, true);
    }
}

TEST(ShardedFiles, double_buffering_goes_on_from_a_file) {
    const std::string file = file_of("sharded_double");
    run_local(2, [&](const Comm& comm) {
        const Options options{.double_buffering = true};
        const auto through = train_part(comm, file + "t", 0, 6, false, false, options);
        train_part(comm, file, 0, 3, true, false, options);
        EXPECT_EQ(train_part(comm, file, 3, 6, true, false, options), through);
    });
}

TEST(ShardedFiles, a_snapshot_of_the_masters_and_one_of_every_rank) {
    const std::string file = file_of("sharded_snapshot");
    for (const bool each : {false, true})
        run_local(2, [&](const Comm& comm) {
            const MultiNodeSnapshot snapshot =
                each ? multi_node_snapshot(comm, {{0}, {1}}) : multi_node_snapshot(comm);
            std::vector<float> through, resumed;
            for (const bool resumes : {false, true}) {
                set_seed(7);
                OddNet net;
                Adam adam(0.01);
                adam.setup(net);
                create_multi_node_optimizer(adam, comm, {.shard = true});
                const auto files = [&](auto f) {
                    return [&, f](const std::string& name) {
                        f(name + ".model", net);
                        f(name + ".state", adam);
                    };
                };
                if (resumes)
                    snapshot.load(
                        file, files([](const std::string& name, auto& x) { load_npz(name, x); }),
                        net, &adam);
                for (int i = resumes ? 3 : 0; i < 6; ++i) {
                    adam.update([&] { return sum(square(net(odd_rows(i)))) * 0.1f; });
                    if (i == 2)
                        snapshot.save(file, files([](const std::string& name, auto& x) {
                                          save_npz(name, x);
                                      }),
                                      &adam);
                }
                (resumes ? resumed : through) = parameters_of(net);
                comm->barrier();
            }
            EXPECT_EQ(resumed, through);
        });
}

TEST(ShardedFiles, rank_0_alone_may_load_before_the_first_update) {
    const std::string file = file_of("sharded_rank_0");
    run_local(2, [&](const Comm& comm) {
        train_part(comm, file, 0, 3, true, false);
        const auto resumed = [&](bool everywhere) {
            set_seed(everywhere ? 1 : 2);
            OddNet net;
            Adam adam(0.01);
            adam.setup(net);
            create_multi_node_optimizer(adam, comm, {.shard = true});
            if (everywhere || comm->rank() == 0) {
                load_npz(file + ".model", net);
                load_npz(file + ".state", adam);
            }
            // The first update only makes ranks equal that are not.
            for (int i = everywhere ? 3 : 2; i < 5; ++i)
                adam.update([&] { return sum(square(net(odd_rows(i)))) * 0.1f; });
            EXPECT_FALSE(net.l1.W.grad().defined());
            return std::pair(parameters_of(net), state_of(adam));
        };
        EXPECT_EQ(resumed(false), resumed(true));
    });
}

/// By a trainer, from the latest snapshot in the folder.
std::vector<float> train_by_trainer(const Comm& comm, const std::string& folder, int iterations,
                                    bool shard, bool each, bool compiled) {
    std::vector<float> x;
    std::vector<int32_t> t;
    for (int i = 0; i < 24 * 6; ++i) x.push_back(float(std::sin(double(i) * 1.3)));
    for (int i = 0; i < 24; ++i) t.push_back(i % 3);
    const Dataset mine =
        scatter_dataset(Dataset({Array::from(x, {24, 6}), Array::from(t, {24})}), *comm);
    set_seed(5);
    Classifier model{SmallNet()};
    Adam adam(0.01);
    adam.setup(model);
    create_multi_node_optimizer(adam, comm, {.shard = shard});
    SerialIterator batches(mine, 4);
    StandardUpdater updater(batches, adam, model, {.static_graph = compiled});
    Trainer trainer(updater, {double(iterations), "iteration"}, folder);
    std::vector<std::vector<int>> sets;
    for (int r = 0; each && r < comm->size(); ++r) sets.push_back({r});
    trainer.extend(multi_node_snapshot(
                       comm, extensions::SnapshotOptions{.n_retains = 2, .autoload = true}, sets),
                   {.trigger = {1, "iteration"}});
    trainer.run();
    comm->barrier();
    return parameters_of(model);
}

TEST(ShardedFiles, trainers_take_snapshots_and_go_on_from_them) {
    int run = 0;
    for (const bool compiled : {false, true})
        for (const bool each : {false, true}) {
            if (compiled && !compiler_available()) continue;
            const std::string folder = file_of("sharded_trainer") + "_" + std::to_string(run++);
            std::filesystem::remove_all(folder);
            run_local(2, [&](const Comm& comm) {
                const auto train = [&](const char* name, int iterations, bool shard) {
                    return train_by_trainer(comm, folder + name, iterations, shard, each, compiled);
                };
                const auto through = train("through", 5, false);
                train("parts", 2, true);
                train("parts", 3, true);
                EXPECT_EQ(train("parts", 5, true), through) << compiled << each;
                train("changed", 2, true);
                EXPECT_EQ(train("changed", 5, false), through) << compiled << each;
            });
        }
}

}  // namespace
}  // namespace catena
