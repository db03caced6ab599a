// What a Trainer uses with several ranks, and models that are spread over them; on all ranks at
// once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <set>

#include "codegen/compiler.h"
#include "tests/distributed/training.h"

namespace catena {
namespace {

using Communicators = std::shared_ptr<Communicator>;

std::vector<float> waves(int64_t n, double from = 0) {
    std::vector<float> values(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) values[size_t(i)] = float(std::sin(from + double(i) * 0.7));
    return values;
}

struct Layers : Chain {
    Linear l1{3, 4}, l2{4, 4}, l3{4, 2};
    Layers() { add_children({{"l1", l1}, {"l2", l2}, {"l3", l3}}); }
};
struct Tanh : Chain {
    Linear l;
    explicit Tanh(const Linear& linear) : l(linear) { add_children({{"l", l}}); }
    Variable operator()(const Variable& x) { return tanh(l(x)); }
};
struct Sum : Link {
    Variable operator()(const Variable& a, const Variable& b) { return a + b; }
};

/// Rank 0 -> last rank -> rank 0, against the same layers in one process.
void check_chain_list(const Communicators& comm) {
    const int rank = comm->rank(), last = comm->size() - 1;
    set_seed(5);
    Layers all;
    Variable x(Array::from(waves(6), {2, 3}), true);
    MultiNodeChainList model(comm);
    if (rank == 0) model.add_link(Tanh(all.l1), {}, last);
    if (rank == last) model.add_link(Tanh(all.l2), 0, 0);
    if (rank == 0) model.add_link(Linear(all.l3), last);
    if (rank != 0 && rank != last) return comm->barrier();
    Variable y = model(x);
    EXPECT_EQ(y.shape(), rank == 0 ? (Shape{2, 2}) : (Shape{0}));
    (rank == 0 ? sum(y * y) : y).backward();

    Variable own(x.array(), true);
    Variable expected = all.l3(tanh(all.l2(tanh(all.l1(own)))));
    sum(expected * expected).backward();
    if (rank == 0) {
        EXPECT_EQ(y.array().to_vector<float>(), expected.array().to_vector<float>());
        EXPECT_EQ(x.grad().to_vector<float>(), own.grad().to_vector<float>());
        EXPECT_EQ(model.get<Linear>(last == 0 ? 2 : 1).W.grad().to_vector<float>(),
                  all.l3.W.grad().to_vector<float>());
    }
    if (rank == last) {
        EXPECT_EQ(model.get<Tanh>(last == 0 ? 1 : 0).l.W.grad().to_vector<float>(),
                  all.l2.W.grad().to_vector<float>());
    }
    comm->barrier();
}

/// Several ranks send to one, whose link takes all of them.
void check_chain_list_joins(const Communicators& comm) {
    if (comm->size() < 2) {
        MultiNodeChainList model(comm);
        model.add_link(Sum());
        EXPECT_THROW(model.add_link(Sum()), ValueError);
        EXPECT_THROW(model.add_link(Sum(), 7), ValueError);
        MultiNodeChainList unsent(comm);
        unsent.add_link(Linear(3, 2), 0);
        EXPECT_THROW(unsent(Variable(Array::zeros({Dtype::float32, {1, 3}}))), ValueError);
        return;
    }
    if (comm->rank() > 1) return comm->barrier();
    set_seed(5);
    Linear l(3, 2);
    MultiNodeChainList model(comm);
    if (comm->rank() == 0) {
        model.add_link(Linear(l), {}, 0);
        model.add_link(Sum(), {0, 1});
    } else {
        model.add_link(Linear(l), {}, 0);
    }
    Variable x(Array::from(waves(3, comm->rank()), {1, 3}), true);
    Variable y = model(x);
    (comm->rank() == 0 ? sum(y) : y).backward();
    EXPECT_EQ(model.get<Linear>(0).b.grad().to_vector<float>(), (std::vector<float>{1, 1}));
    if (comm->rank() == 0) {
        Array other = Array::from(waves(3, 1), {1, 3});
        std::vector<float> expected =
            (l(Variable(x.array())) + l(Variable(other))).array().to_vector<float>();
        EXPECT_EQ(y.array().to_vector<float>(), expected);
    }
    comm->barrier();
}

void check_mnbn_model(const Communicators& comm) {
    set_seed(3);
    Sequential inner{Linear{3, 4}, BatchNormalization{4}};
    Sequential model{inner, relu};
    Sequential many = create_mnbn_model(model, comm);
    const int k = comm->size(), rank = comm->rank();
    Array whole = Array::from(waves(12 * 3), {12, 3});
    std::vector<int64_t> rows;
    for (int64_t row = 12 * rank / k; row < 12 * (rank + 1) / k; ++row) rows.push_back(row);
    Variable y = many(Variable(take_rows(whole, rows))), z = model(Variable(whole));
    std::vector<float> a = y.array().to_vector<float>(),
                       b = take_rows(z.array(), rows).to_vector<float>();
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-5);
}

/// Counts up, and reports the rank and the iteration.
class ReportingUpdater : public Updater {
public:
    ReportingUpdater(int rank, Link* target = nullptr)
        : rank_(rank),
          iterator_(Dataset(Array::zeros({Dtype::float32, {2}})), 1, {.shuffle = false}) {
        if (target) adam_.setup(*target);
    }
    void serialize(const Serializer& s) override {
        iterator_.serialize(s["iterator:main"]);
        s("iteration", iteration_);
        s("value", value);
    }
    std::vector<std::pair<std::string, Optimizer*>> optimizers() const override { return {}; }
    Iterator& get_iterator(const std::string&) const override { return iterator_; }
    double value = 0;

protected:
    void update_core() override {
        iterator_.next();
        value += 1 + rank_;
        report({{"loss", double(rank_ * 10 + iteration())}, {"flat", 1.0}});
        if (rank_ == 0) report({{"root only", 4.0}});
    }

private:
    int rank_;
    mutable SerialIterator iterator_;
    mutable Adam adam_;
};

void check_aggregation(const Communicators& comm, const std::string& folder) {
    const double mean_rank = (comm->size() - 1) / 2.0 * 10;
    ReportingUpdater updater(comm->rank());
    Trainer trainer(updater, {4, "iteration"}, folder + "_aggregation");
    trainer.extend(extensions::ObservationAggregator(comm, "loss", {.aggregated_key = "mean"}));
    trainer.extend(
        extensions::ObservationAggregator(comm, "root only",
                                          {.aggregated_key = "sum",
                                           .comm_trigger = {2, "iteration"},
                                           .aggregator = [](const std::vector<double>& all) {
                                               return double(all.size()) * all[0];
                                           }}));
    trainer.extend(extensions::ObservationAggregator(comm, "nothing"));
    std::vector<double> means, sums;
    trainer.extend(
        [&](Trainer& t) {
            means.push_back(t.observation().at("mean").value());
            if (auto found = t.observation().find("sum"); found != t.observation().end())
                sums.push_back(found->second.value());
            EXPECT_FALSE(t.observation().contains("nothing"));
        },
        {.name = "look"});
    trainer.run();
    EXPECT_EQ(means, (std::vector<double>{mean_rank, mean_rank + 1, mean_rank + 2, mean_rank + 3}));
    EXPECT_EQ(sums, (std::vector<double>{8, 8}));
}

void check_early_stopping(const Communicators& comm, const std::string& folder) {
    ReportingUpdater updater(comm->rank());
    Trainer trainer(
        updater,
        triggers::MultiNodeEarlyStoppingTrigger(
            comm, {.check_trigger = {1, "iteration"}, .monitor = "flat", .patience = 2}),
        folder + "_stopping");
    trainer.run();
    EXPECT_EQ(updater.iteration(), 3);
}

/// Reports its rank as "value".
struct RankLink : Link {
    double rank = 0;
    State average{Array::zeros({Dtype::float32, {2}})}, count{Array::zeros({Dtype::int64, {}})};
    RankLink() {
        add_persistent("average", average);
        add_persistent("count", count);
    }
    void operator()(const Variable& x) {
        report({{"value", rank + mean(x).item<float>() * 0}}, *this);
    }
};

struct CountRows : extensions::GenericMultiNodeEvaluator {
    using GenericMultiNodeEvaluator::GenericMultiNodeEvaluator;
    std::vector<Array> calc_local(const Batch& batch) override {
        EXPECT_FALSE(config().train);
        return {batch[0].array(), Array::scalar<int64_t>(batch[0].shape()[0])};
    }
    std::map<std::string, double> aggregate(std::span<const std::vector<Array>> all) override {
        double rows = 0, total = 0;
        for (const std::vector<Array>& result : all) {
            rows += double(result[1].item<int64_t>());
            for (float v : result[0].to_vector<float>()) total += v;
        }
        return {{"rows", rows}, {"total", total}, {"batches", double(all.size())}};
    }
};

void check_evaluators(const Communicators& comm, const std::string& folder) {
    const int rank = comm->rank(), k = comm->size();
    RankLink model;
    model.rank = rank;
    SerialIterator rows(Dataset(Array::full({Dtype::float32, {3 + rank}}, rank)), 2,
                        {.repeat = false, .shuffle = false});
    ReportingUpdater updater(rank);
    Trainer trainer(updater, {2, "iteration"}, folder + "_evaluators");
    trainer.extend(create_multi_node_evaluator(extensions::Evaluator(rows, model), comm));
    CountRows count(comm, rows);
    int64_t results = 0;
    count.progress_hook = [&](int64_t so_far) {
        EXPECT_GT(so_far, results);
        results = so_far;
    };
    trainer.extend(std::move(count), {.name = "count"});
    bool looked = false;
    trainer.extend(
        [&](Trainer& t) {
            looked = true;
            EXPECT_DOUBLE_EQ(t.observation().at("validation/main/value").value(), (k - 1) / 2.0);
            EXPECT_EQ(t.observation().contains("count/rows"), rank == 0);
            if (rank > 0) return;
            double all_rows = 0, total = 0, batches = 0;
            for (int r = 0; r < k; ++r) {
                all_rows += 3 + r;
                total += r * (3 + r);
                batches += (3 + r + 1) / 2;
            }
            EXPECT_DOUBLE_EQ(t.observation().at("count/rows").value(), all_rows);
            EXPECT_DOUBLE_EQ(t.observation().at("count/total").value(), total);
            EXPECT_DOUBLE_EQ(t.observation().at("count/batches").value(), batches);
            EXPECT_EQ(results, int64_t(batches));
        },
        {.name = "look", .trigger = {1, "epoch"}});
    trainer.run();
    EXPECT_TRUE(looked);

    model.average.set_array(Array::full({Dtype::float32, {2}}, rank));
    model.count.set_array(Array::scalar<int64_t>(rank));
    extensions::AllreducePersistent allreduce(model, comm);
    allreduce(trainer);
    EXPECT_EQ(model.average.array().to_vector<float>(), std::vector<float>(2, float(k - 1) / 2));
    EXPECT_EQ(model.count.array().item<int64_t>(), rank);
}

/// Saved by the masters, loaded on all ranks.
void check_trainer_snapshot(const Communicators& comm, const std::string& folder) {
    const std::string out = folder + "_of_" + std::to_string(comm->size());
    auto run = [&](int64_t until, double first_value) {
        ReportingUpdater updater(comm->rank());
        updater.value = first_value;
        Trainer trainer(updater, {until, "iteration"}, out);
        trainer.extend(multi_node_snapshot(
            comm,
            extensions::SnapshotOptions{.filename = "at_{.updater.iteration}", .autoload = true}));
        trainer.run();
        return updater.value;
    };
    if (comm->rank() == 0) std::filesystem::remove_all(out);
    comm->barrier();
    EXPECT_EQ(run(2, 0), 2 * (1 + comm->rank()));
    comm->barrier();
    EXPECT_TRUE(std::filesystem::exists(out + "/at_2.0"));
    EXPECT_FALSE(std::filesystem::exists(out + "/at_2.1"));
    // What rank 0 had then is everybody's, and two iterations more.
    EXPECT_EQ(run(4, 77), 2 + 2 * (1 + comm->rank()));
    comm->barrier();
}

/// A signal to one rank ends the training of all at the next iteration where they ask each other.
void check_stop_on_signal(const Communicators& comm, const std::string& folder) {
    const std::string out = folder + "_stopped_of_" + std::to_string(comm->size());
    if (comm->rank() == 0) std::filesystem::remove_all(out);
    comm->barrier();
    ReportingUpdater updater(comm->rank());
    Trainer trainer(updater, {100, "iteration"}, out);
    trainer.extend(multi_node_snapshot(
        comm, extensions::SnapshotOptions{.filename = "at_{.updater.iteration}"}));
    trainer.extend(extensions::MultiNodeStopOnSignal(comm, 4));
    trainer.extend(
        [&](Trainer& t) {
            if (t.updater().iteration() == 5 && comm->rank() == comm->size() - 1) raise(SIGTERM);
        },
        {.name = "signal", .trigger = {1, "iteration"}});
    trainer.run();
    EXPECT_EQ(updater.iteration(), 8);
    comm->barrier();
    EXPECT_TRUE(std::filesystem::exists(out + "/at_8.0"));
}

/// Saved by every rank, resumed where all were, removed at the end.
void check_checkpointer(const Communicators& comm, const std::string& folder) {
    const std::string out = folder + "_checkpoints_of_" + std::to_string(comm->size());
    const std::string own = out + "/run." + std::to_string(comm->rank()) + ".";
    if (comm->rank() == 0) std::filesystem::remove_all(out);
    comm->barrier();
    std::optional<int64_t> loaded;
    int64_t saved = 0;
    auto train = [&](int64_t until, int64_t fails_at) {
        ReportingUpdater updater(comm->rank());
        Trainer trainer(updater, {until, "iteration"}, out);
        auto checkpointer = std::make_shared<extensions::MultiNodeCheckpointer>(
            create_multi_node_checkpointer("run", comm, {.cp_interval = 2, .gc_interval = 3}));
        loaded = checkpointer->maybe_load(trainer);
        trainer.extend(checkpointer);
        trainer.extend(
            [=](Trainer& t) {
                if (t.updater().iteration() == fails_at) throw std::runtime_error("as planned");
            },
            {.name = "fails"});
        try {
            trainer.run(false);
        } catch (const std::runtime_error&) {
            EXPECT_GT(fails_at, 0);
        }
        saved = checkpointer->get_stats().count;
        return updater.value;
    };
    train(20, 9);
    EXPECT_EQ(loaded, std::nullopt);
    EXPECT_EQ(saved, 8);
    std::set<std::string> files;
    for (int i = 1; i < 20; ++i)
        if (std::filesystem::exists(own + std::to_string(i))) files.insert(std::to_string(i));
    EXPECT_THAT(files, ::testing::ElementsAre("5", "6", "7", "8"));
    if (comm->rank() == comm->size() - 1) std::filesystem::remove(own + "8");
    comm->barrier();
    EXPECT_EQ(train(10, 0), 10 * (1 + comm->rank()));
    EXPECT_EQ(loaded, 7);
    EXPECT_EQ(saved, 3);
    for (int i = 1; i < 20; ++i) EXPECT_FALSE(std::filesystem::exists(own + std::to_string(i)));
    EXPECT_THROW(create_multi_node_checkpointer("a.b", comm), ValueError);
    EXPECT_THROW(create_multi_node_checkpointer("", comm), ValueError);
}

void check_synchronized_iterator(const Communicators& comm) {
    set_seed(100 + comm->rank());
    SerialIterator own(Dataset(Array::from(waves(32), {32})), 5);
    Iterator& batches = create_synchronized_iterator(own, *comm);
    for (int i = 0; i < 14; ++i) {  // Beyond the second shuffle.
        Array mine = (*batches.next_batch())[0].array();
        EXPECT_EQ(comm->bcast(mine).to_vector<float>(), mine.to_vector<float>());
    }
}

}  // namespace

void check_trainer_tools(const Communicators& comm, const std::string& folder) {
    check_chain_list(comm);
    check_chain_list_joins(comm);
    check_mnbn_model(comm);
    check_aggregation(comm, folder);
    check_early_stopping(comm, folder);
    check_evaluators(comm, folder);
    check_trainer_snapshot(comm, folder);
    check_checkpointer(comm, folder);
    check_stop_on_signal(comm, folder);
    check_synchronized_iterator(comm);
}

}  // namespace catena
