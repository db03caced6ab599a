// One table of the environment variables: what is read is in it, what is in it is read, and the
// page is made of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "runtime/core/system/environment_variables.h"
#include "tests/structure/source_tree.h"

namespace catena::structure {
namespace {

std::set<std::string> in_table() {
    std::set<std::string> names;
    for (const environment::VariableInfo& v : environment::variables()) names.insert(v.name);
    return names;
}

/// What the sources give to a function as a name: f("CATENA_X"), {"CATENA_X", ...}.
std::set<std::string> in_sources() {
    static const std::regex name("[({ ]\"(CATENA_[A-Z0-9_]+)\"");
    std::set<std::string> found;
    for (const char* folder : {"runtime", "frontend", "ir", "passes", "codegen", "tools"})
        for (const std::string& path : sources_below(folder)) {
            if (path.find("environment_variables") != std::string::npos) continue;
            const std::string text = read(path);
            for (std::sregex_iterator it(text.begin(), text.end(), name), end; it != end; ++it)
                found.insert((*it)[1]);
        }
    return found;
}

TEST(EnvironmentTable, holds_exactly_the_variables_that_are_read) {
    EXPECT_THAT(in_table(), testing::ContainerEq(in_sources()));
}

TEST(EnvironmentTable, is_the_page_in_docs) {
    EXPECT_EQ(environment::reference_page(), read("docs/environment.md"))
        << "renew it with: catena info --env=markdown > docs/environment.md";
}

TEST(EnvironmentTable, warns_of_an_unknown_name_with_the_nearest) {
    setenv("CATENA_NUM_THREAD", "3", 1);
    const std::vector<std::string> complaints = environment::complaints_about_unknown_names();
    unsetenv("CATENA_NUM_THREAD");
    EXPECT_THAT(complaints, testing::ElementsAre(testing::AllOf(
                                testing::HasSubstr("CATENA_NUM_THREAD is set"),
                                testing::HasSubstr("the nearest is CATENA_NUM_THREADS"))));
}

}  // namespace
}  // namespace catena::structure
