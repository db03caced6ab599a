// What may not fail does not need memory: moves, and the end of objects.
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "frontend/catena.h"
#include "runtime/core/array/device.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/graph/settings/mixed16.h"
#include "tests/frontend/capture_models.h"
#include "tests/no_memory/failing_allocations.h"

namespace catena::testing {
namespace {

/// While it lives, every allocation fails.
class NothingLeft {
public:
    NothingLeft() { begin_failing(0, int64_t(1) << 40, nullptr); }
    ~NothingLeft() { end_failing(); }
};

std::vector<float> values_of(const Link& model) {
    std::vector<float> values;
    for (const Parameter* parameter : model.params())
        for (float value : parameter->array().to_vector<float>()) values.push_back(value);
    return values;
}

class MovesWithoutMemory : public ::testing::Test {
protected:
    void SetUp() override {
        if (!allocations_can_fail()) GTEST_SKIP() << "a sanitizer has malloc";
    }
};

TEST_F(MovesWithoutMemory, a_moved_link_is_whole_and_the_old_one_ends_well) {
    std::optional<NoisyNet> old(std::in_place);
    Adam optimizer;
    optimizer.setup(*old);
    learn(*old, optimizer, mean((*old)(batch(1, 4, 3))));
    const std::vector<float> expected = values_of(*old);
    std::optional<NoisyNet> taken;
    {
        const NothingLeft nothing;
        taken.emplace(std::move(*old));
    }
    EXPECT_EQ(values_of(*taken), expected);
    EXPECT_EQ(taken->params().size(), 5u);
    learn(*taken, optimizer, mean((*taken)(batch(1, 4, 3))));  // Its optimizer goes on with it.
    EXPECT_NE(values_of(*taken), expected);
    old.reset();
    learn(*taken, optimizer, mean((*taken)(batch(1, 4, 3))));
}

TEST_F(MovesWithoutMemory, a_parameter_that_was_moved_from_takes_another) {
    Parameter first(Array::full({Dtype::float32, {2}}, 1), "first");
    std::optional<Parameter> taken;
    {
        const NothingLeft nothing;
        taken.emplace(std::move(first));
    }
    EXPECT_EQ(taken->array().to_vector<float>(), (std::vector<float>{1, 1}));
    EXPECT_TRUE(first.update_enabled());
    EXPECT_FALSE(first.is_initialized());
    first = std::move(*taken);
    EXPECT_EQ(first.array().to_vector<float>(), (std::vector<float>{1, 1}));
    first.set_update_enabled(false);
    EXPECT_FALSE(first.update_enabled());
}

TEST_F(MovesWithoutMemory, arrays_of_any_size_are_freed) {
    std::vector<Array> arrays;
    for (int64_t bytes = 64; bytes <= 1 << 22; bytes *= 2)
        for (int i = 0; i < 20; ++i) arrays.push_back(Array::zeros({Dtype::int8, {bytes + i}}));
    const size_t before = cpu_memory_statistics().bytes_in_use;
    {
        const NothingLeft nothing;
        for (Array& array : arrays) array = Array();
    }
    EXPECT_LT(cpu_memory_statistics().bytes_in_use + (size_t(1) << 25), before);
}

TEST_F(MovesWithoutMemory, settings_that_a_thread_makes_first_end_as_the_error_of_catena) {
    std::string told;
    told.reserve(64);
    const auto ask = [&](auto settings) {
        told = "nothing";
        std::thread([&] {
            const NothingLeft nothing;
            try {
                settings();
            } catch (const OutOfMemory&) {
                told = "out of memory";
            } catch (const std::exception&) {
                told = "another error";
            }
        }).join();
    };
    ask([] { high_precision_dtype(); });
    EXPECT_EQ(told, "out of memory");
}

TEST_F(MovesWithoutMemory, the_error_needs_none_either) {
    bool is_told = false;
    begin_failing(0, int64_t(1) << 40, nullptr);
    try {
        Array::zeros({Dtype::float32, {1 << 22}});
    } catch (const OutOfMemory& error) {
        is_told = *error.what() != 0;
    }
    end_failing();
    EXPECT_TRUE(is_told);
}

}  // namespace
}  // namespace catena::testing
