// Samples in tar shards: what is written is read, and what cannot be read is an error.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/dataset/text_dataset.h"
#include "frontend/shards/shard_iterator.h"
#include "frontend/shards/shard_writer.h"
#include "frontend/shards/tar_header.h"
#include "runtime/file/limits.h"
#include "runtime/ops/noise/random.h"
#include "tests/trainer/fixtures.h"

namespace catena {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;

class ShardFiles : public testing::FolderTest {
protected:
    /// Shards of `each` samples, whose "cls" counts from 0.
    std::string numbered(int64_t shards, int64_t each) {
        ShardWriter writer(path("n-%03d.tar"), {.most_samples = each});
        for (int64_t i = 0; i < shards * each; ++i)
            writer.write(std::to_string(i), {{"cls", std::to_string(i)}});
        writer.finish();
        EXPECT_EQ(int64_t(writer.shards().size()), shards);
        return path("n-{000.." + std::to_string(shards - 1) + "}.tar");
    }
    /// A file with these bytes.
    std::string file(const std::string& name, const std::string& bytes) {
        std::ofstream(path(name), std::ios::binary) << bytes;
        return path(name);
    }
};

std::string entry(const std::string& name, const std::string& content) {
    return tar_header(name, content.size()) + content + tar_padding(content.size());
}

Example number_of(const ShardSample& sample) { return Array::scalar(sample.integer("cls")); }

std::vector<int64_t> numbers_of(Iterator& batches) {
    std::vector<int64_t> numbers;
    while (const auto batch = batches.next())
        for (const Example& example : *batch) numbers.push_back(example[0].item<int64_t>());
    return numbers;
}

std::vector<int64_t> up_to(int64_t n) {
    std::vector<int64_t> all(static_cast<size_t>(n));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

TEST_F(ShardFiles, give_the_bytes_that_were_written) {
    ShardWriter writer(path("x.tar"));
    writer.write("a/b", {{"jpg", std::string("\0\xff", 2)}, {"seg.png", ""}});
    writer.write(std::string(200, 'k'), {{"txt", std::string(5000, 't')}});
    writer.finish();
    EXPECT_THAT(writer.shards(), ElementsAre(path("x.tar")));
    ShardIterator batches(path("x.tar"), 2, {}, {.repeat = false, .shuffle = false});
    const auto batch = batches.next();
    ASSERT_TRUE(batch && batch->size() == 2);
    const Example& first = (*batch)[0];
    EXPECT_THAT(first.keys(), ElementsAre("__key__", "jpg", "seg.png"));
    EXPECT_EQ(text_of(first["__key__"]), "a/b");
    EXPECT_EQ(text_of(first["jpg"]), std::string("\0\xff", 2));
    EXPECT_EQ(first["seg.png"].shape(), (Shape{0}));
    EXPECT_EQ(text_of((*batch)[1]["txt"]), std::string(5000, 't'));
    EXPECT_FALSE(batches.next());
    EXPECT_FALSE(batches.next());
    EXPECT_EQ(batches.epoch(), 1);
}

TEST_F(ShardFiles, say_what_a_sample_lacks) {
    const std::string shard =
        file("x.tar", entry("d/7.cls", " 12\n") + entry("d/7.txt", "twelve") + tar_end());
    ShardReader reader(shard);
    const auto sample = reader.next();
    ASSERT_TRUE(sample);
    EXPECT_EQ(sample->integer("cls"), 12);
    EXPECT_EQ(sample->bytes(), 10u);
    EXPECT_EQ(message_of<FileError>([&] { sample->integer("txt"); }),
              shard + ": d/7.txt: 'twelve' is no integer");
    EXPECT_EQ(message_of<FileError>([&] { (*sample)["jpg"]; }),
              shard + ": sample 0, 'd/7', has no file '.jpg'; it has .cls, .txt");
    EXPECT_FALSE(reader.next());
}

TEST_F(ShardFiles, are_read_in_batches_that_go_through_epochs) {
    const std::string shards = numbered(3, 5);
    ShardIterator batches(shards, 4, number_of, {.shuffle = false});
    std::vector<int64_t> seen;
    for (int i = 0; i < 15; ++i) {
        const auto batch = batches.next();
        ASSERT_EQ(batch->size(), 4u);
        for (const Example& example : *batch) seen.push_back(example[0].item<int64_t>());
        EXPECT_EQ(batches.epoch(), int64_t(seen.size()) / 15);
        EXPECT_EQ(batches.is_new_epoch(), int64_t(seen.size()) % 15 < 4);
        EXPECT_GE(batches.epoch_detail(), double(batches.epoch()));
        EXPECT_LT(batches.epoch_detail(), double(batches.epoch() + 1));
        EXPECT_EQ(batches.current_position(), int64_t(seen.size()) % 15);
    }
    for (size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], int64_t(i) % 15);
    batches.reset();
    EXPECT_EQ(batches.epoch(), 0);
    EXPECT_EQ((*batches.next())[0][0].item<int64_t>(), 0);
}

TEST_F(ShardFiles, count_epochs_exactly_where_their_size_is_given) {
    ShardIterator batches(numbered(3, 5), 4, number_of, {.seed = 1, .epoch_size = 8});
    EXPECT_EQ(batches.examples_per_epoch(), 8);
    EXPECT_FALSE(batches.previous_epoch_detail());
    batches.next();
    EXPECT_DOUBLE_EQ(batches.epoch_detail(), 0.5);
    batches.next();
    EXPECT_TRUE(batches.is_new_epoch());
    EXPECT_DOUBLE_EQ(batches.epoch_detail(), 1.0);
    EXPECT_DOUBLE_EQ(*batches.previous_epoch_detail(), 0.5);
}

TEST_F(ShardFiles, give_random_numbers_that_do_not_depend_on_the_threads) {
    const std::string shards = numbered(3, 20);
    const auto noise = [](const ShardSample& sample) {
        return Example{Array::scalar(sample.integer("cls")), random_uniform({3}).array()};
    };
    const auto all = [&](int threads, int ahead) {
        ShardIterator batches(
            shards, 7, noise,
            {.repeat = false, .window = 10, .seed = 3, .n_threads = threads, .n_prefetch = ahead});
        std::vector<float> values;
        while (const auto batch = batches.next())
            for (const Example& example : *batch) {
                values.push_back(float(example[0].item<int64_t>()));
                for (const float x : example[1].to_vector<float>()) values.push_back(x);
            }
        return values;
    };
    const std::vector<float> one = all(1, 1);
    EXPECT_EQ(one.size(), 240u);
    EXPECT_EQ(all(4, 3), one);
}

TEST_F(ShardFiles, are_read_again_after_an_error_of_the_function) {
    bool fails = true;
    ShardIterator batches(numbered(2, 5), 3,
                          [&](const ShardSample& sample) {
                              if (fails && sample.integer("cls") == 4) fail<ValueError>("four");
                              return number_of(sample);
                          },
                          {.repeat = false, .shuffle = false, .n_threads = 2});
    EXPECT_EQ(batches.next()->size(), 3u);
    const std::string message = message_of<ValueError>([&] { batches.next(); });
    EXPECT_THAT(message, AllOf(HasSubstr("n-000.tar, sample 4 ('4'): "), HasSubstr("four")));
    EXPECT_EQ(batches.current_position(), 3);
    fails = false;
    EXPECT_THAT(numbers_of(batches), ElementsAre(3, 4, 5, 6, 7, 8, 9));
}

TEST_F(ShardFiles, hold_no_more_samples_than_the_window_and_the_batches_ahead) {
    // Each sample is read when its place in the window is free: by then so many were transformed.
    const std::string shards = numbered(4, 100);
    std::atomic<int> transformed = 0;
    ShardIterator batches(shards, 10,
                          [&](const ShardSample& sample) {
                              ++transformed;
                              return number_of(sample);
                          },
                          {.window = 20, .seed = 1, .n_prefetch = 2});
    for (int taken = 1; taken <= 8; ++taken) {
        batches.next();
        EXPECT_LE(transformed, 10 * (taken + 2));
    }
}

TEST_F(ShardFiles, refuse_options_that_do_not_fit) {
    const std::string shards = numbered(2, 2);
    const auto refused = [&](int64_t batch, const ShardIteratorOptions& options) {
        return message_of<ValueError>([&] { ShardIterator(shards, batch, number_of, options); });
    };
    EXPECT_THAT(refused(0, {}), HasSubstr("the batch size must be positive, not 0"));
    EXPECT_THAT(refused(1, {.window = 0}), HasSubstr("a window of 0 samples"));
    EXPECT_THAT(refused(1, {.n_threads = 0}), HasSubstr("0 threads"));
    EXPECT_THAT(refused(1, {.epoch_size = -1}), HasSubstr("an epoch of -1 samples"));
    EXPECT_THAT(refused(1, {.rank = 1, .ranks = 2}), HasSubstr("give epoch_size"));
    EXPECT_THAT(refused(1, {.epoch_size = 4, .ranks = 3}), HasSubstr("2 shards for 3 ranks"));
    EXPECT_THAT(refused(1, {.rank = 3, .ranks = 3}), HasSubstr("no rank 3 of 3"));
    EXPECT_THAT(message_of<ValueError>([] { ShardIterator({}, 1); }), HasSubstr("no paths"));
}

TEST_F(ShardFiles, without_samples_are_an_error_where_an_epoch_follows) {
    const std::string empty = file("x.tar", tar_end());
    ShardIterator once(empty, 1, {}, {.repeat = false});
    EXPECT_FALSE(once.next());
    ShardIterator again(empty, 1);
    EXPECT_THAT(message_of<FileError>([&] { again.next(); }), HasSubstr("have no samples"));
}

TEST_F(ShardFiles, that_declare_too_much_are_refused_before_memory_is_taken) {
    FileLimits small = file_limits();
    small.bytes = 1000;
    const FileLimits before = file_limits();
    set_file_limits(small);
    const std::string large = file("large.tar", tar_header("0.cls", uint64_t(1) << 40) + tar_end());
    const std::string sum = file("sum.tar", entry("0.a", std::string(900, 'a')) +
                                                entry("0.b", std::string(200, 'b')) + tar_end());
    EXPECT_THAT(message_of<FileError>([&] { ShardReader{large}; }),
                AllOf(HasSubstr("large.tar: entry 1, '0.cls', declares 1099511627776 bytes"),
                      HasSubstr("CATENA_FILE_LIMIT_MB")));
    ShardReader reader(sum);
    EXPECT_THAT(message_of<FileError>([&] { reader.next(); }),
                HasSubstr("sum.tar: sample 0, '0', declares 1100 bytes; at most 1000"));
    set_file_limits(before);
}

TEST_F(ShardFiles, that_are_cut_anywhere_are_an_error_or_lack_nothing) {
    const std::string whole = entry("0.cls", "7") + entry("0.txt", std::string(600, 't')) +
                              entry(std::string(150, 'n') + ".cls", "8") + tar_end();
    int64_t refused = 0;
    for (size_t bytes = 0; bytes <= whole.size(); ++bytes) {
        if (bytes % 61 != 0 && (bytes + 2) % tar_record_bytes > 4) continue;  // All around records.
        const std::string cut = file("cut.tar", whole.substr(0, bytes));
        std::vector<size_t> sizes;
        try {
            ShardReader shard(cut);
            while (const auto sample = shard.next()) sizes.push_back(sample->bytes());
            EXPECT_THAT(sizes, ElementsAre(601, 1)) << bytes << " bytes";
        } catch (const FileError& error) {
            EXPECT_THAT(error.what(), HasSubstr("cut.tar: "));
            ++refused;
        }
    }
    EXPECT_GT(refused, 80);
}

TEST_F(ShardFiles, with_long_or_odd_names_are_named_in_print) {
    const std::string named = file("x.tar", entry("\x1b[2J\n.cls", "x") + tar_end());
    ShardReader reader(named);
    EXPECT_THAT(message_of<FileError>([&] { reader.next()->integer("cls"); }),
                HasSubstr("\\x1b[2J\\x0a.cls"));
    const std::string longest =
        file("y.tar", entry(std::string(5000, 'n') + ".cls", "") + tar_end());
    EXPECT_THAT(message_of<FileError>([&] { ShardReader{longest}; }),
                HasSubstr("has a name of 5004 bytes; at most 4096 are allowed"));
}

TEST_F(ShardFiles, are_divided_and_shuffled_by_ranks) {
    const std::string shards = numbered(7, 6);
    for (const int ranks : {1, 2, 3, 7}) {
        std::vector<int64_t> all;
        for (int rank = 0; rank < ranks; ++rank) {
            ShardIterator part(
                shards, 4, number_of,
                {.repeat = false, .window = 5, .seed = 2, .rank = rank, .ranks = ranks});
            for (const int64_t number : numbers_of(part)) all.push_back(number);
        }
        EXPECT_NE(all, up_to(42));
        std::sort(all.begin(), all.end());
        EXPECT_EQ(all, up_to(42));
    }
}

TEST(ShardNames, of_writers_are_a_pattern_with_one_number) {
    for (const char* pattern : {"a%b.tar", "a%06d-%06d.tar", "a%s", "%", "a%123d", "a%99d"})
        EXPECT_THROW(ShardWriter{pattern}, ValueError) << pattern;
    EXPECT_NO_THROW(ShardWriter{"a%d.tar"});
    EXPECT_NO_THROW(ShardWriter{"a.tar"});
}

}  // namespace
}  // namespace catena
