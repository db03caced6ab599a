// The table of docs/architecture.md names the folders of the layers, two levels deep.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>

#include "tests/structure/source_tree.h"

namespace catena::structure {
namespace {

namespace fs = std::filesystem;

/// What stands in backticks in one row. A folder beside its parent or a sibling is called by its
/// last name.
using Row = std::set<std::string>;

std::vector<Row> rows_of_the_table() {
    static const std::regex name("`([^`]+)`");
    std::vector<Row> rows;
    for (const auto& line : lines_of("docs/architecture.md")) {
        if (!line.starts_with("| `")) continue;
        Row& row = rows.emplace_back();
        for (auto found = std::sregex_iterator(line.begin(), line.end(), name);
             found != std::sregex_iterator(); ++found)
            row.insert((*found)[1]);
    }
    return rows;
}

bool is_named(const fs::path& folder, const std::vector<Row>& rows) {
    const std::string parent = folder.parent_path().string();
    return std::any_of(rows.begin(), rows.end(), [&](const Row& row) {
        const bool beside_its_kin =
            std::any_of(row.begin(), row.end(), [&](const std::string& other) {
                return other == parent || fs::path(other).parent_path() == parent;
            });
        return row.contains(folder.string()) ||
               (beside_its_kin && row.contains(folder.filename().string()));
    });
}

/// Of files like runtime/ops/math/fft.cpp: runtime/ops and runtime/ops/math.
std::set<std::string> folders_of(const std::string& layer) {
    std::set<std::string> folders;
    for (const auto& file : sources_below(layer)) {
        const auto depth = std::count(file.begin(), file.end(), '/');
        fs::path folder = fs::path(file).parent_path();
        for (auto level = depth; level > 1; --level, folder = folder.parent_path())
            if (level <= 3) folders.insert(folder.string());
    }
    return folders;
}

TEST(ArchitecturePage, names_every_folder) {
    const auto rows = rows_of_the_table();
    for (const char* layer : {"runtime", "ir", "passes", "codegen", "frontend", "tools"})
        for (const auto& folder : folders_of(layer))
            EXPECT_TRUE(is_named(folder, rows)) << "docs/architecture.md: a row for " << folder;
}

TEST(ArchitecturePage, would_miss_a_folder) {
    EXPECT_TRUE(folders_of("runtime").contains("runtime/ops"));
    EXPECT_TRUE(folders_of("runtime").contains("runtime/ops/math"));
    const std::vector<Row> rows = {{"runtime/ops", "math"}, {"frontend/link/loss", "rnn"}};
    EXPECT_TRUE(is_named("runtime/ops/math", rows));
    EXPECT_TRUE(is_named("frontend/link/rnn", rows));
    EXPECT_FALSE(is_named("runtime/ops/rnn", rows));
    EXPECT_FALSE(is_named("frontend/math", rows));
}

}  // namespace
}  // namespace catena::structure
