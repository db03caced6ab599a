// Colours of `catena`: on a terminal, and nowhere else unless asked for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/command.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* escape = "\033[";
const std::string wrong_call = program("catena") + " call sofmax";

/// The output of a command on a terminal of its own.
std::string on_terminal(const std::string& command) {
    const std::string script = ::testing::TempDir() + "catena_terminal.py";
    std::ofstream(script) << "import pty, sys\npty.spawn(['sh', '-c', sys.argv[1]])\n";
    return run("TERM=xterm python3 " + script + " '" + command + "' < /dev/null").output;
}

class Color : public ::testing::Test {
protected:
    void SetUp() override {
        if (run("python3 --version").status != 0)
            GTEST_SKIP() << "there is no python3, which has terminals";
        unsetenv("NO_COLOR");
        unsetenv("CLICOLOR_FORCE");
    }
};

TEST_F(Color, errors_and_tables_on_a_terminal) {
    EXPECT_THAT(on_terminal(wrong_call),
                HasSubstr("\033[1;31mcatena:\033[0m there is no function"));
    EXPECT_THAT(on_terminal(program("catena") + " inof"),
                HasSubstr("\033[1;31mthere is no subcommand"));
    EXPECT_THAT(on_terminal(program("catena") + " info"), HasSubstr("\033[1mcompiler"));
}

TEST_F(Color, not_in_a_pipe_or_file) {
    EXPECT_THAT(run(wrong_call).output, Not(HasSubstr(escape)));
    EXPECT_THAT(run(program("catena") + " info").output, Not(HasSubstr(escape)));
    // The streams are judged one by one.
    const std::string out = ::testing::TempDir() + "catena_color_out";
    on_terminal(program("catena") + " info > " + out);
    std::ifstream file(out);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    EXPECT_THAT(text, HasSubstr("compiler"));
    EXPECT_THAT(text, Not(HasSubstr(escape)));
}

TEST_F(Color, the_environment_decides) {
    EXPECT_THAT(on_terminal("NO_COLOR=1 " + wrong_call), Not(HasSubstr(escape)));
    EXPECT_THAT(on_terminal("NO_COLOR= " + wrong_call), HasSubstr(escape))
        << "empty counts as unset";
    EXPECT_THAT(on_terminal("TERM=dumb " + wrong_call), Not(HasSubstr(escape)));
    EXPECT_THAT(run("CLICOLOR_FORCE=1 " + wrong_call).output, HasSubstr(escape));
    EXPECT_THAT(run("CLICOLOR_FORCE=0 " + wrong_call).output, Not(HasSubstr(escape)));
    EXPECT_THAT(run("NO_COLOR=1 CLICOLOR_FORCE=1 " + wrong_call).output, Not(HasSubstr(escape)));
}

TEST_F(Color, the_option_goes_before_the_environment) {
    EXPECT_THAT(run("NO_COLOR=1 " + program("catena") + " --color=always call sofmax").output,
                HasSubstr(escape));
    EXPECT_THAT(run(wrong_call + " --color always").output, HasSubstr(escape))
        << "also behind the subcommand";
    EXPECT_THAT(on_terminal(wrong_call + " --color=never"), Not(HasSubstr(escape)));
    EXPECT_THAT(on_terminal(wrong_call + " --color=auto"), HasSubstr(escape));
    const auto wrong = run(program("catena") + " --color=sometimes info");
    EXPECT_NE(wrong.status, 0);
    EXPECT_THAT(wrong.output, HasSubstr("sometimes"));
}

}  // namespace
}  // namespace catena::testing
