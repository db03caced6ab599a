// Which value of a batch is the labels, and what updaters say about batches that do not fit.
#include <gmock/gmock.h>

#include "frontend/dataset/datasets.h"
#include "frontend/dataset/get_examples.h"
#include "frontend/link/connection/linear.h"
#include "frontend/optimizer/rules/sgd.h"
#include "frontend/trainer/classifier.h"
#include "frontend/trainer/extensions/snapshot/snapshot.h"
#include "frontend/trainer/parallel_updater.h"
#include "frontend/trainer/standard_updater.h"
#include "runtime/core/array/device.h"
#include "runtime/graph/op/arithmetic.h"
#include "tests/trainer/fixtures.h"

namespace catena {
namespace {

using ::testing::HasSubstr;
using testing::message_of;

const Variable x(Array::from<float>(std::vector<float>{1, 2, 3, 4, 5, 6}, Shape{2, 3}), false);
const Variable t(Array::from<int32_t>({1, 0}), false);

float loss_of(const Linear& linear) {
    return softmax_cross_entropy(Linear(linear)(x), t).item<float>();
}

TEST(Labels, stand_at_any_position) {
    const Linear linear(3, 2);
    EXPECT_EQ(Classifier(linear)(x, t).item<float>(), loss_of(linear));
    EXPECT_EQ(Classifier(linear)(Batch{x, t}).item<float>(), loss_of(linear));
    const auto at = [&](LabelKey key) {
        return Classifier(
            linear, [](auto& y, auto& t) { return softmax_cross_entropy(y, t); },
            [](auto& y, auto& t) { return accuracy(y, t); }, std::move(key));
    };
    EXPECT_EQ(at(0)(t, x).item<float>(), loss_of(linear));
    EXPECT_EQ(at(-2)(Batch{t, x}).item<float>(), loss_of(linear));
    EXPECT_EQ(at("t")(Batch({"t", "x"}, {t, x})).item<float>(), loss_of(linear));
    EXPECT_THAT(message_of<ValueError>([&] { at(2)(x, t); }),
                HasSubstr("Classifier: the labels are value 2 of a batch of 2"));
    EXPECT_THAT(message_of<ValueError>([&] { at("y")(Batch({"t", "x"}, {t, x})); }),
                HasSubstr("the labels should be 'y', which the batch does not have; it has t, x"));
    EXPECT_THAT(message_of<ValueError>([&] { at("y")(x, t); }),
                HasSubstr("but the batch has 2 values without names"));
    EXPECT_THAT(message_of<ValueError>([&] { at(-1)(Batch({"t", "x"}, {t, x})); }),
                HasSubstr("give the name of its labels as label_key"));
}

/// Takes the features by name.
struct ByName : Chain {
    Linear l{3, 2};
    ByName() { add_children({{"l", l}}); }
    Variable operator()(const Batch& features) { return l(features["x"] * features["scale"]); }
};

TEST(Labels, leave_a_dict_of_features) {
    Classifier<ByName> model(
        ByName(), [](auto& y, auto& t) { return softmax_cross_entropy(y, t); },
        [](auto& y, auto& t) { return accuracy(y, t); }, "label");
    const Array scale = Array::full({Dtype::float32, {2, 1}}, 2);
    const Dataset rows = DictDataset({{"scale", scale}, {"label", t.array()}, {"x", x.array()}});
    const Variable expected = softmax_cross_entropy(model.predictor.l(x * 2), t);
    for (const bool compiled : {false, true}) {
        SerialIterator it(rows, 2, {.shuffle = false});
        SGD sgd(0);
        sgd.setup(model);
        StandardUpdater updater(it, sgd, model, {.static_graph = compiled});
        Reporter reporter;
        reporter.add_observer("main", model);
        Observation observation;
        {
            const auto scope = reporter.scope(observation);
            updater.update();
        }
        EXPECT_NEAR(observation.at("main/loss").value(), expected.item<float>(), 1e-6);
    }
}

TEST(Labels, a_function_of_another_number_of_values_is_an_error) {
    Linear linear(3, 2);
    SerialIterator it(TupleDataset(x.array(), t.array()), 2);
    SGD sgd;
    sgd.setup(linear);
    StandardUpdater updater(it, sgd, [&](const Variable& only) { return linear(only); });
    EXPECT_THAT(message_of<ValueError>([&] { updater.update(); }),
                HasSubstr("the examples have 2 values, but the function takes 1; give one that "
                          "takes 2 (a Classifier"));
}

TEST(Snapshot, refuses_an_unknown_field_when_it_is_made) {
    EXPECT_THAT(
        message_of<ValueError>([] { extensions::snapshot({.filename = "s_{.updater.iter}"}); }),
        HasSubstr("the file name has the field {.updater.iter}; there are {.updater.iteration}"));
}

TEST(ParallelUpdater, takes_copies_of_ones_own) {
    Classifier<Linear> model(Linear(3, 2)), second(model), only(model);
    const Dataset rows = TupleDataset(x.array(), t.array());
    SerialIterator it(rows, 2, {.shuffle = false}), other(rows, 2, {.shuffle = false});
    SGD sgd(0.1), single(0.1);
    sgd.setup(model), single.setup(only);
    const ParallelUpdaterOptions two{.devices = {{"main", &cpu_device()}, {"second", nullptr}}};
    ParallelUpdater updater(it, sgd, model, {{"second", &second}}, two);
    ParallelUpdater copying(other, single, only, two);
    EXPECT_EQ(&updater.model("second"), &second);
    for (int i = 0; i < 3; ++i) updater.update(), copying.update();
    EXPECT_EQ(model.predictor.W.array().to_vector<float>(),
              only.predictor.W.array().to_vector<float>());
    EXPECT_THAT(
        message_of<ValueError>([&] { ParallelUpdater(it, sgd, model, {{"third", &second}}, two); }),
        HasSubstr("there is no device for the model 'third'"));
    const std::vector<std::pair<std::string, Classifier<Linear>*>> none;
    EXPECT_THAT(message_of<ValueError>([&] { ParallelUpdater(it, sgd, model, none, two); }),
                HasSubstr("there is a device 'second', but no model of that name"));
}

TEST(Dataset, gives_several_examples) {
    const Dataset numbers(Array::from<int32_t>({0, 1, 2, 3, 4}));
    const auto values = [](const std::vector<Example>& examples) {
        std::vector<int> found;
        for (const Example& example : examples) found.push_back(example[0].item<int32_t>());
        return found;
    };
    using ::testing::ElementsAre;
    EXPECT_THAT(values(get_examples(numbers, {4, 0, -2})), ElementsAre(4, 0, 3));
    EXPECT_THROW(get_examples(numbers, {5}), ValueError);
    EXPECT_THAT(values(get_range_of_examples(numbers, 1, -1)), ElementsAre(1, 2, 3));
    EXPECT_THAT(values(get_range_of_examples(numbers, 0, 99, 2)), ElementsAre(0, 2, 4));
    EXPECT_THAT(values(get_range_of_examples(numbers, 99, 0, -2)), ElementsAre(4, 2));
    EXPECT_THAT(values(get_range_of_examples(numbers, 3, 1)), ElementsAre());
    EXPECT_THROW(get_range_of_examples(numbers, 0, 5, 0), ValueError);
}

}  // namespace
}  // namespace catena
