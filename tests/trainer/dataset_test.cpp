#include <algorithm>
#include <atomic>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/dataset/concat_examples.h"
#include "frontend/dataset/datasets.h"
#include "frontend/dataset/iterator/multiprocess_iterator.h"
#include "frontend/dataset/iterator/multithread_iterator.h"
#include "frontend/dataset/iterator/serial_iterator.h"
#include "frontend/dataset/split.h"
#include "frontend/dataset/well_known/cifar.h"
#include "frontend/dataset/well_known/ptb.h"
#include "frontend/serializer/npz.h"
#include "runtime/ops/noise/random.h"
#include "tests/trainer/fixtures.h"

namespace catena {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;

Array range(int first, int last) {
    std::vector<int32_t> values(size_t(last - first));
    std::iota(values.begin(), values.end(), first);
    return Array::from(values, {last - first});
}

std::vector<int> numbers(const Dataset& dataset) {
    std::vector<int> values;
    for (int64_t i = 0; i < dataset.size(); ++i) values.push_back(dataset[i][0].item<int>());
    return values;
}

std::vector<int> numbers(const std::vector<Example>& examples) {
    std::vector<int> values;
    for (const Example& example : examples) values.push_back(example[0].item<int>());
    return values;
}

TEST(Dataset, tuples_and_dicts_pair_examples) {
    Dataset pairs = TupleDataset(range(0, 3), range(10, 13));
    EXPECT_TRUE(pairs[1].is_tuple());
    EXPECT_EQ(pairs[-1][1].item<int>(), 12);
    Dataset named = DictDataset({{"x", range(0, 3)}, {"t", range(10, 13)}});
    EXPECT_EQ(named[2]["t"].item<int>(), 12);
    EXPECT_THAT(named[0].keys(), ElementsAre("x", "t"));
    EXPECT_THAT(message_of<ValueError>([] { TupleDataset(range(0, 3), range(0, 4)); }),
                HasSubstr("the first has 3 examples, number 2 has 4"));
    EXPECT_THAT(message_of<ValueError>([&] { named[0]["y"]; }), HasSubstr("there are x, t"));
    EXPECT_THROW(pairs[3], ValueError);
}

TEST(Dataset, transforms_and_concatenation_are_lazy_views) {
    int calls = 0;
    TransformDataset doubled(range(0, 4), [&](const Example& x) {
        ++calls;
        return Example(Array::scalar(2 * x[0].item<int>()));
    });
    EXPECT_EQ(calls, 0);
    EXPECT_THAT(numbers(ConcatenatedDataset({doubled, range(7, 9)})),
                ElementsAre(0, 2, 4, 6, 7, 8));
    EXPECT_EQ(calls, 4);
}

TEST(Dataset, splits_cover_everything_once) {
    auto [first, second] = split_dataset(range(0, 10), 4);
    EXPECT_THAT(numbers(first), ElementsAre(0, 1, 2, 3));
    EXPECT_EQ(second.size(), 6);
    auto [a, b] = split_dataset_random(range(0, 10), 4, 1);
    std::vector<int> both = numbers(a), rest = numbers(b);
    both.insert(both.end(), rest.begin(), rest.end());
    EXPECT_FALSE(std::is_sorted(both.begin(), both.end()));
    std::sort(both.begin(), both.end());
    EXPECT_EQ(both, numbers(Dataset(range(0, 10))));
    EXPECT_EQ(numbers(split_dataset_random(range(0, 10), 4, 1).first), numbers(a))
        << "a function of the seed";

    auto thirds = split_dataset_n(range(0, 10), 3);
    ASSERT_EQ(thirds.size(), 3u);
    EXPECT_THAT(numbers(thirds[2]), ElementsAre(6, 7, 8));

    std::multiset<int> tested;
    for (auto& [train, test] : get_cross_validation_datasets_random(range(0, 10), 3, 5)) {
        EXPECT_EQ(train.size() + test.size(), 10);
        for (int i : numbers(test)) tested.insert(i);
    }
    EXPECT_EQ(tested, std::multiset<int>(std::multiset<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
    EXPECT_THROW(split_dataset(range(0, 10), 11), ValueError);
    EXPECT_THROW(get_cross_validation_datasets(range(0, 10), 1), ValueError);
    EXPECT_THROW(SubDataset(range(0, 3), 0, 3, std::vector<int64_t>{0, 1}), ValueError);
}

TEST(ConcatExamples, stacks_tuples_dicts_and_numbers) {
    std::vector<Example> pairs;
    for (int i = 0; i < 3; ++i)
        pairs.push_back({Array::from<float>({float(i), float(-i)}), Array::scalar(int32_t(i))});
    Batch batch = concat_examples(pairs);
    EXPECT_EQ(to_string(batch[0].shape()), "[3,2]");
    EXPECT_THAT(batch[0].array().to_vector<float>(), ElementsAre(0, 0, 1, -1, 2, -2));
    EXPECT_THAT(batch[1].array().to_vector<int>(), ElementsAre(0, 1, 2));
    EXPECT_FALSE(batch[0].requires_grad());
    std::vector<Example> named{Example({"x"}, {Array::scalar(1.5)}),
                               Example({"x"}, {Array::scalar(2.5)})};
    EXPECT_THAT(concat_examples(named)["x"].array().to_vector<double>(), ElementsAre(1.5, 2.5));
}

TEST(ConcatExamples, takes_views_that_are_not_dense) {
    Array matrix = Array::from<float>(std::vector<float>{0, 1, 2, 3, 4, 5}, {2, 3});
    Array column = matrix.view({2}, {3}, 1);
    EXPECT_THAT(concat_examples(std::vector<Example>{column, column})[0].array().to_vector<float>(),
                ElementsAre(1, 4, 1, 4));
}

TEST(ConcatExamples, pads_ragged_examples) {
    std::vector<Example> ragged{{Array::from<float>({1, 2, 3}), Array::from<int32_t>({7})},
                                {Array::from<float>({4}), Array::from<int32_t>({8, 9})}};
    Batch batch = concat_examples(ragged, {.padding = {0, -1}});
    EXPECT_THAT(batch[0].array().to_vector<float>(), ElementsAre(1, 2, 3, 4, 0, 0));
    EXPECT_THAT(batch[1].array().to_vector<int>(), ElementsAre(7, -1, 8, 9));
    EXPECT_THAT(message_of<ShapeError>([&] { concat_examples(ragged); }),
                HasSubstr("[3] in the first example, [1]"));
}

TEST(ConcatExamples, refuses_what_does_not_fit_together) {
    EXPECT_THROW(concat_examples({}), ValueError);
    EXPECT_THROW(
        concat_examples(std::vector<Example>{Array::scalar(1.0f), Array::scalar(int32_t(1))}),
        DtypeError);
    std::vector<Example> mixed{Example(Array::scalar(1.0f)),
                               Example{Array::scalar(1.0f), Array::scalar(1.0f)}};
    EXPECT_THROW(concat_examples(mixed), ValueError);
}

TEST(OrderSampler, decides_the_order_of_every_epoch) {
    auto backwards = [](const std::vector<int64_t>& order, int64_t) {
        return std::vector<int64_t>(order.rbegin(), order.rend());
    };
    SerialIterator it(range(0, 3), 3, {.order_sampler = backwards});
    EXPECT_THAT(numbers(*it.next()), ElementsAre(2, 1, 0));
    EXPECT_THAT(numbers(*it.next()), ElementsAre(0, 1, 2));
    SerialIterator seeded(range(0, 20), 20, {.order_sampler = ShuffleOrderSampler(3)});
    SerialIterator again(range(0, 20), 20, {.order_sampler = ShuffleOrderSampler(3)});
    EXPECT_EQ(numbers(*seeded.next()), numbers(*again.next()));
    EXPECT_NE(numbers(*seeded.next()), numbers(Dataset(range(0, 20))));
}

TEST(MultithreadIterator, gives_what_the_serial_one_gives) {
    for (int threads : {1, 3}) {
        set_seed(4);
        SerialIterator serial(range(0, 17), 5);
        set_seed(4);
        MultithreadIterator parallel(range(0, 17), 5, {}, threads);
        for (int i = 0; i < 20; ++i) {
            EXPECT_EQ(numbers(*serial.next()), numbers(*parallel.next())) << i;
            EXPECT_EQ(serial.epoch(), parallel.epoch());
            EXPECT_EQ(serial.is_new_epoch(), parallel.is_new_epoch());
            EXPECT_EQ(serial.epoch_detail(), parallel.epoch_detail());
            EXPECT_EQ(serial.previous_epoch_detail(), parallel.previous_epoch_detail());
        }
        serial.reset();
        parallel.reset();
        EXPECT_EQ(numbers(*serial.next()), numbers(*parallel.next()));
        parallel.finalize();
        EXPECT_EQ(numbers(*serial.next()), numbers(*parallel.next()));
    }
}

TEST(MultithreadIterator, ends_and_throws_as_the_serial_one_does) {
    MultithreadIterator once(range(0, 5), 2, {.repeat = false, .shuffle = false}, 2);
    int batches = 0;
    while (once.next()) ++batches;
    EXPECT_EQ(batches, 3);
    EXPECT_FALSE(once.next());
    once.reset();
    EXPECT_THAT(numbers(*once.next()), ElementsAre(0, 1));

    TransformDataset broken(range(0, 6), [](const Example& x) {
        if (x[0].item<int>() == 4) fail<ValueError>("example 4 is broken");
        return x;
    });
    MultithreadIterator it(broken, 2, {.shuffle = false}, 2);
    EXPECT_NO_THROW(it.next());
    EXPECT_NO_THROW(it.next());
    EXPECT_THROW(it.next(), ValueError);
}

class IteratorFileTest : public testing::FolderTest {};

TEST_F(IteratorFileTest, goes_on_in_the_same_order_after_loading) {
    set_seed(8);
    SerialIterator it(range(0, 11), 4);
    for (int i = 0; i < 4; ++i) it.next();
    save_npz(path("it.npz"), it);
    std::vector<std::vector<int>> expected;
    for (int i = 0; i < 9; ++i) expected.push_back(numbers(*it.next()));

    set_seed(9);
    SerialIterator serial(range(0, 11), 4);
    MultithreadIterator parallel(range(0, 11), 4);
    parallel.next();
    load_npz(path("it.npz"), serial);
    load_npz(path("it.npz"), parallel);
    EXPECT_EQ(serial.epoch(), 1);
    for (auto& batch : expected) {
        EXPECT_EQ(numbers(*serial.next()), batch);
        EXPECT_EQ(numbers(*parallel.next()), batch);
    }
}

TEST_F(IteratorFileTest, an_error_of_the_dataset_loses_no_batch_also_in_a_snapshot) {
    for (bool threads : {false, true}) {
        std::atomic<bool> broken{true};
        TransformDataset dataset(range(0, 11), [&](const Example& x) {
            if (x[0].item<int>() == 5 && broken) fail<ValueError>("the disk is busy");
            return x;
        });
        auto iterator = [&](int seed) -> std::unique_ptr<Iterator> {
            set_seed(seed);
            if (threads)
                return std::make_unique<MultithreadIterator>(dataset, 3, IteratorOptions(), 2);
            return std::make_unique<SerialIterator>(dataset, 3);
        };
        set_seed(3);
        SerialIterator whole(range(0, 11), 3);
        auto it = iterator(3);
        for (int batch = 0; batch < 10; ++batch) {
            const auto before = whole.epoch_detail();
            const std::vector<int> expected = numbers(*whole.next());
            if (broken && std::ranges::count(expected, 5)) {
                EXPECT_THROW(it->next(), ValueError);
                EXPECT_EQ(it->epoch_detail(), before);
                save_npz(path("it.npz"), *it);
                broken = false;
                auto resumed = iterator(4);
                load_npz(path("it.npz"), *resumed);
                EXPECT_EQ(numbers(*resumed->next()), expected);
            }
            EXPECT_EQ(numbers(*it->next()), expected) << batch;
        }
        EXPECT_FALSE(broken);
    }
}

TEST(OrderSampler, that_throws_loses_no_batch) {
    for (int kind = 0; kind < 3; ++kind) {
        int calls = 0;
        const IteratorOptions options{
            .order_sampler = [&calls](const std::vector<int64_t>& order, int64_t) {
                if (++calls == 2) fail<ValueError>("no order yet");
                return order;
            }};
        std::unique_ptr<Iterator> it;
        if (kind == 0) it = std::make_unique<SerialIterator>(range(0, 6), 3, options);
        if (kind == 1) it = std::make_unique<MultithreadIterator>(range(0, 6), 3, options);
        if (kind == 2)
            it = std::make_unique<MultiprocessIterator>(range(0, 6), 3, options,
                                                        MultiprocessOptions{.n_processes = 1});
        std::vector<int> seen;
        int errors = 0;
        while (seen.size() < 9) {
            try {
                for (int number : numbers(*it->next())) seen.push_back(number);
            } catch (const ValueError&) {
                ++errors;
            }
        }
        EXPECT_EQ(errors, 1) << kind;
        EXPECT_THAT(seen, ElementsAre(0, 1, 2, 3, 4, 5, 0, 1, 2)) << kind;
    }
}

TEST_F(IteratorFileTest, resumes_the_sampler_that_shuffles) {
    const IteratorOptions options{.order_sampler = ShuffleOrderSampler(7)};
    SerialIterator it(range(0, 6), 3, options), resumed(range(0, 6), 3, options);
    for (int i = 0; i < 5; ++i) it.next();
    save_npz(path("it.npz"), it);
    load_npz(path("it.npz"), resumed);
    for (int i = 0; i < 8; ++i) EXPECT_EQ(numbers(*resumed.next()), numbers(*it.next())) << i;
    NamedArrays older;
    for (auto& [key, array] : read_npz(path("it.npz")))
        if (key != "sampler_draws") older.emplace_back(key, array);
    save_npz(path("older.npz"), older);
    EXPECT_NO_THROW(load_npz(path("older.npz"), resumed));
}

/// Examples with random numbers of their own.
Dataset noisy(int n) {
    return TransformDataset(
        range(0, n), [](const Example& x) { return Example{x[0], random_normal({2}).array()}; });
}

std::vector<float> noise(const std::vector<Example>& examples) {
    std::vector<float> values;
    for (const Example& example : examples)
        for (const float v : example[1].to_vector<float>()) values.push_back(v);
    return values;
}

TEST_F(IteratorFileTest, threads_draw_the_random_numbers_that_processes_draw) {
    set_seed(5);
    MultiprocessIterator processes(noisy(7), 3, {}, {.n_processes = 2});
    set_seed(5);
    MultithreadIterator one(noisy(7), 3), three(noisy(7), 3, {}, 3);
    std::vector<std::vector<float>> seen;
    for (int i = 0; i < 6; ++i) {
        seen.push_back(noise(*one.next()));
        EXPECT_EQ(seen.back(), noise(*processes.next())) << i;
        if (i == 2) save_npz(path("it.npz"), one);
    }
    set_seed(6);
    load_npz(path("it.npz"), three);
    for (int i = 3; i < 6; ++i) EXPECT_EQ(noise(*three.next()), seen[size_t(i)]) << i;
    processes.finalize();
}

TEST_F(IteratorFileTest, refuses_places_outside_of_the_dataset) {
    SerialIterator large(range(0, 11), 4), small(range(0, 5), 4);
    save_npz(path("it.npz"), large);
    EXPECT_THAT(message_of<FileError>([&] { load_npz(path("it.npz"), small); }),
                HasSubstr("'order' has 11 indices, the dataset 5 examples"));
    NamedArrays arrays = read_npz(path("it.npz"));
    for (auto& [key, array] : arrays) {
        if (key == "order") array = range(1, 12).astype(Dtype::int64);
        if (key == "current_position") array = Array::scalar<int64_t>(3);
    }
    save_npz(path("bad.npz"), arrays);
    EXPECT_THAT(message_of<FileError>([&] { load_npz(path("bad.npz"), large); }),
                HasSubstr("the index 11"));
    for (auto& [key, array] : arrays)
        if (key == "current_position") array = Array::scalar<int64_t>(-1);
    save_npz(path("bad.npz"), arrays);
    EXPECT_THAT(message_of<FileError>([&] { load_npz(path("bad.npz"), large); }),
                HasSubstr("current_position' is -1"));
    EXPECT_EQ(large.current_position(), 0) << "a bad file changes nothing";
}

class DatasetFileTest : public testing::FolderTest {};

TEST_F(DatasetFileTest, cifar_is_read_from_its_binary_version) {
    auto record = [](std::string labels, uint8_t first) {
        std::string pixels(3072, char(first));
        pixels[1] = char(255);
        return labels + pixels;
    };
    for (int k = 1; k <= 5; ++k)
        write(fmt::format("data_batch_{}.bin", k),
              record(std::string(1, char(k)), uint8_t(k * 10)));
    write("test_batch.bin",
          record(std::string(1, char(9)), 0) + record(std::string(1, char(0)), 51));
    auto [train, test] = get_cifar10(path());
    ASSERT_EQ(train.size(), 5);
    ASSERT_EQ(test.size(), 2);
    EXPECT_EQ(train[3][0].shape(), (Shape{3, 32, 32}));
    EXPECT_EQ(train[3][1].item<int>(), 4);
    EXPECT_FLOAT_EQ(test[1][0].to_vector<float>()[0], 0.2f);
    EXPECT_FLOAT_EQ(test[1][0].to_vector<float>()[1], 1.f);
    EXPECT_EQ(get_cifar10(path(), {.withlabel = false, .ndim = 1}).first[0][0].shape(),
              (Shape{3072}));
    write("train.bin", record({char(3), char(77)}, 1));
    write("test.bin", record({char(3), char(99)}, 1));
    EXPECT_EQ(get_cifar100(path()).second[0][1].item<int>(), 99);  // The fine label.
    write("test_batch.bin", "short");
    EXPECT_THAT(testing::message_of<FileError>([&] { get_cifar10(path()); }),
                HasSubstr("records of 3073"));
    write("test.bin", record({char(3), char(100)}, 1));
    EXPECT_THAT(testing::message_of<FileError>([&] { get_cifar100(path()); }),
                HasSubstr("has label 100"));
}

TEST_F(DatasetFileTest, ptb_words_are_numbered_as_they_come) {
    write("ptb.train.txt", " the cat \n a cat \n");
    write("ptb.valid.txt", "a the\n");
    write("ptb.test.txt", "");
    PtbWords words = get_ptb_words(path());
    EXPECT_THAT(words.train.to_vector<int>(), ElementsAre(0, 1, 2, 3, 1, 2));
    EXPECT_THAT(words.valid.to_vector<int>(), ElementsAre(3, 0, 2));
    EXPECT_EQ(words.test.size(), 0);
    EXPECT_EQ(get_ptb_words_vocabulary(path()).at("<eos>"), 2);
    write("ptb.test.txt", "dog\n");
    EXPECT_THAT(testing::message_of<FileError>([&] { get_ptb_words(path()); }), HasSubstr("'dog'"));
}

}  // namespace
}  // namespace catena
