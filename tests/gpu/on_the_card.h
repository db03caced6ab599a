#pragma once

#include <cstdlib>
#include <optional>

#include <gtest/gtest.h>

#include "frontend/catena.h"
#include "runtime/core/array/code_device.h"
#include "tests/gpu/time_limit.h"

namespace catena::testing {

/// What only a card shows: its whole memory, large indices, several threads, long trainings, the
/// libraries at full size. Skipped with its reason where there is no device. Over a double of the
/// driver (CATENA_CUDA_DRIVER) everything is small, to see that it runs. Each holds itself to a
/// time limit, from when the device is there.
class OnTheCard : public ::testing::Test {
protected:
    void SetUp() override {
        try {
            device = dynamic_cast<CodeDevice*>(&get_device("cuda:0"));
        } catch (const Error& error) {
            GTEST_SKIP() << error.what();
        }
        ASSERT_TRUE(device);
        limit_.emplace(::testing::UnitTest::GetInstance()->current_test_info()->name(),
                       TimeLimit::of_checks());
    }
    void TearDown() override { limit_.reset(); }

    static bool is_double() { return std::getenv("CATENA_CUDA_DRIVER") != nullptr; }
    /// The size on a card, or the small one of a trial.
    static int64_t size(int64_t on_card, int64_t small) { return is_double() ? small : on_card; }
    static Array on_host(const Variable& x) { return x.array().to(cpu_device()); }

    CodeDevice* device = nullptr;

private:
    std::optional<TimeLimit> limit_;
};

}  // namespace catena::testing
