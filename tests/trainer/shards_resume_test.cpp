// A training that reads shards goes on with the samples that were to come, to the bit, on one rank
// and on several.
#include <filesystem>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/link/connection/linear.h"
#include "frontend/optimizer/rules/adam.h"
#include "frontend/serializer/memory_archive.h"
#include "frontend/serializer/npz.h"
#include "frontend/shards/shard_iterator.h"
#include "frontend/shards/shard_writer.h"
#include "frontend/trainer/extensions/snapshot/snapshot.h"
#include "frontend/trainer/standard_updater.h"
#include "frontend/trainer/trainer.h"
#include "runtime/comm/local.h"
#include "runtime/ops/loss/loss.h"
#include "runtime/ops/noise/random.h"
#include "tests/trainer/fixtures.h"

namespace catena {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::message_of;
using Comm = std::shared_ptr<Communicator>;

class ResumedShards : public testing::FolderTest {
protected:
    /// Shards of different lengths; "cls" counts from 0.
    std::string uneven(int shards) {
        std::mt19937 random(5);
        int number = 0;
        for (int shard = 0; shard < shards; ++shard) {
            ShardWriter writer(path(std::to_string(shard) + ".tar"));
            for (unsigned i = 0, count = 3 + random() % 20; i < count; ++i, ++number)
                writer.write(std::to_string(number), {{"cls", std::to_string(number)}});
            writer.finish();
        }
        return path("{0.." + std::to_string(shards - 1) + "}.tar");
    }
};

Example noisy_number(const ShardSample& sample) {
    return {Array::scalar(float(sample.integer("cls"))), random_uniform({2}).array()};
}

std::vector<float> next_values(Iterator& batches, int count) {
    std::vector<float> values;
    for (int i = 0; i < count; ++i) {
        const auto batch = batches.next();
        if (!batch) {
            batches.reset();
            continue;
        }
        for (const Example& example : *batch)
            for (const Array& value : example.values())
                for (const float x : value.to_vector<float>()) values.push_back(x);
    }
    return values;
}

std::string saved(Iterator& batches) {
    MemoryArchive archive;
    save_to(archive, [&](const Serializer& s) { batches.serialize(s); });
    return archive.bytes();
}

void load(Iterator& batches, const std::string& bytes) {
    load_from(MemoryArchive(bytes, "memory"), [&](const Serializer& s) { batches.serialize(s); },
              {});
}

TEST_F(ResumedShards, go_on_at_any_place_of_any_iterator) {
    const std::string shards = uneven(5);
    std::mt19937 random(1);
    for (int draw = 0; draw < 40; ++draw) {
        const int64_t batch = 1 + int64_t(random() % 9);
        ShardIteratorOptions options{.repeat = random() % 4 > 0,
                                     .shuffle = random() % 5 > 0,
                                     .window = int64_t(1 + random() % (random() % 2 ? 5 : 200)),
                                     .seed = int64_t(random()),
                                     .epoch_size = random() % 2 ? int64_t(1 + random() % 30) : 0,
                                     .n_threads = int(1 + random() % 3),
                                     .n_prefetch = int(1 + random() % 3)};
        ShardIterator batches(shards, batch, noisy_number, options);
        next_values(batches, int(random() % 40));
        const std::string place = saved(batches);
        const int64_t epoch = batches.epoch(), position = batches.current_position();
        const std::vector<float> expected = next_values(batches, 30);
        options.seed = 999;
        options.n_threads = int(1 + random() % 3);
        ShardIterator resumed(shards, batch, noisy_number, options);
        if (random() % 2) resumed.next();
        load(resumed, place);
        EXPECT_EQ(resumed.epoch(), epoch);
        EXPECT_EQ(resumed.current_position(), position);
        EXPECT_EQ(next_values(resumed, 30), expected) << "draw " << draw;
    }
}

/// A training until an iteration, from the folder's last snapshot if there is one; the parameters.
std::vector<float> trained(const std::string& shards, int until, const std::string& folder) {
    set_seed(int64_t(until));  // Nothing but the snapshot makes both alike.
    Linear model(2, 1);
    Adam adam;
    adam.setup(model);
    ShardIterator batches(
        shards, 4,
        [](const ShardSample& sample) {
            return Example{random_uniform({2}).array(),
                           Array::full({Dtype::float32, {1}}, double(sample.integer("cls")) / 50)};
        },
        {.window = 15, .n_threads = 2});
    StandardUpdater updater(batches, adam, [&](const Variable& x, const Variable& t) {
        return mean_squared_error(model(x), t);
    });
    Trainer trainer(updater, {double(until), "iteration"}, folder);
    trainer.extend(extensions::snapshot({.autoload = true}), {.trigger = {7, "iteration"}});
    trainer.run();
    return model.W.array().to_vector<float>();
}

TEST_F(ResumedShards, make_a_resumed_training_that_of_one_run) {
    const std::string shards = uneven(4);
    trained(shards, 7, path("whole"));  // The state at iteration 7 is the beginning of both.
    std::filesystem::copy(path("whole"), path("resumed"));
    const std::vector<float> whole = trained(shards, 28, path("whole"));
    for (const int until : {14, 21, 28}) {
        const std::vector<float> part = trained(shards, until, path("resumed"));
        if (until == 28)
            EXPECT_EQ(part, whole);
        else
            EXPECT_NE(part, whole);
    }
}

TEST_F(ResumedShards, of_several_ranks_agree_on_seed_and_shards) {
    const std::string shards = uneven(7);
    for (const int ranks : {1, 2, 3, 7}) {
        run_local(ranks, [&](const Comm& comm) {
            set_seed(comm->rank());
            const auto number = [](const ShardSample& sample) {
                return Example(Array::scalar(sample.integer("cls")));
            };
            ShardIterator batches(shards, 4, number,
                                  {.repeat = false, .window = 6, .communicator = comm.get()});
            Array counts = Array::zeros({Dtype::int64, {200}});
            while (const auto batch = batches.next())
                for (const Example& example : *batch)
                    counts.data<int64_t>()[example[0].item<int64_t>()] += 1;
            int64_t total = 0;
            for (const std::string& path : expand_shards(shards)) total += count_samples(path);
            std::vector<int64_t> once(200, 0);
            std::fill(once.begin(), once.begin() + total, 1);
            EXPECT_EQ(comm->allreduce(counts).to_vector<int64_t>(), once);
        });
    }
    run_local(2, [&](const Comm& comm) {
        EXPECT_THAT(message_of<ValueError>([&] {
                        ShardIterator(shards, 4 + comm->rank(), {},
                                      {.epoch_size = 8, .communicator = comm.get()});
                    }),
                    AllOf(HasSubstr("ShardIterator"), HasSubstr("batches of 4"),
                          HasSubstr("batches of 5")));
    });
}

TEST_F(ResumedShards, of_a_rank_are_found_in_the_file_of_another) {
    const std::string shards = uneven(7);
    std::mt19937 random(3);
    for (int draw = 0; draw < 12; ++draw) {
        const int ranks = 2 + int(random() % 4), steps = int(random() % 60);
        ShardIteratorOptions options{.shuffle = random() % 4 > 0,
                                     .window = int64_t(1 + random() % 30),
                                     .seed = int64_t(random()),
                                     .epoch_size = int64_t(1 + random() % 30),
                                     .ranks = ranks};
        const int64_t batch = int64_t(1 + random() % 6);
        const auto make = [&](int rank) {
            options.rank = rank;
            return std::make_unique<ShardIterator>(shards, batch, noisy_number, options);
        };
        const auto of_rank_0 = make(0), of_last = make(ranks - 1);
        next_values(*of_rank_0, steps);
        next_values(*of_last, steps);
        const std::string file = saved(*of_rank_0);
        options.seed = 1;
        const auto resumed = make(ranks - 1);
        load(*resumed, file);
        EXPECT_EQ(resumed->epoch(), of_last->epoch());
        EXPECT_EQ(next_values(*resumed, 20), next_values(*of_last, 20)) << "draw " << draw;
    }
}

TEST_F(ResumedShards, of_any_number_of_ranks_give_every_sample_once) {
    const std::string shards = uneven(8);
    int64_t all = 0;
    for (const std::string& path : expand_shards(shards)) all += count_samples(path);
    std::mt19937 random(9);
    for (int draw = 0; draw < 40; ++draw) {
        SCOPED_TRACE("draw " + std::to_string(draw));
        ShardIteratorOptions options{.shuffle = random() % 4 > 0,
                                     .window = int64_t(1 + random() % 30),
                                     .seed = int64_t(random()),
                                     .epoch_size = int64_t(1 + random() % 30)};
        std::vector<int64_t> times(size_t(all), 0);
        const auto note = [&](const std::vector<Example>& batch) {
            for (const Example& example : batch)
                times[size_t(example[0].to_vector<float>()[0])] += 1;
        };
        std::string file;
        std::vector<int> numbers_of_ranks(1 + random() % 4);
        for (int& ranks : numbers_of_ranks) ranks = int(1 + random() % 8);
        if (random() % 2) numbers_of_ranks.push_back(numbers_of_ranks.back());
        numbers_of_ranks.push_back(1);  // Alone, it gives pass after pass to the end.
        for (size_t start = 0; start < numbers_of_ranks.size(); ++start) {
            const bool is_last = start + 1 == numbers_of_ranks.size();
            options.ranks = numbers_of_ranks[start];
            const int64_t batch = is_last ? 1 : int64_t(1 + random() % 6);
            const int steps = int(random() % 30);
            std::vector<std::unique_ptr<ShardIterator>> ranks;
            for (options.rank = 0; options.rank < options.ranks; ++options.rank) {
                ranks.push_back(
                    std::make_unique<ShardIterator>(shards, batch, noisy_number, options));
                if (start > 0) load(*ranks.back(), file);
            }
            for (int step = 0; step < steps && !is_last; ++step)
                for (auto& rank : ranks) note(*rank->next());
            if (!is_last) {
                file = saved(*ranks[random() % ranks.size()]);
                continue;
            }
            // Where some ranks were ahead by passes, it takes as many until all are equal.
            for (int64_t most = all * 20; most > 0; --most) {
                note(*ranks[0]->next());
                if (std::ranges::min(times) == std::ranges::max(times)) break;
            }
            EXPECT_EQ(std::ranges::min(times), std::ranges::max(times));
        }
    }
}

TEST_F(ResumedShards, of_other_numbers_of_ranks_are_as_far_in_their_epoch) {
    const std::string shards = uneven(8);
    ShardIteratorOptions options{.seed = 2, .epoch_size = 12, .ranks = 4};
    ShardIterator of_four(shards, 3, noisy_number, options);
    next_values(of_four, 7);  // 21 samples: 9 of the second epoch.
    options = {.seed = 5, .epoch_size = 24, .rank = 1, .ranks = 2};
    ShardIterator of_two(shards, 6, noisy_number, options);
    load(of_two, saved(of_four));
    EXPECT_EQ(of_two.epoch(), 1);
    EXPECT_EQ(of_two.current_position(), 18);
    EXPECT_EQ(of_two.epoch_detail(), 1.75);
    // They go on in the same way whenever they are asked, also in the file of the other one.
    const std::string again = saved(of_two);
    const std::vector<float> expected = next_values(of_two, 20);
    options.seed = 77;
    ShardIterator second(shards, 6, noisy_number, options);
    load(second, again);
    EXPECT_EQ(next_values(second, 20), expected);
    options.rank = 0;
    ShardIterator other(shards, 6, noisy_number, options),
        other_again(shards, 6, noisy_number, options);
    load(other, saved(of_four));
    load(other_again, again);
    EXPECT_EQ(next_values(other_again, 20), next_values(other, 20));
}

TEST_F(ResumedShards, of_an_evaluation_begin_with_the_same_pass_on_every_rank) {
    const std::string shards = uneven(7);
    ShardIteratorOptions options{.repeat = false, .window = 5, .seed = 6, .ranks = 3};
    const auto make = [&](int rank) {
        options.rank = rank;
        return std::make_unique<ShardIterator>(shards, 4, noisy_number, options);
    };
    const auto epoch = [](ShardIterator& batches) {
        batches.reset();
        std::vector<float> values;
        while (const auto batch = batches.next())
            for (const Example& example : *batch)
                for (const float x : example[1].to_vector<float>()) values.push_back(x);
        return values;
    };
    const auto of_rank_0 = make(0), of_last = make(2);
    for (int pass = 0; pass < 3; ++pass) {
        epoch(*of_rank_0);
        epoch(*of_last);
    }
    const auto resumed = make(2);
    load(*resumed, saved(*of_rank_0));
    const std::vector<float> expected = epoch(*of_last);
    EXPECT_EQ(epoch(*resumed), expected);
    of_rank_0->reset();
    of_rank_0->next();
    EXPECT_THAT(message_of<FileError>([&] { load(*resumed, saved(*of_rank_0)); }),
                HasSubstr("a pass was not read to its end"));
}

TEST_F(ResumedShards, refuse_files_that_do_not_fit) {
    const std::string shards = uneven(4);
    const ShardIteratorOptions of_two{.seed = 1, .epoch_size = 9, .ranks = 2};
    ShardIterator batches(shards, 3, noisy_number, of_two);
    next_values(batches, 2);
    const std::string file = saved(batches);
    ShardIterator other_list(path("{0..2}.tar"), 3, noisy_number, of_two);
    EXPECT_THAT(message_of<FileError>([&] { load(other_list, file); }),
                HasSubstr("is of a list of 4 shards; here are 3"));
    ShardIterator half_pass(shards, 3, noisy_number, {.repeat = false, .seed = 1, .ranks = 2});
    half_pass.next();
    ShardIterator of_one(shards, 3, noisy_number, {.epoch_size = 9});
    EXPECT_THAT(message_of<FileError>([&] { load(of_one, saved(half_pass)); }),
                AllOf(HasSubstr("by 2 ranks, this one has 1"),
                      HasSubstr("a pass was not read to its end")));
    ShardIterator other_window(shards, 3, noisy_number,
                               {.window = 7, .epoch_size = 9, .rank = 1, .ranks = 2});
    EXPECT_THAT(message_of<FileError>([&] { load(other_window, file); }),
                HasSubstr("the options differ"));
    // Another file under the same name.
    ShardIterator same(shards, 3, noisy_number, of_two);
    load(same, file);
    for (const std::string& path : expand_shards(shards)) {
        ShardWriter writer(path);
        writer.write("0", {{"cls", "0"}});
        writer.finish();
    }
    EXPECT_THAT(message_of<FileError>([&] { same.next(); }), HasSubstr("it is another file"));
}

}  // namespace
}  // namespace catena
