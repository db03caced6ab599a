#include "runtime/core/system/environment.h"

#include <cstdlib>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/core/system/error.h"
#include "runtime/graph/settings/config.h"

namespace catena {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* name = "CATENA_TEST_VALUE";

class Environment : public ::testing::Test {
protected:
    ~Environment() override { unsetenv(name); }
    void set(const char* value) { setenv(name, value, 1); }

    template <class F>
    std::string complaint(const char* value, F&& read) {
        set(value);
        try {
            read();
        } catch (const ValueError& error) {
            return error.what();
        }
        return "nothing was wrong";
    }
};

TEST_F(Environment, unset_and_empty_mean_the_default) {
    EXPECT_TRUE(environment::flag(name, true));
    set("");
    EXPECT_FALSE(environment::flag(name, false));
    EXPECT_FALSE(environment::whole_number(name));
    EXPECT_FALSE(environment::positive_number(name));
    EXPECT_FALSE(environment::choice(name, {"a"}));
    EXPECT_FALSE(environment::text(name));
}

TEST_F(Environment, flags_have_four_spellings_each) {
    for (const char* yes : {"1", "true", "YES", "On"}) {
        set(yes);
        EXPECT_TRUE(environment::flag(name, false)) << yes;
    }
    for (const char* no : {"0", "False", "no", "OFF"}) {
        set(no);
        EXPECT_FALSE(environment::flag(name, true)) << no;
    }
}

TEST_F(Environment, what_is_no_flag_is_an_error_that_says_what_would_be) {
    for (const char* value : {"banana", "2", " 1", "truely"})
        EXPECT_THAT(complaint(value, [] { environment::flag(name, true); }),
                    AllOf(HasSubstr("CATENA_TEST_VALUE is '" + std::string(value) + "'"),
                          HasSubstr("should be 1 or 0")));
}

TEST_F(Environment, whole_numbers_are_whole_and_within_their_range) {
    set("-7");
    EXPECT_EQ(environment::whole_number(name), -7);
    EXPECT_THAT(complaint("0", [] { environment::whole_number(name, 1, 8); }),
                HasSubstr("from 1 to 8"));
    for (const char* value : {"9", "4x", "4.5", "four", "99999999999999999999"})
        EXPECT_THAT(complaint(value, [] { environment::whole_number(name, 1, 8); }),
                    HasSubstr(value))
            << value;
}

TEST_F(Environment, positive_numbers_are_above_zero) {
    set("0.5");
    EXPECT_EQ(environment::positive_number(name), 0.5);
    for (const char* value : {"0", "-1", "nan", "inf", "5s", "soon"})
        EXPECT_THAT(complaint(value, [] { environment::positive_number(name); }),
                    HasSubstr("a number above 0"))
            << value;
}

TEST_F(Environment, choices_are_listed) {
    set("b");
    EXPECT_EQ(environment::choice(name, {"a", "b"}), "b");
    EXPECT_THAT(complaint("c", [] { environment::choice(name, {"a", "b"}); }),
                HasSubstr("'c' in the environment and should be one of a, b"));
}

TEST_F(Environment, lists_are_of_choices) {
    EXPECT_THAT(environment::list(name, {"a", "b"}), testing::IsEmpty());
    set("b,a");
    EXPECT_THAT(environment::list(name, {"a", "b"}), testing::ElementsAre("b", "a"));
    EXPECT_THAT(
        complaint("a,c", [] { environment::list(name, {"a", "b"}); }),
        HasSubstr("CATENA_TEST_VALUE names 'c' in the environment and should name some of a, b"));
}

/// What the first look at the settings of a new thread says.
std::string first_look(const char* variable, const char* value) {
    std::string said = "nothing was wrong";
    setenv(variable, value, 1);
    std::thread([&] {
        try {
            config();
        } catch (const ValueError& error) {
            said = error.what();
        }
    }).join();
    unsetenv(variable);
    return said;
}

TEST(Config, a_value_of_the_environment_that_is_not_understood_is_an_error) {
    for (const char* flag : {"CATENA_DEBUG", "CATENA_TYPE_CHECK", "CATENA_USE_STATIC_GRAPH",
                             "CATENA_KEEP_GRAPH_ON_REPORT", "CATENA_TF32", "CATENA_AUTOTUNE"}) {
        EXPECT_THAT(first_look(flag, "banana"), AllOf(HasSubstr(flag), HasSubstr("banana")));
        EXPECT_EQ(first_look(flag, "0"), "nothing was wrong");
    }
    EXPECT_THAT(first_look("CATENA_DTYPE", "int32"),
                HasSubstr("one of float16, bfloat16, float32, float64"));
    EXPECT_EQ(first_look("CATENA_DTYPE", "float64"), "nothing was wrong");
}

}  // namespace
}  // namespace catena
