#include <cerrno>
#include <csignal>
#include <filesystem>
#include <numeric>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frontend/dataset/datasets.h"
#include "frontend/dataset/iterator/multiprocess_iterator.h"
#include "frontend/dataset/iterator/serial_iterator.h"
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

std::vector<int> numbers(const std::vector<Example>& examples) {
    std::vector<int> values;
    for (const Example& example : examples) values.push_back(example[0].item<int>());
    return values;
}

/// What this process has forked and not waited for.
bool has_children() { return !(waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD); }

class MultiprocessTest : public testing::FolderTest {
protected:
    ~MultiprocessTest() override { EXPECT_FALSE(has_children()); }
};

TEST_F(MultiprocessTest, gives_what_the_serial_one_gives) {
    for (int processes : {1, 3})
        for (int prefetch : {0, 1, 3}) {
            SCOPED_TRACE(fmt::format("{} processes, {} batches ahead", processes, prefetch));
            set_seed(4);
            SerialIterator serial(range(0, 17), 5);
            set_seed(4);
            MultiprocessIterator parallel(range(0, 17), 5, {},
                                          {.n_processes = processes, .n_prefetch = prefetch});
            for (int i = 0; i < 12; ++i) {
                EXPECT_EQ(numbers(*serial.next()), numbers(*parallel.next())) << i;
                EXPECT_EQ(serial.epoch(), parallel.epoch());
                EXPECT_EQ(serial.is_new_epoch(), parallel.is_new_epoch());
                EXPECT_EQ(serial.epoch_detail(), parallel.epoch_detail());
                EXPECT_EQ(serial.previous_epoch_detail(), parallel.previous_epoch_detail());
                EXPECT_EQ(serial.current_position(), parallel.current_position());
            }
            serial.reset();
            parallel.reset();
            EXPECT_EQ(numbers(*serial.next()), numbers(*parallel.next()));
            parallel.finalize();
            EXPECT_FALSE(has_children());
            EXPECT_EQ(numbers(*serial.next()), numbers(*parallel.next()));
        }
}

TEST_F(MultiprocessTest, ends_and_throws_as_the_serial_one_does) {
    MultiprocessIterator once(range(0, 5), 2, {.repeat = false, .shuffle = false},
                              {.n_processes = 2});
    int batches = 0;
    while (once.next()) ++batches;
    EXPECT_EQ(batches, 3);
    EXPECT_FALSE(once.next());
    once.reset();
    EXPECT_THAT(numbers(*once.next()), ElementsAre(0, 1));
    once.finalize();

    const std::string mended = path("mended");
    TransformDataset broken(range(0, 6), [mended](const Example& x) {
        if (x[0].item<int>() == 4 && !std::filesystem::exists(mended))
            fail<ShapeError>("example 4 is broken");
        return x;
    });
    MultiprocessIterator it(broken, 2, {.shuffle = false}, {.n_processes = 2, .n_prefetch = 2});
    EXPECT_THAT(numbers(*it.next()), ElementsAre(0, 1));
    EXPECT_THAT(numbers(*it.next()), ElementsAre(2, 3));
    EXPECT_THAT(message_of<ShapeError>([&] { it.next(); }), HasSubstr("example 4 is broken"));
    EXPECT_EQ(it.current_position(), 4);
    write("mended", "");
    EXPECT_THAT(numbers(*it.next()), ElementsAre(4, 5));
    EXPECT_THROW(MultiprocessIterator(range(0, 5), 2, {}, {.n_processes = -1}), ValueError);
}

TEST_F(MultiprocessTest, brings_examples_of_every_kind_and_size) {
    std::vector<float> waves(5000);
    for (size_t i = 0; i < waves.size(); ++i) waves[i] = float(i) * 0.5f;
    const Array large = Array::from(waves, {50, 100});
    const std::vector<Example> all{
        Example(Array::scalar(2.5f)),
        Example({Array::from<int64_t>({1, 2, 3}), Array::zeros({Dtype::float16, {0, 4}})}),
        Example(std::vector<std::string>{"x", "t"},
                std::vector<Array>{large, Array::scalar<int8_t>(7)}),
        Example(Array::from(waves, {100, 50}).view({50, 100}, {1, 50}, 0)),
    };
    // 4096 bytes a place: the large ones take the other way.
    for (size_t shared : {size_t(1), size_t(1) << 20}) {
        MultiprocessIterator it(Dataset(all), 2, {.shuffle = false},
                                {.n_processes = 2, .shared_mem = shared});
        std::vector<Example> examples;
        for (int i = 0; i < 6; ++i) {
            const std::vector<Example> batch = *it.next();
            examples.insert(examples.end(), batch.begin(), batch.end());
        }
        for (size_t i = 0; i < examples.size(); ++i) {
            const Example& expected = all[i % 4];
            ASSERT_TRUE(examples[i].is_like(expected)) << i << " " << to_string(examples[i]);
            for (size_t v = 0; v < expected.size(); ++v) {
                EXPECT_EQ(examples[i][v].type(), expected[v].type());
                EXPECT_EQ(examples[i][v].to_vector<double>(), expected[v].to_vector<double>());
            }
        }
    }
}

TEST_F(MultiprocessTest, goes_on_in_the_same_order_after_loading) {
    set_seed(8);
    SerialIterator it(range(0, 11), 4);
    for (int i = 0; i < 4; ++i) it.next();
    save_npz(path("it.npz"), it);
    std::vector<std::vector<int>> expected;
    for (int i = 0; i < 5; ++i) expected.push_back(numbers(*it.next()));
    set_seed(9);
    MultiprocessIterator parallel(range(0, 11), 4, {}, {.n_processes = 2, .n_prefetch = 2});
    parallel.next();
    load_npz(path("it.npz"), parallel);
    for (auto& batch : expected) EXPECT_EQ(numbers(*parallel.next()), batch);
    save_npz(path("its.npz"), parallel);
    load_npz(path("its.npz"), it);
    EXPECT_EQ(numbers(*parallel.next()), numbers(*it.next()));
}

TEST_F(MultiprocessTest, what_is_random_does_not_depend_on_the_number_of_processes) {
    TransformDataset noisy(range(0, 7),
                           [](const Example& x) { return Example(random_uniform({3}).array()); });
    auto draws = [&](int processes, int skipped) {
        set_seed(5);
        MultiprocessIterator it(noisy, 3, {}, {.n_processes = processes});
        if (skipped > 0) {
            for (int i = 0; i < skipped; ++i) it.next();
            save_npz(path("it.npz"), it);
        } else if (skipped < 0) {
            load_npz(path("it.npz"), it);
        }
        std::vector<float> all;
        for (int i = 0; i < 6; ++i) {
            const std::vector<Example> batch = *it.next();
            for (const Example& example : batch)
                for (float v : example[0].to_vector<float>()) all.push_back(v);
        }
        return all;
    };
    const std::vector<float> one = draws(1, 0);
    EXPECT_EQ(draws(3, 0), one);
    EXPECT_EQ(std::set<float>(one.begin(), one.end()).size(), one.size())
        << "every example its own";
    const std::vector<float> later = draws(2, 4);
    EXPECT_EQ(draws(1, -1), later) << "also after loading";
}

TEST_F(MultiprocessTest, replaces_processes_that_have_read_their_share) {
    TransformDataset readers(range(0, 12),
                             [](const Example&) { return Array::scalar<int32_t>(getpid()); });
    MultiprocessIterator it(readers, 4, {.repeat = false},
                            {.n_processes = 1, .maxtasksperchild = 3});
    std::map<int, int> read;
    while (auto batch = it.next())
        for (int process : numbers(*batch)) ++read[process];
    EXPECT_FALSE(read.contains(getpid()));
    EXPECT_EQ(read.size(), 4u);
    for (auto& [process, count] : read) EXPECT_EQ(count, 3);
}

TEST_F(MultiprocessTest, a_killed_process_is_an_error_that_names_its_example) {
    const std::string deadly = path("deadly");
    write("deadly", "");
    TransformDataset dataset(range(0, 8), [deadly](const Example& x) {
        if (x[0].item<int>() == 5 && std::filesystem::exists(deadly)) raise(SIGKILL);
        return x;
    });
    MultiprocessIterator it(dataset, 4, {.shuffle = false}, {.n_processes = 2, .n_prefetch = 0});
    EXPECT_THAT(numbers(*it.next()), ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(
        message_of<Error>([&] { it.next(); }),
        HasSubstr("MultiprocessIterator: the process that read example 5 was killed by signal 9"));
    std::filesystem::remove(deadly);
    EXPECT_THAT(numbers(*it.next()), ElementsAre(4, 5, 6, 7));
}

TEST_F(MultiprocessTest, a_killed_process_loses_no_batch_however_many_are_read_ahead) {
    for (int prefetch : {0, 1, 3})
        for (bool reset : {false, true}) {
            SCOPED_TRACE(fmt::format("{} batches ahead, reset {}", prefetch, reset));
            write("deadly", "");
            TransformDataset dataset(range(0, 10), [deadly = path("deadly")](const Example& x) {
                if (x[0].item<int>() == 5 && std::filesystem::remove(deadly)) raise(SIGKILL);
                return x;
            });
            MultiprocessIterator it(dataset, 2, {.shuffle = false},
                                    {.n_processes = 2, .n_prefetch = prefetch});
            int errors = 0;
            std::vector<int> seen;
            while (seen.size() < 20) {
                try {
                    for (int number : numbers(*it.next())) seen.push_back(number);
                } catch (const Error& error) {
                    ++errors;
                    EXPECT_THAT(error.what(), HasSubstr("was killed by signal 9"));
                    EXPECT_EQ(it.current_position(), int(seen.size()));
                    if (reset) it.reset(), seen.clear();
                }
            }
            EXPECT_EQ(errors, 1);
            for (int i = 0; i < 20; ++i) EXPECT_EQ(seen[size_t(i)], i % 10);
        }
}

TEST_F(MultiprocessTest, the_death_of_an_idle_process_loses_no_batch) {
    TransformDataset dataset(range(0, 10), [](const Example& x) {
        return Example{x[0], Array::scalar<int32_t>(getpid())};
    });
    MultiprocessIterator it(dataset, 2, {.shuffle = false}, {.n_processes = 1});
    const pid_t process = (*it.next())[1][1].item<int>();
    ASSERT_EQ(kill(process, SIGKILL), 0);
    siginfo_t information;
    ASSERT_EQ(waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT), 0);
    EXPECT_THAT(message_of<Error>([&] { it.next(); }), HasSubstr("was killed by signal 9"));
    for (int first : {2, 4, 6, 8, 0})
        EXPECT_THAT(numbers(*it.next()), ElementsAre(first, first + 1));
}

TEST_F(MultiprocessTest, what_ends_or_throws_without_a_word_is_an_error_that_names_its_example) {
    TransformDataset throws(range(0, 4), [](const Example& x) -> Example {
        if (x[0].item<int>() == 3) throw 42;
        return x;
    });
    MultiprocessIterator it(throws, 2, {.shuffle = false}, {.n_processes = 2});
    EXPECT_THAT(numbers(*it.next()), ElementsAre(0, 1));
    EXPECT_THAT(message_of<Error>([&] { it.next(); }),
                HasSubstr("reading example 3 throws what is no std::exception"));
    TransformDataset ends(range(0, 4), [](const Example& x) -> Example {
        if (x[0].item<int>() == 3) _exit(0);
        return x;
    });
    MultiprocessIterator replaced(ends, 2, {.shuffle = false},
                                  {.n_processes = 1, .n_prefetch = 0, .maxtasksperchild = 100});
    EXPECT_THAT(numbers(*replaced.next()), ElementsAre(0, 1));
    EXPECT_THAT(message_of<Error>([&] { replaced.next(); }),
                HasSubstr("the process that read example 3 ended with status 0"));
}

/// Examples say how many files their process has open.
TEST_F(MultiprocessTest, large_examples_are_freed_when_they_were_collected) {
    const auto files = [](const Example&) {
        int count = 0;
        for ([[maybe_unused]] const auto& file :
             std::filesystem::directory_iterator("/proc/self/fd"))
            ++count;
        return Array::full({Dtype::int32, {2000}}, count);
    };
    for (int64_t tasks : {0, 3}) {
        MultiprocessIterator it(TransformDataset(range(0, 20), files), 5, {},
                                {.n_processes = 2, .shared_mem = 1, .maxtasksperchild = tasks});
        const int first = (*it.next())[0][0].to_vector<int>()[0], most_at_once = 5 * 3;
        int most = 0;
        for (int batch = 0; batch < (tasks ? 4 : 40); ++batch) {
            const std::vector<Example> examples = *it.next();
            for (const Example& example : examples)
                most = std::max(most, example[0].to_vector<int>()[0]);
        }
        EXPECT_LE(most, first + most_at_once) << tasks;
    }
}

/// The example is let go on when the complaint was read.
TEST_F(MultiprocessTest, a_slow_example_is_complained_about) {
    const std::string go_on = path("go on");
    TransformDataset slow(range(0, 2), [go_on](const Example& x) {
        while (!std::filesystem::exists(go_on)) usleep(1000);
        return x;
    });
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const int before = dup(2);
    dup2(ends[1], 2);
    std::string complaint;
    std::thread reader([&] {
        char letter = 0;
        while (complaint.find('\n') == complaint.npos && ::read(ends[0], &letter, 1) == 1)
            complaint += letter;
        write("go on", "");
    });
    {
        MultiprocessIterator it(slow, 2, {.shuffle = false},
                                {.n_processes = 1, .dataset_timeout = 0});
        EXPECT_THAT(numbers(*it.next()), ElementsAre(0, 1));
    }
    reader.join();
    dup2(before, 2);
    for (int file : {before, ends[0], ends[1]}) close(file);
    EXPECT_EQ(complaint,
              "catena: MultiprocessIterator: example 0 takes longer than 0 s (dataset_timeout)\n");
}

}  // namespace
}  // namespace catena
