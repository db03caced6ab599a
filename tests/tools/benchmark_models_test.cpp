// The models of benchmarks/models are those that they are named after.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benchmarks/models/gpt_block.h"
#include "benchmarks/models/resnet50.h"

namespace catena::testing {
namespace {

int64_t parameter_count(const Link& model) {
    int64_t count = 0;
    for (const Parameter* p : model.params()) count += p->size();
    return count;
}

TEST(BenchmarkModels, resnet50_has_the_parameters_of_the_paper) {
    const models::ResNet50 model;
    EXPECT_EQ(parameter_count(model), 25557032) << "as torchvision's";
    EXPECT_EQ(model.unlisted_parts(), std::vector<std::string>());
}

TEST(BenchmarkModels, resnet50_halves_images_five_times_and_learns) {
    set_seed(1);
    models::ResNet50 model({.width = 4, .classes = 10});
    const Variable x(random_normal({2, 3, 64, 64}).array(), false),
        t(Array::from<int32_t>({3, 7}), false);
    MomentumSGD optimizer(0.05);
    optimizer.setup(model);
    double first = 0, last = 0;
    for (int i = 0; i < 8; ++i) {
        const Variable loss = softmax_cross_entropy(model(x), t);
        model.cleargrads();
        loss.backward();
        optimizer.update();
        last = loss.item<double>();
        if (i == 0) first = last;
    }
    EXPECT_EQ(model(x).shape(), (Shape{2, 10}));
    EXPECT_LT(last, first);
}

TEST(BenchmarkModels, a_block_of_gpt2_has_its_parameters) {
    EXPECT_EQ(parameter_count(models::GptBlock(768, 12)), 7087872);
}

TEST(BenchmarkModels, a_block_of_gpt2_sees_what_was_before_and_nothing_else) {
    set_seed(2);
    models::CausalBlock block(16, 4, 6);
    std::vector<float> values = random_normal({1, 6, 16}).array().to_vector<float>();
    auto rows = [&] {
        return block(Variable(Array::from(values, {1, 6, 16}), false)).array().to_vector<float>();
    };
    const std::vector<float> before = rows();
    values[3 * 16 + 5] += 1;  // The fourth of six.
    const std::vector<float> after = rows();
    for (size_t row = 0; row < 6; ++row) {
        const bool same =
            std::equal(before.begin() + long(row) * 16, before.begin() + long(row + 1) * 16,
                       after.begin() + long(row) * 16);
        EXPECT_EQ(same, row < 3) << "row " << row;
    }
}

}  // namespace
}  // namespace catena::testing
