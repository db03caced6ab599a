// Completion of `catena` as the shells ask for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "runtime/ops/by_name/function.h"
#include "tests/support/command.h"

namespace catena::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> found;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) found.push_back(line);
    return found;
}

std::string quoted(const std::string& word) { return "'" + word + "'"; }

/// A script that `bash` runs after it has read the completion; a file, so that nothing is quoted
/// twice.
CommandResult in_shell(const std::string& shell, const std::string& script) {
    const std::string path = ::testing::TempDir() + "catena_completion_" +
                             ::testing::UnitTest::GetInstance()->current_test_info()->name() + "." +
                             shell;
    std::ofstream(path) << script;
    return run(shell + " " + path);
}

/// What bash offers when the words "catena ..." stand on the line and TAB is pressed behind the
/// last.
std::vector<std::string> offered(const std::vector<std::string>& words) {
    std::string line = program("catena");
    for (const std::string& word : words) line += " " + quoted(word);
    const CommandResult result =
        in_shell("bash", "source <(" + program("catena") + " completion bash)\n" + "COMP_WORDS=(" +
                             line + ")\nCOMP_CWORD=" + std::to_string(words.size()) +
                             "\n_catena\n" + "printf '%s\\n' \"${COMPREPLY[@]}\"\n");
    EXPECT_EQ(result.status, 0) << result.output;
    auto all = lines(result.output);
    if (all == std::vector<std::string>{""}) all.clear();
    return all;
}

TEST(Completion, bash_knows_the_program) {
    const auto result = in_shell(
        "bash", "source <(" + program("catena") + " completion bash)\ncomplete -p catena\n");
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(result.output, HasSubstr("-F _catena catena"));
}

TEST(Completion, subcommands) {
    const auto all = offered({""});
    for (const char* name :
         {"info", "call", "run", "show", "compile", "export", "bench", "launch", "completion"})
        EXPECT_THAT(all, Contains(name));
    EXPECT_THAT(offered({"in"}), ElementsAre("info"));
    EXPECT_THAT(offered({"compl"}), ElementsAre("completion"));
    EXPECT_THAT(offered({"nosuch", ""}), IsEmpty());
}

TEST(Completion, every_function_of_the_registry) {
    const auto names = offered({"call", ""});
    EXPECT_EQ(names.size(), all_functions().size());
    for (const FunctionDef* def : all_functions()) EXPECT_THAT(names, Contains(def->name));
    EXPECT_THAT(offered({"call", "leaky"}), ElementsAre("leaky_relu"));
    EXPECT_THAT(offered({"call", "leaky_relu", "--set", ""}), ElementsAre("slope="));
    EXPECT_THAT(offered({"call", "leaky_relu", "x"}), IsEmpty()) << "files are bash's";
}

TEST(Completion, options_of_the_subcommand) {
    EXPECT_THAT(offered({"run", "model.onnx", "--ch"}), ElementsAre("--check"));
    EXPECT_THAT(offered({"call", "relu", "--"}), Contains("--compiled"));
    EXPECT_THAT(offered({"bench", "--"}), Not(Contains("--here"))) << "hidden";
    EXPECT_THAT(offered({"--c"}), ElementsAre("--color"));
    EXPECT_THAT(offered({"info", "--co"}), ElementsAre("--color"));
}

TEST(Completion, values_of_options) {
    EXPECT_THAT(offered({"bench", "--variant", "c"}), ElementsAre("compiled"));
    EXPECT_THAT(offered({"bench", "--seconds", "1", "--variant", "ea"}), ElementsAre("eager"));
    EXPECT_THAT(offered({"info", "--env", ""}), ElementsAre("text", "markdown"));
    EXPECT_THAT(offered({"export", "--level", "sc"}), ElementsAre("scalar"));
    EXPECT_THAT(offered({"--color", "n"}), ElementsAre("never"));
    EXPECT_THAT(offered({"--color", "never", "call", "leaky"}), ElementsAre("leaky_relu"));
    EXPECT_THAT(offered({"completion", ""}), ElementsAre("bash", "zsh"));
    EXPECT_THAT(offered({"show", "/no/such.catena", "--stage", ""}), IsEmpty());
}

// An interactive bash on a terminal of its own, and the key itself.
constexpr const char* press_tab = R"(
import os, pty, select, sys, time
pid, terminal = pty.fork()
if pid == 0:
    os.environ['TERM'] = 'dumb'
    os.execvp('bash', ['bash', '--norc', '-i'])
def wait(text):
    got, end = b'', time.time() + 60
    while text not in got and time.time() < end:
        if select.select([terminal], [], [], 0.5)[0]: got += os.read(terminal, 4096)
    return got
os.write(terminal, b'PATH=' + sys.argv[1].encode() + b':$PATH; source <(catena completion bash); echo rea""dy\n')
wait(b'ready\r\n')
os.write(terminal, b'catena inf\t--col\tnev\t\n')
sys.stdout.buffer.write(wait(b'compiler'))
os.write(terminal, b'exit\n')
)";

TEST(Completion, tab_in_a_terminal) {
    if (run("python3 --version").status != 0)
        GTEST_SKIP() << "there is no python3, which has terminals";
    const std::string script = ::testing::TempDir() + "catena_tab.py";
    std::ofstream(script) << press_tab;
    EXPECT_THAT(run("python3 " + script + " " CATENA_BINARY_DIR "/bin").output,
                HasSubstr("catena info --color never"));
}

TEST(Completion, zsh_gets_the_same_words) {
    if (run("zsh --version").status != 0) GTEST_SKIP() << "there is no zsh";
    // Stand-ins for what only a line editor has; the script and what it asks are the real ones.
    const std::string start =
        "compdef() { print \"for $2\" }\n_files() { print files }\n"
        "_describe() { local -a all; all=(\"${(@P)${@[-1]}}\"); print -l -- $all }\n"
        "source <(" +
        program("catena") + " completion zsh)\n";
    const auto ask = [&](const std::string& words, int at) {
        return in_shell("zsh", start + "words=(" + program("catena") + " " + words +
                                   ")\nCURRENT=" + std::to_string(at) + "\n_catena\n");
    };
    const auto subcommands = ask("in", 2);
    EXPECT_EQ(subcommands.status, 0) << subcommands.output;
    EXPECT_THAT(subcommands.output, StartsWith("for catena\ninfo:"));
    EXPECT_THAT(ask("call leaky", 3).output, HasSubstr("\nleaky_relu\n"));
    EXPECT_THAT(ask("call leaky_relu x", 4).output, HasSubstr("\nfiles\n"));
}

TEST(Completion, of_no_other_shell) {
    const auto result = run(program("catena") + " completion fish");
    EXPECT_NE(result.status, 0);
    EXPECT_THAT(result.output, HasSubstr("fish"));
}

}  // namespace
}  // namespace catena::testing
