// StaticGraphOptions::memory_budget: less memory, the same bits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "runtime/core/array/device.h"
#include "runtime/core/random/random.h"
#include "tests/support/environment.h"

namespace catena {
namespace {

/// Ten convolutions with normalization and dropout, and their update.
struct Network : Chain {
    Network() {
        for (int i = 0; i < 10; ++i) {
            convolutions.append(Convolution2D(i == 0 ? 3 : 16, 16, 3, {.pad = {1, 1}}));
            normalizations.append(BatchNormalization(16));
        }
        add_children(
            {{"convolutions", convolutions}, {"normalizations", normalizations}, {"last", last}});
    }
    Variable operator()(const Variable& x) {
        Variable h = x;
        for (size_t i = 0; i < 10; ++i)
            h = dropout(relu(normalizations.get<BatchNormalization>(i)(
                            convolutions.get<Convolution2D>(i)(h))),
                        0.1);
        return last(mean(h, {2, 3}));
    }
    ChainList convolutions, normalizations;
    Linear last{16, 10};
};

Array images(uint64_t seed) {
    const Array array = Array::empty({Dtype::float32, Shape{8, 3, 24, 24}}, cpu_device());
    fill_normal(RandomStream{seed, 0}, array.to_fill<float>(), array.size());
    return array;
}

struct Training {
    std::vector<float> parameters;
    std::string explanation;
    int64_t arena_bytes = 0;
};

Training trained_with(size_t budget) {
    set_seed(5);
    Network network;
    MomentumSGD optimizer(0.05);
    optimizer.setup(network);
    auto step = static_graph(
        [&](const Variable& x, const Array& t) {
            network.cleargrads();
            const Variable loss = softmax_cross_entropy(network(x), t);
            loss.backward();
            optimizer.update();
            return loss;
        },
        StaticGraphOptions{.name = "step", .memory_budget = budget});
    for (int i = 0; i < 3; ++i)
        step(Variable(images(uint64_t(i))), Array::full({Dtype::int32, Shape{8}}, i));
    Training result;
    for (const Parameter* p : network.params())
        for (const float v : p->array().to_vector<float>()) result.parameters.push_back(v);
    result.explanation = step.explain();
    std::smatch found;
    EXPECT_TRUE(
        std::regex_search(result.explanation, found, std::regex("([0-9]+) bytes of temporaries")))
        << result.explanation;
    if (!found.empty()) result.arena_bytes = std::stoll(found[1]);
    return result;
}

class MemoryBudget : public ::testing::Test {
protected:
    void SetUp() override {
        if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    }
};

TEST_F(MemoryBudget, is_kept_with_the_same_bits) {
    const Training without = trained_with(0);
    EXPECT_THAT(without.explanation, testing::Not(testing::HasSubstr("memory_budget:")));
    for (const int percent : {80, 60}) {
        SCOPED_TRACE(percent);
        const size_t budget = size_t(without.arena_bytes) * size_t(percent) / 100;
        const Training within = trained_with(budget);
        EXPECT_LE(within.arena_bytes, int64_t(budget));
        EXPECT_EQ(within.parameters, without.parameters);
        EXPECT_THAT(within.explanation, testing::HasSubstr("of intermediate results at a time"));
        EXPECT_THAT(within.explanation, testing::HasSubstr("by an estimate of all budgets"));
    }
}

TEST_F(MemoryBudget, that_cannot_be_kept_is_approached_and_reported) {
    const Training without = trained_with(0), within = trained_with(1000);
    EXPECT_LT(within.arena_bytes, without.arena_bytes * 6 / 10);
    EXPECT_EQ(within.parameters, without.parameters);
    EXPECT_THAT(within.explanation, testing::HasSubstr("memory_budget: 1000 bytes were asked for"));
}

TEST_F(MemoryBudget, shows_each_stage_of_the_last_attempt_once) {
    const std::filesystem::path folder =
        std::filesystem::path(::testing::TempDir()) / "memory_budget_dump";
    std::filesystem::remove_all(folder);
    {
        const test::EnvironmentScope dumps("CATENA_DUMP_DIR", folder.string());
        trained_with(1000);  // Cannot be kept: several attempts.
    }
    std::set<std::string> seen;
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder)) {
        if (!file.is_regular_file() || file.path().extension() != ".mlir") continue;
        const std::string name = file.path().filename().string();
        EXPECT_TRUE(
            seen.insert(file.path().parent_path().string() + name.substr(name.find('-'))).second)
            << file.path();
    }
    EXPECT_GT(seen.size(), 5u);
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace catena
