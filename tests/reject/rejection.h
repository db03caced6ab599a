#pragma once

#include <source_location>
#include <string>

#include <gtest/gtest.h>

#include "runtime/core/system/error.h"

namespace catena::testing {

/// What `call` is refused with; fails the test unless it throws exactly an E.
template <class E, class F>
std::string refusal(F&& call) {
    try {
        call();
        ADD_FAILURE() << "nothing was refused";
        return "";
    } catch (const std::exception& error) {
        EXPECT_TRUE(typeid(error) == typeid(E)) << "another class of error: " << error.what();
        return error.what();
    }
}

/// " (at FILE:LINE)", as the errors of calls on that line end.
inline std::string at(const std::source_location& place) {
    return " (at " + to_string(SourceLoc(place)) + ")";
}

}  // namespace catena::testing

/// The calls after `message` must throw an `error` with that text and the line of this statement.
#define EXPECT_REFUSED(error, message, ...)                                               \
    EXPECT_EQ(::catena::testing::refusal<error>([&] { static_cast<void>(__VA_ARGS__); }), \
              (message) + ::catena::testing::at(std::source_location::current()))

/// As EXPECT_REFUSED, for calls that carry no line.
#define EXPECT_REFUSED_WITHOUT_LINE(error, message, ...) \
    EXPECT_EQ(::catena::testing::refusal<error>([&] { static_cast<void>(__VA_ARGS__); }), (message))
