// Programs that must not compile, and the sentence among the compiler's words that says why.
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/command.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;

/// What the compiler says of a program with `body` in its main().
CommandResult compile(const std::string& declarations, const std::string& body) {
    const std::string source = std::filesystem::temp_directory_path() /
                               ("catena_reject_" + std::to_string(getpid()) + ".cpp");
    std::ofstream(source) << "#include <catena/catena.h>\nnamespace ct = catena;\n"
                          << declarations << "\nint main() {\n"
                          << body << "\n}\n";
    CommandResult result = run(CATENA_CXX " -std=c++20 -fsyntax-only -I " CATENA_SOURCE_DIR
                                          " -I " CATENA_SOURCE_DIR "/frontend/include " +
                               source);
    std::filesystem::remove(source);
    return result;
}

void expect_refused(const std::string& declarations, const std::string& body,
                    const std::string& message) {
    const CommandResult result = compile(declarations, body);
    EXPECT_NE(result.status, 0) << "it compiles";
    EXPECT_THAT(result.output, HasSubstr(message));
}

TEST(RejectedProgram, but_one_like_it_compiles) {
    const CommandResult result = compile("struct Pair { ct::Variable a, b; };", R"(
        auto f = ct::static_graph([](Pair p) { return Pair{p.a + p.b, p.a}; });
        f(Pair{ct::Array::scalar(1.0f), ct::Array::scalar(2.0f)}); )");
    EXPECT_EQ(result.status, 0) << result.output;
}

TEST(RejectedProgram, an_argument_that_cannot_be_looked_into) {
    expect_refused("class Closed { ct::Variable x; public: Closed() {} };",
                   "ct::static_graph([](Closed) { return ct::Variable(); })(Closed());",
                   "static_graph: arguments and results are Variables, numbers, texts, and lists, "
                   "maps, tuples and plain "
                   "structs of them");
}

}  // namespace
}  // namespace catena::testing
