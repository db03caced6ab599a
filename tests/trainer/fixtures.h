#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "frontend/optimizer/optimizer.h"
#include "frontend/serializer/serializer.h"
#include "frontend/testing/mock_updater.h"
#include "runtime/core/system/error.h"

namespace catena::testing {

/// A folder of the test's own.
class FolderTest : public ::testing::Test {
protected:
    FolderTest() { std::filesystem::create_directories(folder_); }
    ~FolderTest() override { std::filesystem::remove_all(folder_); }
    std::string path(const std::string& name = "") const { return (folder_ / name).string(); }
    void write(const std::string& name, const std::string& content) const {
        std::ofstream(path(name), std::ios::binary) << content;
    }
    std::string content(const std::string& name) const {
        std::ifstream file(path(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

private:
    static inline int counter_ = 0;
    std::filesystem::path folder_ = std::filesystem::temp_directory_path() /
                                    fmt::format("catena_trainer_{}_{}", getpid(), counter_++);
};

using catena::MockUpdater;

/// The message of the error of type E that f() throws.
template <class E, class F>
std::string message_of(F f) {
    try {
        f();
    } catch (const E& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace catena::testing
