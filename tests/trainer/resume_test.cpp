// A training that is saved, thrown away, rebuilt and resumed equals the one that was not
// interrupted, bit for bit.
#include <cmath>
#include <cstring>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "frontend/dataset/datasets.h"
#include "frontend/dataset/iterator/multiprocess_iterator.h"
#include "frontend/dataset/iterator/multithread_iterator.h"
#include "frontend/link/chain.h"
#include "frontend/link/connection/linear.h"
#include "frontend/link/normalization/batch_normalization.h"
#include "frontend/optimizer/rules/adam.h"
#include "frontend/serializer/hdf5.h"
#include "frontend/serializer/npz.h"
#include "frontend/trainer/classifier.h"
#include "frontend/trainer/extensions/evaluator.h"
#include "frontend/trainer/extensions/report/log_report.h"
#include "frontend/trainer/extensions/shift.h"
#include "frontend/trainer/extensions/snapshot/snapshot.h"
#include "frontend/trainer/standard_updater.h"
#include "frontend/trainer/trainer.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/activation/activation.h"
#include "runtime/ops/noise/noise.h"
#include "runtime/ops/noise/random.h"
#include "tests/trainer/fixtures.h"

namespace catena {
namespace {

/// Sizes unknown at first, dropout, and statistics that are state.
struct Network : Chain {
    Linear l1{16};
    BatchNormalization bn{16};
    Linear l2{3};
    Network() { add_children({{"l1", l1}, {"bn", bn}, {"l2", l2}}); }
    Variable operator()(const Variable& x) { return l2(dropout(relu(bn(l1(x))), 0.3)); }
};

Dataset examples(int n) {
    std::vector<float> x;
    std::vector<int32_t> t;
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < 5; ++k) x.push_back(std::sin(float(i * 5 + k)));
        t.push_back(i % 3);
    }
    return TupleDataset(Array::from(x, {n, 5}), Array::from(t, {n}));
}

struct Setting {
    bool compiled = false;
    bool threads = false;
    bool hdf5 = false;
    bool processes = false;
    bool shuffled_test = false;
};

/// What a training leaves behind, as bytes.
struct Outcome {
    std::vector<std::string> bytes;
    std::vector<std::map<std::string, double>> log;
};

class ResumeTest : public testing::FolderTest {
protected:
    /// Trains to iteration `last`; from a snapshot when `from` names one.
    Outcome train(const Setting& setting, int last, const std::string& from, int64_t seed) {
        set_seed(seed);
        Classifier model{Network()};
        Adam adam(0.01);
        adam.setup(model);
        std::unique_ptr<Iterator> it;
        if (setting.threads)
            it = std::make_unique<MultithreadIterator>(examples(23), 4, IteratorOptions{}, 2);
        else if (setting.processes)
            it = std::make_unique<MultiprocessIterator>(examples(23), 4, IteratorOptions{},
                                                        MultiprocessOptions{.n_processes = 2});
        else
            it = std::make_unique<SerialIterator>(examples(23), 4);
        SerialIterator test(examples(7), 4, {.repeat = false, .shuffle = setting.shuffled_test});
        StandardUpdater updater(*it, adam, model, {.static_graph = setting.compiled});
        Trainer trainer(updater, {last, "iteration"}, path());
        trainer.extend(extensions::Evaluator(test, model, {.static_graph = setting.compiled}));
        trainer.extend(extensions::LogReport({.trigger = {5, "iteration"}}));
        trainer.extend(extensions::ExponentialShift("alpha", 0.9), {.trigger = {3, "iteration"}});
        auto format =
            setting.hdf5 ? extensions::SnapshotFormat::hdf5 : extensions::SnapshotFormat::npz;
        trainer.extend(extensions::snapshot({.format = format}), {.trigger = {8, "iteration"}});
        if (!from.empty()) {
            if (setting.hdf5)
                load_hdf5(from, trainer);
            else
                load_npz(from, trainer);
        }
        trainer.run();
        Outcome outcome;
        save_npz(path("after.npz"), updater);
        for (auto& [key, array] : read_npz(path("after.npz"))) {
            std::string bytes(static_cast<const char*>(array.raw_data()),
                              size_t(array.size()) * size_of(array.dtype()));
            outcome.bytes.push_back(key + bytes);
        }
        for (auto& entry : trainer.get_extension<extensions::LogReport>("LogReport").log())
            outcome.log.push_back(entry.values);
        outcome.bytes.push_back(fmt::format("{}", fmt::join(save_random_state(), " ")));
        if (setting.compiled && compiler_available()) {
            EXPECT_GT(updater.statistics().compiled_calls, 0);
        }
        return outcome;
    }

    void check(const Setting& setting) {
        Outcome whole = train(setting, 21, "", 1);
        ASSERT_EQ(whole.log.size(), 4u);
        // Another seed: everything random must come from the snapshot.
        Outcome resumed = train(setting, 21, path("snapshot_iter_8"), 99);
        ASSERT_EQ(resumed.bytes.size(), whole.bytes.size());
        for (size_t i = 0; i < whole.bytes.size(); ++i)
            EXPECT_TRUE(resumed.bytes[i] == whole.bytes[i]) << whole.bytes[i].substr(0, 50);
        EXPECT_EQ(resumed.log, whole.log);
        Outcome other = train(setting, 21, "", 99);
        EXPECT_NE(other.bytes, whole.bytes) << "the comparison would see a difference";
    }
};

TEST_F(ResumeTest, eager) { check({}); }
TEST_F(ResumeTest, with_a_compiled_step) { check({.compiled = true}); }
TEST_F(ResumeTest, with_threads_that_read_ahead) { check({.threads = true}); }
TEST_F(ResumeTest, with_processes_that_read_ahead) { check({.processes = true}); }
TEST_F(ResumeTest, with_a_shuffled_test_set) { check({.shuffled_test = true}); }
TEST_F(ResumeTest, from_hdf5) {
    if (!hdf5_available()) GTEST_SKIP() << "built without HDF5";
    check({.compiled = true, .hdf5 = true});
}

TEST_F(ResumeTest, a_training_step_of_the_users_is_compiled_and_resumed) {
    auto train = [&](int last, const std::string& from, int64_t seed) {
        set_seed(seed);
        Network model;
        Adam adam(0.01);
        adam.setup(model);
        SerialIterator it(examples(23), 4);
        auto step = static_graph(
            [&](const Variable& x, const Variable& t) {
                Variable loss = softmax_cross_entropy(model(x), t);
                model.cleargrads();
                loss.backward();
                adam.update();
                return std::map<std::string, Variable>{{"loss", loss}};
            },
            {.name = "step"});
        StandardUpdater updater(it, adam, TrainingStep(std::move(step)));
        Trainer trainer(updater, {last, "iteration"}, path());
        trainer.extend(extensions::LogReport({.trigger = {1, "iteration"}}));
        if (!from.empty()) load_npz(from, trainer);
        trainer.run();
        save_npz(path("at.npz"), trainer);
        return trainer.get_extension<extensions::LogReport>("LogReport").log();
    };
    auto whole = train(9, "", 1);
    train(4, "", 1);
    auto resumed = train(9, path("at.npz"), 2);
    ASSERT_EQ(resumed.size(), 9u);
    for (size_t i = 0; i < 9; ++i)
        EXPECT_EQ(resumed[i].values.at("main/loss"), whole[i].values.at("main/loss")) << i;
}

}  // namespace
}  // namespace catena
