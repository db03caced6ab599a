// The master's batches on every rank.
#include <gtest/gtest.h>

#include <filesystem>

#include <unistd.h>

#include "frontend/serializer/memory_archive.h"
#include "tests/distributed/training.h"

namespace catena {
namespace {

using Comm = std::shared_ptr<Communicator>;

TEST(MultiNodeIterator, gives_examples_without_values) {
    run_local(2, [](const Comm& comm) {
        std::shared_ptr<Iterator> actual;
        const Dataset empty = create_empty_dataset(Dataset(Array::zeros({Dtype::float32, {3, 2}})));
        if (comm->rank() == 0)
            actual = std::make_shared<SerialIterator>(empty, 2, IteratorOptions{.repeat = false});
        MultiNodeIterator batches = create_multi_node_iterator(actual, comm);
        std::vector<size_t> sizes;
        while (const auto examples = batches.next()) {
            sizes.push_back(examples->size());
            EXPECT_TRUE((*examples)[0].is_tuple());
            EXPECT_EQ((*examples)[0].size(), 0u);
        }
        EXPECT_EQ(sizes, (std::vector<size_t>{2, 1}));
    });
}

struct Regressor : Chain {
    Linear l{4, 3};
    Regressor() { add_children({{"l", l}}); }
    Variable operator()(const Variable& x, const Variable& t) {
        return mean_squared_error(l(x), t);
    }
};

Dataset examples() {
    std::vector<float> x, t;
    for (int i = 0; i < 12 * 4; ++i) x.push_back(float(i % 7) / 7);
    for (int i = 0; i < 12 * 3; ++i) t.push_back(float(i % 5) / 5);
    return TupleDataset(Array::from(x, {12, 4}), Array::from(t, {12, 3}));
}

/// A trainer's run up to an iteration, from its folder's last snapshot if there is one; the
/// parameters of this rank.
std::vector<float> run(const Comm& comm, int master, double until, const std::string& folder) {
    set_seed(1);
    Regressor model;
    SGD sgd(0.1);
    sgd.setup(model);
    std::shared_ptr<Iterator> actual;
    if (comm->rank() == master) actual = std::make_shared<SerialIterator>(examples(), 5);
    MultiNodeIterator batches(actual, comm, master);
    StandardUpdater updater(batches, sgd, model);
    Trainer trainer(updater, {until, "iteration"}, folder);
    if (!folder.empty())
        trainer.extend(multi_node_snapshot(comm, extensions::SnapshotOptions{.autoload = true}),
                       {.trigger = {1, "iteration"}});
    trainer.run();
    EXPECT_EQ(updater.iteration(), int64_t(until));
    EXPECT_EQ(batches.epoch(), int64_t(until) * 5 / 12);
    return model.l.W.array().to_vector<float>();
}

TEST(MultiNodeIterator, goes_on_from_a_snapshot_of_its_master) {
    const std::string folder =
        ::testing::TempDir() + "iterator_snapshot" + std::to_string(getpid());
    run_local(2, [&](const Comm& comm) {
        run(comm, 0, 3, folder);
        const auto resumed = run(comm, 0, 7, folder);
        EXPECT_EQ(resumed, run(comm, 0, 7, folder + "_through"));
    });
    std::filesystem::remove_all(folder);
    std::filesystem::remove_all(folder + "_through");
}

TEST(MultiNodeIterator, that_was_saved_by_each_rank_is_loaded_by_each) {
    run_local(2, [](const Comm& comm) {
        std::shared_ptr<Iterator> actual, other;
        if (comm->rank() == 1) {
            actual = std::make_shared<SerialIterator>(examples(), 5);
            other = std::make_shared<SerialIterator>(examples(), 5);
        }
        MultiNodeIterator batches(actual, comm, 1), resumed(other, comm, 1);
        for (int i = 0; i < 3; ++i) batches.next();
        MemoryArchive file;
        save_to(file, [&](const Serializer& s) { batches.serialize(s); });
        load_from(file, [&](const Serializer& s) { resumed.serialize(s); }, {});
        EXPECT_EQ(resumed.epoch(), 1);
        EXPECT_EQ(resumed.epoch_detail(), batches.epoch_detail());
        EXPECT_EQ(resumed.current_position(), batches.current_position());
        for (int i = 0; i < 3; ++i)
            EXPECT_EQ((*resumed.next_batch())[0].array().to_vector<float>(),
                      (*batches.next_batch())[0].array().to_vector<float>());
    });
}

/// Fails at its second batch.
struct FailingIterator : SerialIterator {
    using SerialIterator::SerialIterator;
    int calls = 0;
    std::optional<std::vector<Example>> next() override {
        if (++calls == 2) throw std::runtime_error("the disk is gone");
        return SerialIterator::next();
    }
};

TEST(MultiNodeIterator, that_fails_on_its_master_fails_on_all) {
    run_local(2, [](const Comm& comm) {
        std::shared_ptr<Iterator> actual;
        if (comm->rank() == 1) actual = std::make_shared<FailingIterator>(examples(), 5);
        MultiNodeIterator batches(actual, comm, 1);
        EXPECT_TRUE(batches.next());
        try {
            batches.next();
            ADD_FAILURE() << comm->rank();
        } catch (const std::exception& error) {
            EXPECT_NE(std::string(error.what()).find("the disk is gone"), std::string::npos)
                << error.what();
        }
        EXPECT_TRUE(batches.next()) << "the ranks are together still";
    });
}

struct ThrowingIterator : SerialIterator {
    using SerialIterator::SerialIterator;
    std::optional<std::vector<Example>> next() override { throw 42; }
};

TEST(MultiNodeIterator, that_throws_what_is_no_exception_fails_on_all) {
    run_local(2, [](const Comm& comm) {
        std::shared_ptr<Iterator> actual;
        if (comm->rank() == 0) actual = std::make_shared<ThrowingIterator>(examples(), 5);
        MultiNodeIterator batches(actual, comm, 0);
        if (comm->rank() == 0)
            EXPECT_THROW(batches.next(), int);
        else
            EXPECT_THROW(batches.next(), CommunicationError);
    });
}

}  // namespace
}  // namespace catena
