// Each header that users include compiles when it is the only one: precompiled headers and unity
// sources would hide that one lacks an #include.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iostream>

#include "tests/structure/headers.h"
#include "tests/structure/proven.h"
#include "tests/structure/source_tree.h"

namespace catena::structure {
namespace {

namespace fs = std::filesystem;

/// Those that cmake/Install.cmake installs and users are meant to include, and what these include.
std::set<std::string> public_headers(Headers& headers) {
    std::set<std::string> files{"frontend/include/catena/catena.h", "runtime/capi.h"};
    for (const char* folder :
         {"frontend/onnx", "frontend/caffe", "frontend/image", "frontend/download"})
        for (const std::string& file : sources_below(folder))
            if (file.ends_with(".h")) files.insert(file);
    std::set<std::string> result;
    for (const std::string& file : files)
        for (const std::string& each : headers.closure(file))
            if (each.ends_with(".h") && headers.has(each)) result.insert(each);
    return result;
}

TEST(HeadersAlone, compile) {
    Headers headers(root());
    Proven proven(CATENA_BINARY_DIR "/headers_proven");
    const std::set<std::string> all = public_headers(headers);
    EXPECT_GT(all.size(), 200u) << "the umbrella was not read";
    std::set<std::string> subjects;
    for (const std::string& header : all)
        if (!proven.has(headers.facts(header))) subjects.insert(header);
    const std::vector<std::string> hubs = headers.hubs_for(subjects);
    std::cout << subjects.size() << " of " << all.size() << " headers are new or changed; "
              << hubs.size() << " of them are precompiled\n";
    const auto incomplete = headers.incomplete(subjects, hubs);
    for (const auto& [header, complaint] : incomplete)
        ADD_FAILURE() << header << " does not compile alone:\n" << complaint.substr(0, 600);
    for (const std::string& header : subjects)
        if (!incomplete.contains(header)) proven.add(headers.facts(header));
}

class SmallTree : public testing::Test {
protected:
    SmallTree() : folder_(fs::path(testing::TempDir()) / "tree") {
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    std::set<std::string> write(const std::map<std::string, std::string>& texts) {
        std::set<std::string> names;
        for (const auto& [name, text] : texts) {
            std::ofstream(folder_ / name) << "#pragma once\n" << text;
            names.insert(name);
        }
        return names;
    }

    fs::path folder_;
};

TEST_F(SmallTree, of_headers_shows_those_that_lean_on_others) {
    const auto names = write({
        {"hub.h", "#include <vector>\nusing Numbers = std::vector<int>;\n"},
        {"whole.h", "#include \"hub.h\"\nNumbers whole();\n"},
        {"leans_on_hub.h", "Numbers leans();\n"},
        {"leans_on_standard.h", "#include \"hub.h\"\nstd::map<int, Numbers> leans();\n"},
        {"early.h", "inline Numbers early();\n#include \"hub.h\"\n"},
        {"sometimes.h", "#ifdef NEVER\n#include \"hub.h\"\n#endif\nNumbers sometimes();\n"},
        {"comes_after.h", "#include <map>\n#include \"leans_on_standard.h\"\n"},
    });
    Headers headers(folder_);
    for (const auto& hubs : {std::vector<std::string>{}, {"hub.h"}}) {
        std::set<std::string> found;
        for (const auto& [name, complaint] : headers.incomplete(names, hubs)) {
            found.insert(name);
            EXPECT_THAT(complaint, testing::HasSubstr("error:")) << name;
        }
        EXPECT_THAT(found, testing::UnorderedElementsAre("leans_on_hub.h", "leans_on_standard.h",
                                                         "early.h", "sometimes.h"))
            << hubs.size() << " hubs";
    }
}

TEST_F(SmallTree, with_a_hub_that_does_not_compile_shows_it_and_not_its_users) {
    const auto names = write({{"hub.h", "#include <vector>\nstd::map<int, int> broken();\n"},
                              {"user.h", "#include <map>\n#include \"hub.h\"\n"}});
    const auto found = Headers(folder_).incomplete(names, {"hub.h"});
    EXPECT_TRUE(found.contains("hub.h"));
    EXPECT_FALSE(found.contains("user.h")) << found.at("user.h");
}

TEST_F(SmallTree, is_other_facts_when_what_is_included_changes) {
    write({{"a.h", "#include \"b.h\"\n"}, {"b.h", "#include \"c.h\"\n"}, {"c.h", "int c();\n"}});
    const std::string before = Headers(folder_).facts("a.h");
    EXPECT_EQ(Headers(folder_).facts("a.h"), before);
    write({{"c.h", "long c();\n"}});
    EXPECT_NE(Headers(folder_).facts("a.h"), before);
}

TEST_F(SmallTree, has_a_hub_where_many_include_one) {
    std::map<std::string, std::string> texts{{"hub.h", "#include <vector>\n"}};
    for (int i = 0; i < 10; ++i) texts[fmt::format("{}.h", i)] = "#include \"hub.h\"\n";
    EXPECT_THAT(Headers(folder_).hubs_for(write(texts)), testing::ElementsAre("hub.h"));
    texts.erase("hub.h");
    EXPECT_THAT(Headers(folder_).hubs_for({"0.h", "hub.h"}), testing::IsEmpty());
}

}  // namespace
}  // namespace catena::structure
