// Folders are rooms: within a layer, their includes form no cycle, so each can be read and changed
// with those below it alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <regex>

#include "tests/structure/source_tree.h"

namespace catena::structure {
namespace {

/// For every folder, the folders that its files include, each with one such include.
using Rooms = std::map<std::string, std::map<std::string, std::string>>;

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

Rooms rooms_of(const std::string& layer) {
    static const std::regex pattern(R"re(^\s*#\s*include\s*"([^"]+)")re");
    Rooms rooms;
    for (const auto& file : sources_below(layer)) {
        if (file == "frontend/catena.h" || file.find("/include/") != std::string::npos)
            continue;  // The umbrella.
        for (const auto& line : lines_of(file)) {
            std::smatch match;
            if (!std::regex_search(line, match, pattern)) continue;
            const std::string target = match[1];
            if (target.starts_with(layer + "/") && folder_of(target) != folder_of(file))
                rooms[folder_of(file)].emplace(folder_of(target), file + " includes " + target);
        }
    }
    return rooms;
}

/// The includes along one cycle, a line each; empty if there is none.
std::string a_cycle_in(const Rooms& rooms) {
    enum class Mark { none, open, done };
    std::map<std::string, Mark> marks;
    std::vector<std::string> path, includes;
    std::string found;
    const std::function<void(const std::string&)> visit = [&](const std::string& room) {
        marks[room] = Mark::open;
        path.push_back(room);
        if (const auto arrows = rooms.find(room); arrows != rooms.end()) {
            for (const auto& [next, include] : arrows->second) {
                if (!found.empty()) break;
                includes.push_back(include);
                if (marks[next] == Mark::open) {
                    const auto first =
                        size_t(std::find(path.begin(), path.end(), next) - path.begin());
                    for (size_t i = first; i < includes.size(); ++i) found += includes[i] + "\n";
                } else if (marks[next] == Mark::none) {
                    visit(next);
                }
                includes.pop_back();
            }
        }
        path.pop_back();
        marks[room] = Mark::done;
    };
    for (const auto& [room, arrows] : rooms)
        if (marks[room] == Mark::none && found.empty()) visit(room);
    return found;
}

class RoomsOf : public testing::TestWithParam<const char*> {};

TEST_P(RoomsOf, have_no_cycle) {
    const Rooms rooms = rooms_of(GetParam());
    EXPECT_EQ(a_cycle_in(rooms), "");
}
INSTANTIATE_TEST_SUITE_P(layers, RoomsOf,
                         testing::Values("runtime", "ir", "passes", "codegen", "frontend"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Rooms, are_found) {
    const Rooms rooms = rooms_of("runtime");
    EXPECT_GT(rooms.size(), 10u);
    EXPECT_TRUE(rooms.at("runtime/graph/variable").contains("runtime/core/array"));
}

TEST(Rooms, a_cycle_is_told_by_its_includes) {
    Rooms rooms{{"a", {{"b", "a/x includes b/y"}}}, {"b", {{"c", "b/y includes c/z"}}}, {"c", {}}};
    EXPECT_EQ(a_cycle_in(rooms), "");
    rooms["c"].emplace("b", "c/z includes b/y");
    EXPECT_EQ(a_cycle_in(rooms), "b/y includes c/z\nc/z includes b/y\n");
}

}  // namespace
}  // namespace catena::structure
