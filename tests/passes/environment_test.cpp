#include "passes/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/core/error.h"
#include "tests/support/environment.h"

namespace catena::passes {
namespace {

constexpr const char* variable = "CATENA_KERNEL_CACHE_MB";

TEST(environment, a_count_is_read) {
    test::EnvironmentScope scope(variable, "64");
    EXPECT_EQ(count_in_environment(variable, "megabytes"), 64);
}

TEST(environment, what_is_empty_says_nothing) {
    test::EnvironmentScope scope(variable, "");
    EXPECT_EQ(count_in_environment(variable, "megabytes"), std::nullopt);
}

TEST(environment, what_is_no_count_is_an_error_that_says_what_would_be_right) {
    for (const char* text : {"abc", "64 MB", "-1", "1.5", "99999999999999999999"}) {
        test::EnvironmentScope scope(variable, text);
        try {
            count_in_environment(variable, "megabytes of code to keep");
            ADD_FAILURE() << text;
        } catch (const CompileError& error) {
            EXPECT_THAT(error.what(), testing::HasSubstr(std::string("CATENA_KERNEL_CACHE_MB: '") + text +
                                                         "' is not a number of at least 0; it takes megabytes of code to keep"));
        }
    }
}

}  // namespace
}  // namespace catena::passes
