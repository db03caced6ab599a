#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "frontend/compiler/compiler_loader.h"
#include "tests/export/saved_step.h"

namespace catena::testing {

inline void expect_near(const std::vector<double>& a, const std::vector<double>& b,
                        double tolerance, const std::string& what) {
    ASSERT_EQ(a.size(), b.size()) << what;
    for (size_t i = 0; i < a.size(); ++i)
        ASSERT_NEAR(a[i], b[i], tolerance * std::max(1.0, std::abs(b[i]))) << what << " at " << i;
}

template <class F>
std::string message_of(F f) {
    try {
        f();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "nothing was thrown";
}

class Package : public ::testing::Test {
protected:
    void SetUp() override {
        if (!compiler_available()) GTEST_SKIP() << "there is no compiler";
        set_seed(7);
    }
};

inline Variable pictures(int number, int64_t rows, int64_t height = 8, int64_t width = 8) {
    std::vector<float> values(size_t(rows * height * width));
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = float((i * 29 + size_t(number) * 53) % 32) / 16 - 1;
    return Variable(Array::from(values, {rows, 1, height, width}), false);
}

}  // namespace catena::testing
