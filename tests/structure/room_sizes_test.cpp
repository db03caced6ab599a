// A folder is a room that one can look over: it holds few files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/structure/source_tree.h"

namespace catena::structure {
namespace {

namespace fs = std::filesystem;

constexpr size_t most_files = 40;

/// How many files each folder holds, without what editors and interpreters leave there.
std::map<std::string, size_t> sizes_below(const std::string& layer) {
    std::map<std::string, size_t> sizes;
    for (fs::recursive_directory_iterator it(root() / layer), end; it != end; ++it) {
        const std::string name = it->path().filename().string();
        if (name.starts_with(".") || name == "__pycache__")
            it.disable_recursion_pending();
        else if (it->is_regular_file())
            ++sizes[fs::relative(it->path().parent_path(), root()).string()];
    }
    return sizes;
}

/// What is to be mended, a line for each folder.
std::vector<std::string> complaints(const std::map<std::string, size_t>& sizes) {
    std::vector<std::string> found;
    for (const auto& [folder, size] : sizes)
        if (size > most_files)
            found.push_back(folder + " holds " + std::to_string(size) + " files, at most " +
                            std::to_string(most_files) + ": divide it");
    return found;
}

TEST(RoomSizes, no_folder_is_too_full) {
    std::map<std::string, size_t> sizes;
    for (const char* layer : {"runtime", "ir", "passes", "codegen", "frontend", "tools"})
        sizes.merge(sizes_below(layer));
    EXPECT_GT(sizes.size(), 50u);
    EXPECT_GT(sizes.at("runtime/ops/onnx"), 1u);
    EXPECT_THAT(complaints(sizes), testing::IsEmpty());
}

TEST(RoomSizes, a_full_folder_is_told) {
    EXPECT_THAT(complaints({{"a", 40}, {"b", 41}, {"c", 3}}),
                testing::ElementsAre("b holds 41 files, at most 40: divide it"));
}

}  // namespace
}  // namespace catena::structure
