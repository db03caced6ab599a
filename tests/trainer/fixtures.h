#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "frontend/dataset/serial_iterator.h"
#include "frontend/optimizer/optimizer.h"
#include "frontend/serializer/serializer.h"
#include "frontend/trainer/updater.h"
#include "runtime/core/error.h"

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
    std::filesystem::path folder_ =
        std::filesystem::temp_directory_path() / fmt::format("catena_trainer_{}_{}", getpid(), counter_++);
};

/// Iterations without any work, `per_epoch` of them in an epoch.
class MockUpdater : public Updater {
public:
    explicit MockUpdater(int per_epoch = 10)
        : iterator_(Dataset(Array::zeros({Dtype::float32, {per_epoch}})), 1, {.shuffle = false}) {}
    void serialize(const Serializer& s) override {
        iterator_.serialize(s["iterator:main"]);
        s("iteration", iteration_);
    }
    std::vector<std::pair<std::string, Optimizer*>> optimizers() const override { return {}; }
    Iterator& get_iterator(const std::string&) const override { return iterator_; }
    std::function<void(int64_t iteration)> on_update;
    bool finalized = false;
    void finalize() override { finalized = true; }

protected:
    void update_core() override {
        iterator_.next();
        if (on_update) on_update(iteration() + 1);
    }

private:
    mutable SerialIterator iterator_;
};

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
