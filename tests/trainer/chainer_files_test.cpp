// Files that Chainer 7.8.1 wrote (data/make_chainer_files.py) are read, and its training is
// continued here.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/dataset/datasets.h"
#include "frontend/link/chain.h"
#include "frontend/link/connection/linear.h"
#include "frontend/optimizer/rules/adam.h"
#include "frontend/serializer/hdf5.h"
#include "frontend/serializer/npz.h"
#include "frontend/trainer/classifier.h"
#include "frontend/trainer/extensions/report/log_report.h"
#include "frontend/trainer/extensions/shift.h"
#include "frontend/trainer/extensions/snapshot/snapshot.h"
#include "frontend/trainer/standard_updater.h"
#include "frontend/trainer/trainer.h"
#include "runtime/ops/math/math.h"
#include "tests/trainer/fixtures.h"

namespace catena {
namespace {

using ::testing::HasSubstr;

const std::string data = CATENA_SOURCE_DIR "/tests/trainer/data/";

struct MLP : Chain {
    Linear l1{3, 4}, l2{2};
    MLP() { add_children({{"l1", l1}, {"l2", l2}}); }
    Variable operator()(const Variable& x) { return l2(tanh(l1(x))); }
};

Dataset examples() {
    std::vector<float> x;
    std::vector<int32_t> t;
    for (int i = 0; i < 36; ++i) x.push_back(float(std::sin(float(i))));
    for (int i = 0; i < 12; ++i) t.push_back(i % 2);
    return TupleDataset(Array::from(x, {12, 3}), Array::from(t, {12}));
}

class ChainerFiles : public testing::FolderTest {};

TEST_F(ChainerFiles, a_trainers_snapshot_goes_on_as_in_chainer) {
    Classifier model{MLP()};
    Adam adam;
    adam.setup(model);
    SerialIterator it(examples(), 4);
    StandardUpdater updater(it, adam, model);
    Trainer trainer(updater, {9, "iteration"}, path());
    trainer.extend(extensions::LogReport());
    trainer.extend(extensions::ExponentialShift("alpha", 0.5), {.trigger = {1, "epoch"}});
    trainer.extend(extensions::snapshot(), {.trigger = {7, "iteration"}});
    std::vector<double> losses, rates;
    trainer.extend(
        [&](Trainer& t) {
            losses.push_back(t.observation().at("main/loss").value());
            rates.push_back(adam.alpha);
        },
        {.name = "note", .priority = 1000});
    load_npz(data + "chainer_snapshot.npz", trainer,
             {.ignore_names = {"extension_triggers/note/previous_iteration",
                               "extension_triggers/note/previous_epoch_detail"}});
    EXPECT_EQ(updater.iteration(), 7);
    EXPECT_EQ(adam.t(), 7);
    EXPECT_EQ(it.epoch(), 2);
    EXPECT_EQ(it.current_position(), 4);
    auto& log = trainer.get_extension<extensions::LogReport>("LogReport").log();
    ASSERT_EQ(log.size(), 2u);
    EXPECT_EQ(log[1].iteration, 6);
    EXPECT_TRUE(log[1].values.contains("main/accuracy"));
    trainer.run();
    ASSERT_EQ(losses.size(), 2u);
    EXPECT_NEAR(losses[0], 0.580324113368988, 2e-6)
        << "what Chainer computes in the next two iterations";
    EXPECT_NEAR(losses[1], 0.4464600086212158, 2e-6);
    EXPECT_DOUBLE_EQ(rates[0], 0.00025);
}

TEST_F(ChainerFiles, a_model_alone_is_taken_from_a_snapshot) {
    Classifier model{MLP()};
    load_npz(data + "chainer_snapshot.npz", model, {.path = "updater/model:main"});
    NpzFile file(data + "chainer_snapshot.npz");
    EXPECT_EQ(model.predictor.l2.W.array().to_vector<float>(),
              file.read("updater/model:main/predictor/l2/W").to_vector<float>());
    EXPECT_EQ(to_string(model.predictor.l2.W.shape()), "[2,4]");
    if (!hdf5_available()) GTEST_SKIP() << "built without HDF5";
    Classifier other{MLP()};
    load_hdf5(data + "chainer_model.h5", other);
    EXPECT_EQ(to_string(other.predictor.l1.W.shape()), "[4,3]");
    EXPECT_EQ(other.predictor.l1.b.array().to_vector<float>().size(), 4u);
}

TEST_F(ChainerFiles, what_the_file_lacks_is_named) {
    Classifier model{MLP()};
    Adam adam;
    adam.setup(model);
    SerialIterator it(examples(), 4);
    StandardUpdater updater(it, adam, model);
    Trainer trainer(updater, {9, "iteration"}, path());
    trainer.extend(extensions::LogReport(), {.name = "Another"});
    std::string text =
        testing::message_of<FileError>([&] { load_npz(data + "chainer_snapshot.npz", trainer); });
    EXPECT_THAT(text, HasSubstr("there is no 'extensions/Another/_trigger/previous_iteration'; the "
                                "nearest of its 45 keys"));
    EXPECT_EQ(updater.iteration(), 0) << "nothing was changed";
    load_npz(data + "chainer_snapshot.npz", trainer, {.strict = false});
    EXPECT_EQ(updater.iteration(), 7);
}

}  // namespace
}  // namespace catena
