#pragma once

#include <string>

#include <gtest/gtest.h>

namespace catena::testing {

/// What `call` writes to standard error: notices.
template <class F>
std::string said(F&& call) {
    ::testing::internal::CaptureStderr();
    call();
    return ::testing::internal::GetCapturedStderr();
}

}  // namespace catena::testing
