// A library that the loader has no memory for is not missing.
#include <filesystem>
#include <new>
#include <string>

#include <dlfcn.h>

#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "runtime/core/plugin/load_library.h"
#include "tests/no_memory/failing_allocations.h"

namespace catena::testing {
namespace {

class LibraryWithoutMemory : public ::testing::Test {
protected:
    void SetUp() override {
        if (!allocations_can_fail()) GTEST_SKIP() << "a sanitizer has malloc";
    }
};

TEST_F(LibraryWithoutMemory, is_loaded_or_a_bad_alloc_whichever_allocation_fails) {
    const std::string file =
        std::filesystem::path(compiler_path()).parent_path() / "libcatena_image.so";
    if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " was not built";
    int refused = 0;
    for (int number = 0;; ++number) {
        ASSERT_LT(number, 10000);
        bool is_refused = false;
        std::string complaint;
        begin_failing(number, 1, nullptr);
        void* library = nullptr;
        try {
            library = load_library(file.c_str());
            if (!library) complaint = dlerror();
        } catch (const std::bad_alloc&) {
            is_refused = true;
        }
        const bool failed = end_failing() > number;
        EXPECT_EQ(complaint, "") << "allocation " << number;
        refused += is_refused;
        if (library) dlclose(library);
        if (!failed) break;
    }
    EXPECT_GT(refused, 3);
}

TEST_F(LibraryWithoutMemory, is_another_thing_than_one_that_is_not_there) {
    EXPECT_EQ(load_library("/there/is/no/such_library.so"), nullptr);
}

}  // namespace
}  // namespace catena::testing
