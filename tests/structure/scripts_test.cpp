// What scripts say with --help. A script that does not know --help takes it for a folder, or begins
// its work.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/structure/source_tree.h"
#include "tests/support/command.h"

namespace catena::structure {
namespace {

namespace fs = std::filesystem;

/// Scripts that people start, as paths relative to the root; not what other scripts source.
std::vector<std::string> scripts() {
    std::vector<std::string> found;
    for (const char* folder : {"", "scripts", "scripts/release", "benchmarks/cuda",
                               "frontend/python/wheel", "tests/onnx", "tests/python", "tests/fuzz"})
        for (const auto& entry : fs::directory_iterator(root() / folder)) {
            const bool starts =
                (entry.status().permissions() & fs::perms::owner_exec) != fs::perms::none;
            if (entry.path().extension() == ".sh" && entry.is_regular_file() && starts)
                found.push_back(fs::relative(entry.path(), root()).string());
        }
    return found;
}

TEST(Scripts, say_with_help_what_they_do_and_do_nothing) {
    ASSERT_THAT(scripts(), ::testing::IsSupersetOf({"test.sh", "scripts/docs.sh"}));
    for (const std::string& script : scripts()) {
        SCOPED_TRACE(script);
        // Not run where it could begin its work.
        ASSERT_THAT(read(script), ::testing::HasSubstr("--help)"));
        const auto said = testing::run((root() / script).string() + " --help");
        EXPECT_EQ(said.status, 0);
        const auto second_line = lines_of(script).at(1);
        EXPECT_THAT(said.output, ::testing::StartsWith(second_line.substr(2)));
    }
}

}  // namespace
}  // namespace catena::structure
