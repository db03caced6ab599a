// Objects of a user's at file scope are destroyed after all that the library makes at its first
// use, and after all that belongs to the main thread. So what they may still need is never
// destroyed: PerThread (runtime/core/system/per_thread.h) and references to `new` objects.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "tests/structure/source_tree.h"

namespace catena::structure {
namespace {

/// Whether the line makes an object of a standard class that is gone too early.
bool is_short_lived(const std::string& line) {
    if (line.find("static ") == std::string::npos &&
        line.find("thread_local ") == std::string::npos)
        return false;
    static const std::regex of_thread(
        R"(^\s*(static )?thread_local (const )?std::(?!atomic)[^;]*[^*;= ] \w+( =.*|;|\{.*)$)"),
        of_function(
            R"(^\s+static (const )?std::(?!atomic|once_flag)[\w:]+(<.*>)? \w+( =.*|;|\{.*)$)");
    return std::regex_match(line, of_thread) || std::regex_match(line, of_function);
}

TEST(LastingObjects, short_lived_ones_are_found) {
    EXPECT_TRUE(is_short_lived("thread_local std::vector<Hook*> hooks;"));
    EXPECT_TRUE(is_short_lived("    static thread_local std::shared_ptr<Communicator> own{};"));
    EXPECT_TRUE(is_short_lived("    static std::map<std::string, int> known;"));
    EXPECT_TRUE(is_short_lived("    static const std::string none;"));
    EXPECT_TRUE(is_short_lived("    static const std::vector<int> all = {1, 2};"));
    EXPECT_FALSE(is_short_lived("constinit PerThread<std::vector<Hook*>> hooks;"));
    EXPECT_FALSE(is_short_lived("    static constinit PerThread<std::vector<Hook*>> hooks;"));
    EXPECT_FALSE(is_short_lived("thread_local std::vector<Node*>* waiting = nullptr;"));
    EXPECT_FALSE(is_short_lived("    static const auto& all = *new std::vector<int>{1, 2};"));
    EXPECT_FALSE(is_short_lived("    static std::unique_ptr<Line> through(const Trace& trace);"));
    EXPECT_FALSE(is_short_lived("    static std::atomic<int> count{0};"));
}

TEST(LastingObjects, all_outlive_those_of_users) {
    std::vector<std::string> found;
    for (const char* folder : {"runtime", "frontend", "ir", "passes", "codegen", "tools"})
        for (const std::string& file : sources_below(folder))
            for (const std::string& line : lines_of(file))
                if (is_short_lived(line)) found.push_back(file + ": " + line);
    EXPECT_THAT(found, testing::IsEmpty())
        << "write: constinit PerThread<T> x;  or: static T& x = *new T;";
}

}  // namespace
}  // namespace catena::structure
