#include "frontend/trainer/parallel_updater.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "frontend/link/connection/linear.h"
#include "frontend/optimizer/loss_scaling.h"
#include "frontend/optimizer/rules/sgd.h"
#include "frontend/serializer/npz.h"
#include "frontend/trainer/classifier.h"
#include "frontend/trainer/trainer.h"
#include "runtime/core/array/device.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/noise/random.h"
#include "tests/trainer/fixtures.h"

namespace catena {
namespace {

using ::testing::HasSubstr;
using testing::message_of;

class ParallelUpdaterTest : public testing::FolderTest {
protected:
    static Dataset rows() {
        std::vector<float> x;
        std::vector<int32_t> t;
        for (int i = 0; i < 12; ++i) {
            x.insert(x.end(), {float(i % 5), float(i % 3), 1.f});
            t.push_back(i % 2);
        }
        return {Array::from(x, {12, 3}), Array::from(t, {12})};
    }
    struct Training {
        Training() : it(rows(), 4, {.shuffle = false}) {
            model = std::make_unique<Classifier<Linear>>(
                Linear(2));  // Takes its input size from the first batch.
            sgd.setup(*model);
        }
        std::unique_ptr<Classifier<Linear>> model;
        SGD sgd{0.1};
        SerialIterator it;
    };
    const ParallelUpdaterOptions two_{
        .devices = {{"second", &cpu_device()}, {"main", &cpu_device()}}};
};

TEST_F(ParallelUpdaterTest, adds_up_the_gradients_of_all_parts) {
    Training parallel, by_hand;
    ParallelUpdater updater(parallel.it, parallel.sgd, *parallel.model, two_);
    Trainer trainer(updater, {5, "iteration"}, path());
    set_seed(2);  // Of the parameters, which the first batch makes.
    trainer.run();
    EXPECT_TRUE(trainer.observation().contains("main/loss"));
    EXPECT_TRUE(trainer.observation().contains("second/loss"));
    set_seed(2);
    for (int step = 0; step < 5; ++step) {
        std::vector<Example> examples = *by_hand.it.next();
        Variable loss;
        for (size_t part : {0, 1}) {
            Batch batch = concat_examples(std::vector{examples[part], examples[part + 2]});
            Variable of_part = (*by_hand.model)(batch[0], batch[1]);
            loss = part == 0 ? of_part : loss + of_part;
        }
        by_hand.model->cleargrads();
        loss.backward();
        by_hand.sgd.update();
    }
    std::vector<float> a = parallel.model->predictor.W.array().to_vector<float>(),
                       b = by_hand.model->predictor.W.array().to_vector<float>();
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-6);
}

TEST_F(ParallelUpdaterTest, tells_a_loss_function_on_which_copy_it_computes) {
    Training with_model, with_loss;
    ParallelUpdater first(with_model.it, with_model.sgd, *with_model.model, two_);
    std::set<const Link*> seen;
    const auto loss = [&](Classifier<Linear>& model, const Variable& x, const Variable& t) {
        seen.insert(&model);
        return softmax_cross_entropy(model.predictor(x), t);
    };
    ParallelUpdater second(with_loss.it, with_loss.sgd, *with_loss.model, loss, two_);
    for (ParallelUpdater* updater : {&first, &second}) {
        set_seed(2);
        for (int step = 0; step < 3; ++step) updater->update();
    }
    EXPECT_EQ(with_loss.model->predictor.W.array().to_vector<float>(),
              with_model.model->predictor.W.array().to_vector<float>());
    EXPECT_EQ(seen, (std::set<const Link*>{&second.model("main"), &second.model("second")}));
}

TEST_F(ParallelUpdaterTest, scales_the_losses_of_all_parts) {
    Training plain, fixed, dynamic;
    for (Training* t : {&plain, &fixed, &dynamic}) {
        set_seed(2);
        ParallelUpdaterOptions options = two_;
        if (t == &fixed) options.loss_scale = 256;
        if (t == &dynamic) loss_scaling(t->sgd, {.initial = 1024});
        ParallelUpdater updater(t->it, t->sgd, *t->model, options);
        for (int step = 0; step < 3; ++step) updater.update();
    }
    const std::vector<float> expected = plain.model->predictor.W.array().to_vector<float>();
    EXPECT_EQ(fixed.model->predictor.W.array().to_vector<float>(),
              expected);  // Powers of two change no bit.
    EXPECT_EQ(dynamic.model->predictor.W.array().to_vector<float>(), expected);
}

TEST_F(ParallelUpdaterTest, short_batches_and_snapshots_are_taken) {
    Training through, first, second;
    auto run = [&](Training& t, int64_t until, const std::string& load, const std::string& save) {
        ParallelUpdater updater(t.it, t.sgd, *t.model,
                                {.devices = {{"main", nullptr},
                                             {"a", nullptr},
                                             {"b", nullptr},
                                             {"c", nullptr},
                                             {"d", nullptr}}});  // More than examples in a batch.
        Trainer trainer(updater, {until, "iteration"}, path());
        set_seed(2);
        if (!load.empty()) load_npz(path(load), trainer);
        trainer.run();
        if (!save.empty()) save_npz(path(save), trainer);
    };
    run(through, 6, "", "");
    run(first, 3, "", "half");
    run(second, 6, "half", "");
    EXPECT_EQ(second.model->predictor.W.array().to_vector<float>(),
              through.model->predictor.W.array().to_vector<float>());
}

TEST_F(ParallelUpdaterTest, needs_a_main_device_and_the_target) {
    Training t;
    EXPECT_THAT(message_of<ValueError>(
                    [&] { ParallelUpdater(t.it, t.sgd, *t.model, {.devices = {{"a", nullptr}}}); }),
                HasSubstr("no device is called 'main'"));
    EXPECT_THAT(message_of<ValueError>([&] {
                    ParallelUpdater(t.it, t.sgd, *t.model,
                                    {.devices = {{"main", nullptr}, {"main", nullptr}}});
                }),
                HasSubstr("'main' is given twice"));
    Classifier<Linear> other{Linear(2)};
    EXPECT_THAT(message_of<ValueError>([&] { ParallelUpdater(t.it, t.sgd, other, two_); }),
                HasSubstr("not the optimizer's target"));
}

}  // namespace
}  // namespace catena
