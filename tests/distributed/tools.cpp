#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numeric>

#include "tests/distributed/training.h"

namespace catena {
namespace {

std::vector<int64_t> numbers(int64_t n) {
    std::vector<int64_t> all(static_cast<size_t>(n));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

void check_scatter(Communicator& comm) {
    const int k = comm.size(), rank = comm.rank();
    constexpr int64_t n = 10;
    Array images = Array::from(numbers(n * 2), {n, 2}), labels = Array::from(numbers(n), {n});
    std::vector<Array> columns;
    if (rank == 0) columns = {images, labels};
    const int64_t each = (n + k - 1) / k, begin = n * rank / k;
    std::vector<Array> mine = scatter_dataset(columns, comm);
    ASSERT_EQ(mine.size(), 2u);
    EXPECT_EQ(mine[0].shape(), (Shape{each, 2}));
    for (int64_t i = 0; i < each; ++i)
        EXPECT_EQ(mine[1].to_vector<int64_t>()[size_t(i)], begin + i);

    // Without equal lengths every row is on one rank, shuffled or not.
    std::vector<Array> part =
        scatter_dataset(columns, comm, {.shuffle = true, .seed = 7, .force_equal_length = false});
    auto [first, last] = scatter_index(rank == 0 ? n : 0, comm, 0, false);
    EXPECT_EQ(part[1].dim(0), last - first);
    Array counts = Array::zeros({Dtype::int64, {n}});
    for (int64_t row : part[1].to_vector<int64_t>()) counts.data<int64_t>()[row] += 1;
    EXPECT_EQ(comm.allreduce(counts).to_vector<int64_t>(), std::vector<int64_t>(size_t(n), 1));
    EXPECT_EQ(
        scatter_dataset(columns, comm, {.shuffle = true, .seed = 7, .force_equal_length = false})[1]
            .to_vector<int64_t>(),
        part[1].to_vector<int64_t>());
    EXPECT_THROW(scatter_dataset(std::vector<Array>(), comm), ValueError);

    std::optional<Dataset> pairs;
    if (rank == 0) pairs = Dataset({images, labels});
    Dataset own = scatter_dataset(pairs, comm, {.force_equal_length = false});
    EXPECT_EQ(own.size(), last - first);
    EXPECT_TRUE(own[0].is_tuple());
    EXPECT_EQ(own[-1][1].item<int64_t>(), last - 1);
    EXPECT_EQ(own[-1][0].to_vector<int64_t>(), (std::vector<int64_t>{2 * last - 2, 2 * last - 1}));
    if (rank == 0) pairs = Dataset(labels);
    EXPECT_FALSE(scatter_dataset(pairs, comm)[0].is_tuple());
    if (rank == 0) pairs = Dataset(std::vector<Example>{});
    EXPECT_THROW(scatter_dataset(pairs, comm), ValueError);  // On every rank.
    EXPECT_EQ(create_empty_dataset(own).size(), own.size());
    EXPECT_EQ(create_empty_dataset(own)[0].size(), 0u);
}

void check_mean_grad(Communicator& comm) {
    Linear model(2, 3);
    model.W.set_grad(Array::full({Dtype::float32, {3, 2}}, comm.rank()));
    model.b.cleargrad();
    multi_node_mean_grad(comm, model);
    EXPECT_EQ(model.W.grad().to_vector<float>(), std::vector<float>(6, float(comm.size() - 1) / 2));
    EXPECT_FALSE(model.b.grad().defined());
    if (comm.rank() == 0) model.b.set_grad(Array::full({Dtype::float32, {3}}, comm.size()));
    multi_node_mean_grad(comm, model, true);
    EXPECT_EQ(model.b.grad().to_vector<float>(), std::vector<float>(3, 1));
}

void check_iterator(const std::shared_ptr<Communicator>& comm) {
    std::shared_ptr<SerialIterator> actual;
    if (comm->rank() == 0)
        actual =
            std::make_shared<SerialIterator>(Dataset({Array::from(numbers(5), {5})}), 2,
                                             IteratorOptions{.repeat = false, .shuffle = false});
    MultiNodeIterator batches = create_multi_node_iterator(actual, comm);
    std::vector<int64_t> seen;
    while (auto batch = batches.next_batch())
        for (int64_t row : (*batch)[0].array().to_vector<int64_t>()) seen.push_back(row);
    EXPECT_EQ(seen, numbers(5));
    EXPECT_EQ(batches.epoch(), 1);
    batches.reset();
    EXPECT_EQ((*batches.next_batch())[0].array().to_vector<int64_t>(), numbers(2));
    EXPECT_DOUBLE_EQ(batches.epoch_detail(), 0.4);
    EXPECT_DOUBLE_EQ(*batches.previous_epoch_detail(), 0.0);
    EXPECT_EQ(batches.batch_size(), 2);
    EXPECT_FALSE(batches.repeat());
}

void check_evaluator(const std::shared_ptr<Communicator>& comm) {
    auto evaluate = create_multi_node_evaluator(
        [&](double scale) {
            return std::map<std::string, double>{{"main/loss", scale * comm->rank()},
                                                 {"main/accuracy", 1.0}};
        },
        comm);
    std::map<std::string, double> means = evaluate(4.0);
    EXPECT_DOUBLE_EQ(means["main/loss"], 4.0 * (comm->size() - 1) / 2);
    EXPECT_DOUBLE_EQ(means["main/accuracy"], 1.0);
    if (comm->size() > 1) {
        EXPECT_THROW(mean_over_ranks(*comm, {{"of rank " + std::to_string(comm->rank()), 1.0}}),
                     ValueError);
    }
}

void check_snapshot(const std::shared_ptr<Communicator>& comm, const std::string& folder) {
    std::string name = folder + "_snapshot_of_" + std::to_string(comm->size());
    std::vector<float> through = train({.communicator = comm});
    train({.communicator = comm, .last_step = 3, .snapshot = name});
    EXPECT_TRUE(std::filesystem::exists(name + ".0.model"));
    EXPECT_FALSE(std::filesystem::exists(name + ".1.model"));
    // Another seed: everything must come from the file, on every rank, to the bit.
    EXPECT_EQ(train({.communicator = comm, .seed = 99, .first_step = 3, .snapshot = name}),
              through);
    EXPECT_THROW(train({.communicator = comm, .first_step = 3, .snapshot = folder + "_nothing"}),
                 Error);
    if (comm->size() > 1) {
        EXPECT_THROW(multi_node_snapshot(comm, {{0, 1}, {1}}), ValueError);
    }
    MultiNodeSnapshot pairs = multi_node_snapshot(comm, {{0}});
    EXPECT_EQ(pairs.file_name("a"), comm->rank() == 0 ? "a.0" : "a.1");
    comm->barrier();
}

/// Over k ranks as over one with the whole batch.
void check_batch_normalization(const std::shared_ptr<Communicator>& comm) {
    const int k = comm->size(), rank = comm->rank();
    std::vector<float> values(size_t(12 * 2 * 3));
    for (size_t i = 0; i < values.size(); ++i) values[i] = float(std::sin(double(i * i)));
    Array whole = Array::from(values, {12, 2, 3});
    std::vector<int64_t> own_rows;
    for (int64_t row = 12 * rank / k; row < 12 * (rank + 1) / k; ++row) own_rows.push_back(row);

    MultiNodeBatchNormalization many(2, comm);
    BatchNormalization one(2);
    Variable x(take_rows(whole, own_rows)), all(whole);
    Variable y = many(x), z = one(all);
    auto near = [](const Array& a, const Array& b, const char* what) {
        std::vector<float> va = a.to_vector<float>(), vb = b.to_vector<float>();
        ASSERT_EQ(va.size(), vb.size()) << what;
        for (size_t i = 0; i < va.size(); ++i)
            EXPECT_NEAR(va[i], vb[i], 1e-5 * std::max(1.f, std::abs(vb[i]))) << what << " " << i;
    };
    near(y.array(), take_rows(z.array(), own_rows), "y");
    near(many.avg_mean.array(), one.avg_mean.array(), "avg_mean");
    near(many.avg_var.array(), one.avg_var.array(), "avg_var");
    sum(y * y * y).backward();
    sum(z * z * z).backward();
    near(x.grad(), take_rows(all.grad(), own_rows), "gx");
    near(comm->allreduce(many.gamma.grad()), one.gamma.grad(), "ggamma");
    near(comm->allreduce(many.beta.grad()), one.beta.grad(), "gbeta");
    auto test = using_config(&Config::train, false);
    near(many(x).array(), take_rows(one(all).array(), own_rows), "y in test mode");
}

}  // namespace

void check_parallel_tools(const std::shared_ptr<Communicator>& comm, const std::string& folder) {
    check_scatter(*comm);
    check_mean_grad(*comm);
    check_iterator(comm);
    check_evaluator(comm);
    check_snapshot(comm, folder);
    check_batch_normalization(comm);
}

}  // namespace catena
