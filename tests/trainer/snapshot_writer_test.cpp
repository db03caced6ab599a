#include <csignal>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "frontend/catena.h"
#include "tests/trainer/fixtures.h"

namespace catena {
namespace {

using namespace snapshot_writers;
using ::testing::HasSubstr;
using testing::message_of;

enum class Which { simple, thread, thread_queue, process, process_queue };
constexpr Which all[] = {Which::simple, Which::thread, Which::thread_queue, Which::process,
                         Which::process_queue};

std::shared_ptr<Writer> make_writer(Which which) {
    switch (which) {
        case Which::simple:
            return std::make_shared<SimpleWriter>();
        case Which::thread:
            return std::make_shared<ThreadWriter>();
        case Which::thread_queue:
            return std::make_shared<ThreadQueueWriter>();
        case Which::process:
            return std::make_shared<ProcessWriter>();
        default:
            return std::make_shared<ProcessQueueWriter>();
    }
}

class WriterTest : public testing::FolderTest, public ::testing::WithParamInterface<Which> {
protected:
    std::shared_ptr<Writer> writer = make_writer(GetParam());
    /// What `object` of Writer's calls serialises: one array.
    static SerializeFunction values(Array array) {
        return [array](const Serializer& s) { s.write("values", array); };
    }
};

TEST_P(WriterTest, files_are_those_of_their_iterations) {
    auto train = [&](const std::string& folder, std::shared_ptr<Writer> by) {
        set_seed(3);
        Linear model(3, 2);
        Adam adam;
        adam.setup(model);
        SerialIterator it(Dataset({Array::full({Dtype::float32, {8, 3}}, 0.5),
                                   Array::full({Dtype::float32, {8, 2}}, 1)}),
                          2);
        StandardUpdater updater(it, adam, [&](const Variable& x, const Variable& t) {
            return mean_squared_error(model(x), t);
        });
        Trainer trainer(updater, {5, "iteration"}, path(folder));
        trainer.extend(
            extensions::snapshot_object(model, "at_{.updater.iteration}", {.writer = by}),
            {.trigger = {1, "iteration"}});
        trainer.run();
    };
    train("simple", nullptr);
    train("other", writer);
    for (int i = 1; i <= 5; ++i) {
        const std::string name = fmt::format("/at_{}", i);
        EXPECT_FALSE(content("other" + name).empty());
        EXPECT_EQ(content("simple" + name), content("other" + name)) << i;
    }
    EXPECT_NE(content("other/at_1"), content("other/at_2"));
}

TEST_P(WriterTest, old_files_are_removed_when_the_new_one_is_there) {
    testing::MockUpdater updater;
    Trainer trainer(updater, {6, "iteration"}, path());
    trainer.extend(extensions::snapshot({.n_retains = 2, .writer = writer}),
                   {.trigger = {1, "iteration"}});
    trainer.run();
    for (int i = 1; i <= 6; ++i)
        EXPECT_EQ(std::filesystem::exists(path(fmt::format("snapshot_iter_{}", i))), i > 4) << i;
}

TEST_P(WriterTest, an_error_is_thrown_by_the_next_call_or_at_the_end) {
    testing::MockUpdater updater;
    Trainer trainer(updater, {4, "iteration"}, path("out"));
    trainer.extend([&](Trainer&) { std::filesystem::remove_all(path("out")); }, {.name = "remove"});
    trainer.extend(extensions::snapshot({.writer = writer}), {.trigger = {3, "iteration"}});
    EXPECT_THAT(message_of<FileError>([&] { trainer.run(false); }), HasSubstr("snapshot_iter_3"));

    auto once = make_writer(GetParam());
    auto fails = [&] { (*once)(path("nowhere/file"), values(Array::scalar(1.f))); };
    if (GetParam() == Which::simple) {
        EXPECT_THROW(fails(), FileError);
    } else {
        EXPECT_NO_THROW(fails());
        EXPECT_THAT(message_of<FileError>([&] { once->finalize(); }), HasSubstr("nowhere/file"));
    }
    EXPECT_NO_THROW(once->finalize()) << "it was said once";
    (*once)(path("file"), values(Array::scalar(1.f)));
    once->finalize();
    EXPECT_TRUE(std::filesystem::exists(path("file")));
}

/// A disk that is full in the middle of a file.
TEST_P(WriterTest, a_file_that_cannot_be_finished_leaves_the_good_one) {
    (*writer)(path("file"), values(Array::from<float>({1, 2, 3})));
    writer->finalize();
    const std::string good = content("file");
    std::mt19937 random(1);
    std::vector<int32_t> noise(300000);
    for (int32_t& v : noise) v = int32_t(random());
    const Array large = Array::from(noise, {int64_t(noise.size())});

    rlimit before{}, small{};
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 100000;
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    EXPECT_THROW(
        {
            (*writer)(path("file"), values(large));
            writer->finalize();
        },
        FileError);
    if (GetParam() == Which::process) {  // It may also die, alone.
        (*writer)(path("file_of_another"), values(Array::from<float>({1})), [] { raise(SIGKILL); });
        EXPECT_THAT(message_of<FileError>([&] { writer->finalize(); }),
                    HasSubstr("was killed by signal"));
    }
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    EXPECT_EQ(content("file"), good);
    (*writer)(path("file"), values(large));
    writer->finalize();
    EXPECT_EQ(read_npz(path("file"))[0].second.to_vector<int>(), noise);
}

TEST_P(WriterTest, what_was_begun_is_finished_before_it_ends) {
    for (int i = 0; i < 4; ++i)
        (*writer)(path(std::to_string(i)), values(Array::full({Dtype::float32, {5000}}, i)));
    writer.reset();
    for (int i = 0; i < 4; ++i)
        EXPECT_EQ(read_npz(path(std::to_string(i)))[0].second.to_vector<int>(),
                  std::vector<int>(5000, i));
}

const char* const names[] = {"simple", "thread", "thread_queue", "process", "process_queue"};
INSTANTIATE_TEST_SUITE_P(all, WriterTest, ::testing::ValuesIn(all),
                         [](const auto& info) { return std::string(names[int(info.param)]); });

TEST(Writer, has_a_format_of_its_own) {
    EXPECT_THROW(
        extensions::snapshot({.in_background = true, .writer = std::make_shared<SimpleWriter>()}),
        ValueError);
    EXPECT_THROW(extensions::snapshot({.format = extensions::SnapshotFormat::hdf5,
                                       .writer = std::make_shared<SimpleWriter>()}),
                 ValueError);
}

}  // namespace
}  // namespace catena
