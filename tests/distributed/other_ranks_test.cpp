// A training that other numbers of ranks go on with: each example of an epoch is still seen once,
// and where sums are exact the parameters are those of one number of ranks, to the bit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <numeric>
#include <random>

#include <unistd.h>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "frontend/serializer/memory_archive.h"
#include "runtime/comm/local.h"
#include "tests/support/said.h"

namespace catena {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Comm = std::shared_ptr<Communicator>;

Dataset numbers(int64_t n) {
    std::vector<int64_t> all(static_cast<size_t>(n));
    std::iota(all.begin(), all.end(), 0);
    return Dataset(Array::from(all, {n}));
}

std::string saved(const Iterator& batches) {
    MemoryArchive archive;
    save_to(archive, [&](const Serializer& s) { const_cast<Iterator&>(batches).serialize(s); });
    return archive.bytes();
}

/// How often each example was seen, epoch by epoch.
struct Seen {
    int64_t examples;
    std::vector<std::vector<int64_t>> epochs = {};
    std::vector<int> last_ranks = {};  ///< The number of ranks that saw the end of each epoch.
    void add(Iterator& batches, int ranks) {
        const int64_t epoch = batches.epoch(), position = batches.current_position(),
                      size = batches.examples_per_epoch();
        const auto batch = batches.next();
        for (size_t k = 0; k < batch->size(); ++k) {
            const size_t at = size_t(epoch + (position + int64_t(k)) / size);
            if (epochs.size() <= at) {
                epochs.resize(at + 1, std::vector<int64_t>(size_t(examples), 0));
                last_ranks.resize(at + 1);
            }
            epochs[at][size_t((*batch)[k][0].item<int64_t>())] += 1;
            last_ranks[at] = ranks;
        }
    }
};

TEST(OtherRanks, see_every_example_of_an_epoch_once) {
    std::mt19937 random(4);
    for (int draw = 0; draw < 300; ++draw) {
        SCOPED_TRACE("draw " + std::to_string(draw));
        const int64_t n = 8 + int64_t(random() % 60);
        const bool drop_last = random() % 3 == 0;
        Seen seen{.examples = n};
        std::string file;
        for (size_t start = 0, starts = 2 + random() % 4; start < starts; ++start) {
            const int ranks = int(1 + random() % 8);
            const int64_t batch = int64_t(1 + random() % 5);
            std::vector<std::unique_ptr<SerialIterator>> all;
            for (int rank = 0; rank < ranks; ++rank) {
                const OrderPart part{
                    .examples = n, .rank = rank, .ranks = ranks, .drop_last = drop_last};
                all.push_back(std::make_unique<SerialIterator>(
                    numbers(n), batch,
                    IteratorOptions{.order_sampler = ShuffleOrderSampler(int64_t(start), part)}));
                if (start > 0)
                    load_from(MemoryArchive(file, "memory"),
                              [&](const Serializer& s) { all.back()->serialize(s); }, {});
            }
            for (int step = 0, steps = int(random() % 20); step < steps; ++step)
                for (auto& each : all) seen.add(*each, ranks);
            file = saved(*all[random() % all.size()]);
        }
        for (size_t epoch = 0; epoch + 1 < seen.epochs.size(); ++epoch) {
            const std::vector<int64_t>& times = seen.epochs[epoch];
            const int64_t sum = std::accumulate(times.begin(), times.end(), int64_t(0));
            const int64_t ranks = seen.last_ranks[epoch];
            EXPECT_LT(std::abs(sum - n), ranks) << "epoch " << epoch;
            // All are seen, or none twice.
            EXPECT_TRUE(sum > n ? std::ranges::min(times) >= 1 : std::ranges::max(times) <= 1)
                << "epoch " << epoch;
            if (!drop_last) {
                EXPECT_GE(sum, n) << "epoch " << epoch;
            }
        }
    }
}

TEST(OtherRanks, take_the_same_examples_in_every_iteration_if_all_together_take_as_many) {
    constexpr int64_t n = 48, together = 12;
    const auto rows_of = [&](int ranks, const std::string& file, int steps, std::string* end) {
        std::vector<std::vector<int64_t>> rows(static_cast<size_t>(steps));
        for (int rank = 0; rank < ranks; ++rank) {
            SerialIterator batches(numbers(n), together / ranks,
                                   {.order_sampler = ShuffleOrderSampler(
                                        5, {.examples = n, .rank = rank, .ranks = ranks})});
            if (!file.empty())
                load_from(MemoryArchive(file, "memory"),
                          [&](const Serializer& s) { batches.serialize(s); }, {});
            for (std::vector<int64_t>& all : rows) {
                const auto batch = batches.next();
                for (const Example& example : *batch) all.push_back(example[0].item<int64_t>());
            }
            if (end) *end = saved(batches);
        }
        for (std::vector<int64_t>& all : rows) std::ranges::sort(all);
        return rows;
    };
    for (const int before : {4, 1, 6})
        for (const int steps : {1, 3, 4, 6}) {
            std::string file;
            rows_of(before, "", steps, &file);
            const auto expected = rows_of(before, file, 10, nullptr);
            for (const int after : {1, 2, 3, 4, 6})
                EXPECT_EQ(rows_of(after, file, 10, nullptr), expected) << before << " " << after;
        }
}

TEST(OtherRanks, refuse_places_that_no_iterator_has) {
    const auto make = [](int ranks) {
        return SerialIterator(
            numbers(10), 1,
            {.order_sampler = ShuffleOrderSampler(5, {.examples = 10, .ranks = ranks})});
    };
    SerialIterator of_two = make(2), of_three = make(3);
    of_two.next();
    const auto problem = [&](const std::string& key, const std::vector<int64_t>& value) {
        MemoryArchive file(saved(of_two), "memory");
        if (value.size() == 1)
            file.write(key, Array::scalar(value[0]));
        else
            file.write(key, Array::from(value, {int64_t(value.size())}));
        try {
            load_from(file, [&](const Serializer& s) { of_three.serialize(s); }, {});
        } catch (const FileError& error) {
            return std::string(error.what());
        }
        return std::string("none");
    };
    EXPECT_EQ(problem("current_position", {2}), "none");
    EXPECT_THAT(problem("current_position", {5}), HasSubstr("is 5 on 2 ranks, of 10 examples"));
    EXPECT_THAT(problem("current_position", {-1}), HasSubstr("is -1"));
    EXPECT_THAT(problem("current_position", {int64_t(1) << 62}), HasSubstr("current_position"));
    EXPECT_THAT(problem("sampler_part", {11, 2, 0}), HasSubstr("sampler of 10 examples"));
    EXPECT_THAT(problem("sampler_part", {10, 0, 0}), HasSubstr("sampler of 10 examples"));
    EXPECT_THAT(problem("sampler_part", {10, 2, 99}), HasSubstr("current_position"));
    EXPECT_THAT(problem("sampler_part", {10, 2}), HasSubstr("sampler of 10 examples"));
}

/// Trainings of a linear function whose sums of gradients are exact in float32, in any order.
class OtherRanksTrain : public ::testing::Test {
protected:
    enum class Data { whole, scattered };
    struct Run {
        int ranks;
        double iterations;
        bool compiled = false;
        Data data = Data::whole;
        int64_t rows = 48;
        int64_t together = 12;
    };
    void SetUp() override {
        out_ = ::testing::TempDir() + "other_ranks_" + std::to_string(getpid());
        std::filesystem::remove_all(out_);
    }
    void TearDown() override { std::filesystem::remove_all(out_); }

    /// Multiples of 12, which the mean over 1, 2, 3, 4 and 6 ranks leaves whole numbers. Counts how
    /// often each is read.
    Dataset exact_rows(int64_t n) const {
        return TransformDataset(numbers(n), [this](const Example& number) {
            const int64_t row = number[0].item<int64_t>();
            ++reads_[size_t(row)];
            std::vector<float> x;
            for (int64_t i = 0; i < 3; ++i) x.push_back(float(12 * ((row * 7 + i * 5) % 11 - 5)));
            return Example(Array::from(x, {3}));
        });
    }
    /// The parameters of rank 0 at the end, which are everybody's.
    std::vector<float> train(const Run& run) const {
        std::vector<float> parameters;
        run_local(run.ranks, [&](const Comm& comm) {
            set_seed(3);
            const Dataset all = exact_rows(run.rows);
            const Dataset mine =
                run.data == Data::whole
                    ? all
                    : scatter_dataset(all, *comm,
                                      {.shuffle = true, .seed = 0, .on_every_rank = true});
            Linear model(3, 1, {.nobias = true, .initialW = initializers::Zero()});
            MomentumSGD sgd(1.0 / 16, 0.5);
            sgd.setup(model);
            create_multi_node_optimizer(sgd, comm);
            IteratorOptions order;
            if (run.data == Data::whole)
                order.order_sampler =
                    create_multi_node_order_sampler(run.rows, *comm, {.seed = 11});
            SerialIterator batches(mine, run.together / run.ranks, order);
            const auto loss = [&](const Variable& x) { return sum(model(x)) * float(run.ranks); };
            StandardUpdater updater(batches, sgd, loss, {.static_graph = run.compiled});
            Trainer trainer(updater, {run.iterations, "iteration"}, out_);
            trainer.extend(multi_node_snapshot(comm, extensions::SnapshotOptions{.autoload = true}),
                           {.trigger = {1, "iteration"}});
            trainer.run();
            EXPECT_EQ(updater.iteration(), int64_t(run.iterations));
            const Array W = model.W.array();
            for (const Array& other : comm->allgather(W))
                EXPECT_EQ(other.to_vector<float>(), W.to_vector<float>());
            if (comm->rank() == 0) parameters = W.to_vector<float>();
        });
        return parameters;
    }
    /// Of trainings from an empty folder, one after the other.
    std::vector<float> train_all(const std::vector<Run>& runs) const {
        std::filesystem::remove_all(out_);
        std::vector<float> parameters;
        for (const Run& run : runs) parameters = train(run);
        return parameters;
    }
    std::string out_;
    mutable std::array<std::atomic<int>, 64> reads_{};
};

TEST_F(OtherRanksTrain, to_the_bits_of_one_number_of_ranks_where_sums_are_exact) {
    for (const bool compiled : {false, true}) {
        if (compiled && !compiler_available()) continue;
        SCOPED_TRACE(compiled ? "compiled" : "eager");
        const std::vector<float> through = train_all({{.ranks = 4, .iterations = 10}});
        for (const int ranks : {2, 3, 6, 1})
            for (const double stop : {3.0, 4.0})
                EXPECT_EQ(train_all({{4, stop, compiled}, {ranks, 10, compiled}}), through)
                    << ranks << " from iteration " << stop;
        EXPECT_EQ(train_all({{4, 3, compiled},
                             {3, 5, compiled},
                             {6, 6, compiled},
                             {1, 7, compiled},
                             {4, 10, compiled}}),
                  through);
    }
}

TEST_F(OtherRanksTrain, and_resume_among_themselves_to_the_bit) {
    // 50 examples are none of whole batches: epochs end within an iteration.
    const auto run = [](int ranks, double iterations) {
        return Run{.ranks = ranks, .iterations = iterations, .rows = 50, .together = 24};
    };
    for (const int ranks : {2, 3})
        EXPECT_EQ(train_all({run(4, 2), run(ranks, 3), run(ranks, 9)}),
                  train_all({run(4, 2), run(ranks, 9)}));
}

TEST_F(OtherRanksTrain, and_say_what_goes_on_how) {
    const std::string same = testing::said([&] { train_all({{4, 3}, {4, 5}}); });
    EXPECT_THAT(same, Not(HasSubstr("is of a training")));
    const std::string divided = testing::said([&] { train_all({{4, 3}, {2, 5}}); });
    EXPECT_THAT(divided, AllOf(HasSubstr("snapshot_iter_3.0 is of a training by 4 ranks"),
                               HasSubstr("goes on by 2 ranks"),
                               HasSubstr("an iterator of 24 examples shares out what was left")));
    const std::string anew = testing::said([&] {
        train_all({{.ranks = 4, .iterations = 3, .data = Data::scattered},
                   {.ranks = 2, .iterations = 5, .data = Data::scattered}});
    });
    EXPECT_THAT(anew, HasSubstr("an iterator of 24 examples begins its epoch anew, because it had "
                                "12"));
    const std::string at_the_end = testing::said([&] {
        train_all({{.ranks = 4, .iterations = 4, .data = Data::scattered},
                   {.ranks = 3, .iterations = 5, .data = Data::scattered}});
    });
    EXPECT_THAT(at_the_end, AllOf(HasSubstr("goes on by 3 ranks"), Not(HasSubstr("an iterator"))));
}

TEST_F(OtherRanksTrain, on_every_scattered_example_of_the_epoch_that_begins_anew) {
    train({.ranks = 4, .iterations = 3, .data = Data::scattered});
    for (std::atomic<int>& count : reads_) count = 0;
    train({.ranks = 2, .iterations = 7, .data = Data::scattered});
    for (size_t row = 0; row < 48; ++row) EXPECT_EQ(reads_[row], 1) << row;
}

TEST_F(OtherRanksTrain, nothing_that_was_loaded_otherwise) {
    train_all({{4, 3}});
    run_local(2, [&](const Comm& comm) {
        Linear model(3, 1, {.nobias = true});
        MomentumSGD sgd;
        sgd.setup(model);
        SerialIterator batches(exact_rows(48), 6);
        StandardUpdater updater(batches, sgd, [&](const Variable& x) { return sum(model(x)); });
        Trainer trainer(updater, {5, "iteration"}, out_);
        trainer.extend(multi_node_snapshot(comm, extensions::SnapshotOptions{}));
        try {
            load_npz(out_ + "/snapshot_iter_3.0", trainer);
            ADD_FAILURE() << "the file is of other ranks";
        } catch (const Error& error) {
            EXPECT_THAT(error.what(), AnyOf(HasSubstr("by 4 ranks, and this one is by 2 ranks"),
                                            HasSubstr("order")));
        }
    });
}

class OtherCheckpoints : public ::testing::Test {
protected:
    /// The iteration that a training begins with, which then goes on to another one.
    std::optional<int64_t> train(const Comm& comm, double until, bool alike) const {
        Linear model(3, 1, {.nobias = true});
        Adam adam;
        adam.setup(model);
        create_multi_node_optimizer(adam, comm);
        SerialIterator batches(numbers_as_rows(), 2,
                               {.order_sampler = create_multi_node_order_sampler(24, *comm)});
        StandardUpdater updater(batches, adam, [&](const Variable& x) { return sum(model(x)); });
        Trainer trainer(updater, {until, "iteration"}, out_);
        const auto checkpointer = std::make_shared<extensions::MultiNodeCheckpointer>(
            create_multi_node_checkpointer("run", comm, {.ranks_are_alike = alike}));
        trainer.extend(checkpointer, {.trigger = {1, "iteration"}});
        const auto begun = checkpointer->maybe_load(trainer);
        // An error keeps the files.
        const auto fail_at_the_end = [&](Trainer& t) {
            if (t.updater().iteration() == int64_t(until)) fail<ValueError>("enough");
        };
        trainer.extend(fail_at_the_end,
                       {.name = "fail", .trigger = {1, "iteration"}, .priority = -200});
        EXPECT_THROW(trainer.run(false), ValueError);
        return begun;
    }
    static Dataset numbers_as_rows() { return Dataset(Array::full({Dtype::float32, {24, 3}}, 1)); }
    void SetUp() override { std::filesystem::remove_all(out_); }
    const std::string out_ = ::testing::TempDir() + "checkpoints_" + std::to_string(getpid());
};

TEST_F(OtherCheckpoints, are_refused_unless_all_ranks_are_alike) {
    run_local(3, [&](const Comm& comm) {
        EXPECT_EQ(train(comm, 3, false), std::nullopt);
        comm->barrier();
        EXPECT_EQ(train(comm, 4, false), 3);
    });
    for (const int ranks : {2, 4, 1}) {
        run_local(ranks, [&](const Comm& comm) {
            try {
                train(comm, 6, false);
                ADD_FAILURE() << "another number of ranks";
            } catch (const ValueError& error) {
                EXPECT_THAT(error.what(), HasSubstr("by 3 ranks, and this one is by"));
                EXPECT_THAT(error.what(), HasSubstr("ranks_are_alike"));
            }
        });
    }
    int64_t iteration = 4;
    for (const int ranks : {2, 4, 1, 3}) {
        run_local(ranks, [&](const Comm& comm) {
            EXPECT_EQ(train(comm, double(iteration + 1), true), iteration) << ranks;
        });
        ++iteration;
    }
}

}  // namespace
}  // namespace catena
