// The memory of a card, indices beyond 32 bits, and threads that share a device.
#include <algorithm>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "benchmarks/models/perceptron.h"
#include "tests/gpu/on_the_card.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;

TEST_F(OnTheCard, a_full_card_is_an_error_from_which_one_recovers) {
    if (is_double()) GTEST_SKIP() << "the double's memory is this machine's";
    const DeviceScope scope(*device);
    const Type block{Dtype::uint8, {int64_t(1) << 30}};
    const Variable x(Array::full({Dtype::float32, {1000}}, 3), false);
    std::string message;
    size_t blocks = 0;
    {
        std::vector<Array> all;
        try {
            while (all.size() < 4096) all.push_back(Array::empty(block));
        } catch (const DeviceError& error) {
            message = error.what();
        }
        blocks = all.size();
        EXPECT_THAT(message, HasSubstr("cuda:0"));
        EXPECT_THAT(message, HasSubstr("arrays use"));
        all.resize(all.size() / 2);
        EXPECT_EQ(on_host(x * 2.0).to_vector<float>(), std::vector<float>(1000, 6));
    }
    std::printf("%zu blocks of 1 GiB\n", blocks);
    EXPECT_GT(blocks, 2u);
    std::vector<Array> again;
    for (size_t i = 0; i + 1 < blocks; ++i) again.push_back(Array::empty(block));
    EXPECT_EQ(again.size() + 1, blocks) << "what was freed is there again";
}

TEST_F(OnTheCard, an_array_of_more_than_four_gigabytes_is_computed_to_its_end) {
    const DeviceScope scope(*device);
    const int64_t n = size((int64_t(1) << 30) + 77, 5003);
    const Variable ones(Array::full({Dtype::float32, {n}}, 1), false);
    const Variable y = (ones + ones) * 1.5;
    for (int64_t at : {int64_t(0), n / 2, n - 1})
        EXPECT_EQ(on_host(y[slice(at, at + 1)]).item<float>(), 3) << at;
    EXPECT_NEAR(on_host(mean(y)).item<float>(), 3, 1e-4);
    EXPECT_EQ(on_host(maximum(y, 0.0)[slice(n - 2, n)]).to_vector<float>(),
              std::vector<float>(2, 3));
}

TEST_F(OnTheCard, indices_beyond_32_bits_reach_their_elements) {
    const DeviceScope scope(*device);
    const int64_t n = size((int64_t(1) << 31) + 1030, 70001);
    const Variable zeros(Array::full({Dtype::uint8, {n}}, 0), false);
    const Variable y = where(zeros == 0.0, Variable(Array::full({Dtype::uint8, {}}, 7), false),
                             Variable(Array::full({Dtype::uint8, {}}, 9), false));
    EXPECT_EQ(on_host(y[slice(n - 3, n)]).to_vector<int>(), std::vector<int>(3, 7));
    const Variable i(Array::from<int64_t>({0, n - 1}).to(*device), false);
    EXPECT_EQ(on_host(take(y, i, 0)).to_vector<int>(), std::vector<int>(2, 7));
}

/// Parameters after some steps of a perceptron with a region of its own.
std::vector<float> trained(CodeDevice& device, int number, int64_t steps) {
    const DeviceScope scope(device);
    set_seed(uint64_t(number) + 1);
    models::Perceptron model(20, 30, 5);
    Adam optimizer(1e-3);
    optimizer.setup(model);
    auto step = static_graph(
        [&](const Variable& x, const Variable& t) {
            Variable loss = softmax_cross_entropy(model(x), t);
            model.cleargrads();
            loss.backward();
            optimizer.update();
            return loss;
        },
        {.name = "threads"});
    const Variable x = random_normal({16, 20});
    std::vector<int32_t> labels(16);
    for (size_t i = 0; i < labels.size(); ++i) labels[i] = int32_t(i % 5);
    const Variable t(Array::from(labels, {16}).to(device), false);
    for (int64_t i = 0; i < steps; ++i) step(x, t);
    std::vector<float> values;
    for (const Parameter* parameter : model.params())
        for (float value : parameter->array().to(cpu_device()).to_vector<float>())
            values.push_back(value);
    return values;
}

TEST_F(OnTheCard, four_threads_with_a_region_each_compute_what_each_computes_alone) {
    const int64_t steps = size(300, 6);
    std::vector<std::vector<float>> alone, together(4);
    for (int i = 0; i < 4; ++i) alone.push_back(trained(*device, i, steps));
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&, i] { together[size_t(i)] = trained(*device, i, steps); });
    for (std::thread& thread : threads) thread.join();
    for (size_t i = 0; i < 4; ++i) {
        EXPECT_FALSE(alone[i].empty());
        EXPECT_EQ(together[i], alone[i]) << "thread " << i;
    }
    EXPECT_NE(alone[0], alone[1]);
}

}  // namespace
}  // namespace catena::testing
