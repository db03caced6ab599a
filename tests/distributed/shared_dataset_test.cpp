// A dataset that every rank has: its rows are divided by an order that follows from one seed, and
// none are sent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "frontend/serializer/memory_archive.h"
#include "runtime/comm/local.h"
#include "tests/distributed/training.h"

namespace catena {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Comm = std::shared_ptr<Communicator>;

constexpr int64_t rows = 10;

Array row_numbers() {
    std::vector<int64_t> all(size_t{rows});
    std::iota(all.begin(), all.end(), 0);
    return Array::from(all, {rows});
}

/// How often each row is on any rank.
std::vector<int64_t> counts(const std::vector<int64_t>& mine, Communicator& comm) {
    Array counted = Array::zeros({Dtype::int64, {rows}});
    for (const int64_t row : mine) counted.data<int64_t>()[row] += 1;
    return comm.allreduce(counted).to_vector<int64_t>();
}

std::vector<int64_t> numbers_in(const Dataset& dataset) {
    std::vector<int64_t> numbers;
    for (int64_t i = 0; i < dataset.size(); ++i) numbers.push_back(dataset[i][0].item<int64_t>());
    return numbers;
}

std::string problem_of(const std::function<void()>& f) {
    try {
        f();
    } catch (const ValueError& error) {
        return error.what();
    }
    return "none";
}

class SharedDataset : public ::testing::TestWithParam<int> {};

TEST_P(SharedDataset, gives_each_rank_the_rows_that_rank_0_would_send) {
    run_local(GetParam(), [](const Comm& comm) {
        for (const bool shuffle : {false, true}) {
            for (const bool equal : {false, true}) {
                ScatterOptions options{.shuffle = shuffle, .seed = 7, .force_equal_length = equal};
                std::vector<Array> columns;
                std::optional<Dataset> at_root;
                if (comm->rank() == 0) {
                    columns = {row_numbers()};
                    at_root = Dataset(row_numbers());
                }
                const std::vector<Array> sent = scatter_dataset(columns, *comm, options);
                const Dataset part = scatter_dataset(at_root, *comm, options);
                options.on_every_rank = true;
                EXPECT_EQ(scatter_dataset(std::vector<Array>{row_numbers()}, *comm, options)[0]
                              .to_vector<int64_t>(),
                          sent[0].to_vector<int64_t>());
                EXPECT_EQ(numbers_in(scatter_dataset(Dataset(row_numbers()), *comm, options)),
                          numbers_in(part));
            }
        }
    });
}

TEST_P(SharedDataset, is_divided_into_disjoint_parts_by_the_seed_of_rank_0) {
    run_local(GetParam(), [](const Comm& comm) {
        set_seed(comm->rank());  // Each rank would draw another seed.
        const ScatterOptions options{
            .shuffle = true, .force_equal_length = false, .on_every_rank = true};
        const auto first = numbers_in(scatter_dataset(Dataset(row_numbers()), *comm, options));
        EXPECT_EQ(counts(first, *comm), std::vector<int64_t>(size_t{rows}, 1));
        const auto second = numbers_in(scatter_dataset(Dataset(row_numbers()), *comm, options));
        EXPECT_NE(first, second);
    });
}

TEST_P(SharedDataset, is_not_sent) {
    run_local(GetParam(), [](const Comm& comm) {
        constexpr int64_t many = 1 << 18;
        const Dataset large(Array::zeros({Dtype::float32, {many}}));
        const int64_t before = comm->statistics().bytes_sent;
        const Dataset part =
            scatter_dataset(large, *comm, {.shuffle = true, .on_every_rank = true});
        EXPECT_LT(comm->statistics().bytes_sent - before, 10'000);
        EXPECT_EQ(part.size(), (many + comm->size() - 1) / comm->size());
    });
}

TEST(SharedDatasetOfTwo, must_have_the_same_size_on_every_rank) {
    run_local(2, [](const Comm& comm) {
        const ScatterOptions everywhere{.on_every_rank = true};
        const int64_t mine = 4 + comm->rank();
        EXPECT_THAT(problem_of([&] {
                        scatter_dataset(Dataset(Array::zeros({Dtype::float32, {mine}})), *comm,
                                        everywhere);
                    }),
                    AllOf(HasSubstr("scatter_dataset"), HasSubstr("a dataset of 4 examples"),
                          HasSubstr("a dataset of 5 examples")));
        EXPECT_THAT(problem_of([&] {
                        std::optional<Dataset> given;
                        if (comm->rank() == 0) given = Dataset(row_numbers());
                        scatter_dataset(given, *comm, everywhere);
                    }),
                    HasSubstr("no dataset is given"));
        EXPECT_THAT(problem_of([&] {
                        scatter_dataset(Dataset(std::vector<Example>{}), *comm, everywhere);
                    }),
                    HasSubstr("the dataset has no examples"));
        // The communicator stays usable.
        EXPECT_EQ(scatter_dataset(Dataset(row_numbers()), *comm, everywhere).size(), rows / 2);
    });
}

TEST_P(SharedDataset, is_divided_otherwise_in_every_epoch_by_the_sampler) {
    run_local(GetParam(), [](const Comm& comm) {
        SerialIterator batches(Dataset(row_numbers()), 1,
                               {.order_sampler = create_multi_node_order_sampler(rows, *comm)});
        const int64_t each = (rows + comm->size() - 1) / comm->size();
        std::vector<std::vector<int64_t>> epochs;
        for (int epoch = 0; epoch < 3; ++epoch) {
            std::vector<int64_t> mine;
            for (int64_t i = 0; i < each; ++i)
                mine.push_back((*batches.next())[0][0].item<int64_t>());
            EXPECT_EQ(batches.epoch(), epoch + 1);
            const std::vector<int64_t> on_ranks = counts(mine, *comm);
            for (const int64_t count : on_ranks) EXPECT_GE(count, 1);
            EXPECT_EQ(std::accumulate(on_ranks.begin(), on_ranks.end(), int64_t(0)),
                      each * comm->size());
            // Of all ranks: the few rows of one may be the same again.
            std::vector<int64_t>& order = epochs.emplace_back();
            for (const Array& part : comm->allgather(Array::from<int64_t>(mine, {each})))
                for (const int64_t row : part.to_vector<int64_t>()) order.push_back(row);
        }
        EXPECT_NE(epochs[0], epochs[1]);
        EXPECT_NE(epochs[1], epochs[2]);
    });
}

TEST_P(SharedDataset, can_leave_out_the_rest_of_an_epoch) {
    run_local(GetParam(), [](const Comm& comm) {
        const int64_t each = rows / comm->size();
        if (each == 0) return;
        SerialIterator batches(
            Dataset(row_numbers()), each,
            {.order_sampler = create_multi_node_order_sampler(rows, *comm, {.drop_last = true})});
        std::vector<int64_t> mine;
        const auto batch = batches.next();
        for (const Example& example : *batch) mine.push_back(example[0].item<int64_t>());
        EXPECT_TRUE(batches.is_new_epoch());
        for (const int64_t count : counts(mine, *comm)) EXPECT_LE(count, 1);
    });
}

/// The numbers of the next batches.
std::vector<int64_t> next_numbers(Iterator& batches, int count) {
    std::vector<int64_t> numbers;
    for (int i = 0; i < count; ++i) {
        const auto batch = batches.next();
        for (const Example& example : *batch) numbers.push_back(example[0].item<int64_t>());
    }
    return numbers;
}

TEST_P(SharedDataset, goes_on_after_a_resume_also_from_the_file_of_another_rank) {
    run_local(GetParam(), [](const Comm& comm) {
        const auto make = [&](int64_t seed) {
            return SerialIterator(
                Dataset(row_numbers()), 3,
                {.order_sampler = create_multi_node_order_sampler(rows, *comm, {.seed = seed})});
        };
        SerialIterator batches = make(5);
        next_numbers(batches, 5);
        MemoryArchive own;
        save_to(own, [&](const Serializer& s) { batches.serialize(s); });
        const std::string of_rank_0 = comm->bcast_bytes(own.bytes());
        const std::vector<int64_t> expected = next_numbers(batches, 9);
        for (const std::string& bytes : {own.bytes(), of_rank_0}) {
            SerialIterator resumed = make(99);
            load_from(MemoryArchive(bytes, "memory"),
                      [&](const Serializer& s) { resumed.serialize(s); }, {});
            EXPECT_EQ(next_numbers(resumed, 9), expected);
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Ranks, SharedDataset, ::testing::Values(1, 2, 3, 7));

TEST(OrderPart, refuses_what_is_no_part) {
    EXPECT_THAT(problem_of([] { ShuffleOrderSampler(1, {.examples = 5, .rank = 2, .ranks = 2}); }),
                HasSubstr("there is no rank 2 of 2"));
    EXPECT_THAT(
        problem_of([] { ShuffleOrderSampler(1, {.examples = 2, .ranks = 3, .drop_last = true}); }),
        HasSubstr("leave none for each of 3 ranks"));
    EXPECT_THAT(problem_of([] {
                    SerialIterator(Dataset(row_numbers()), 1,
                                   {.order_sampler = ShuffleOrderSampler(1, {.examples = 9})});
                }),
                HasSubstr("the dataset has 10 examples, the sampler was made for 9"));
}

}  // namespace
}  // namespace catena
