// catena launch: a program as several ranks, here and by ssh, for which a script stands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <sys/wait.h>

#include "tests/support/command.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

std::vector<std::string> lines_of_output(const std::string& text) {
    std::vector<std::string> found;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) found.push_back(line);
    return found;
}

struct Launched {
    int status;
    std::string output;
};
/// `catena launch` with these words; within a minute.
Launched launch(const std::string& words) {
    const CommandResult result = run("timeout 60 " + program("catena") + " launch " + words);
    return {WIFEXITED(result.status) ? WEXITSTATUS(result.status) : -1, result.output};
}

/// Whether any process of a file with their numbers still runs; who waits for them is another
/// matter.
bool is_any_running(const std::string& file) {
    std::ifstream numbers(file);
    for (int number; numbers >> number;) {
        std::string text;
        std::getline(std::ifstream("/proc/" + std::to_string(number) + "/stat"), text);
        const size_t name_end = text.rfind(')');
        if (name_end != text.npos && text.substr(name_end + 2, 1) != "Z") return true;
    }
    return false;
}

/// A shell command as one word of another.
std::string shell(const std::string& command) { return "sh -c '" + command + "'"; }

TEST(Launch, prefixes_lines_by_their_rank) {
    const auto result = launch("-n 3 " + shell("echo a of $CATENA_SIZE; printf end >&2"));
    EXPECT_EQ(result.status, 0);
    EXPECT_THAT(lines_of_output(result.output),
                UnorderedElementsAre("[0] a of 3", "[1] a of 3", "[2] a of 3", "[0] end", "[1] end",
                                     "[2] end"));
}

TEST(Launch, never_breaks_lines_of_two_ranks) {
    const auto result =
        launch("-n 2 " + shell("for i in $(seq 200); do printf x$i; printf %s\\\\n y; done"));
    EXPECT_EQ(result.status, 0);
    int count = 0;
    for (const std::string& line : lines_of_output(result.output)) {
        EXPECT_TRUE(line.starts_with("[0] x") || line.starts_with("[1] x")) << line;
        EXPECT_TRUE(line.ends_with("y")) << line;
        ++count;
    }
    EXPECT_EQ(count, 400);
}

TEST(Launch, leaves_lines_alone_when_asked) {
    EXPECT_THAT(lines_of_output(launch("-n 2 --no-prefix echo a").output),
                UnorderedElementsAre("a", "a"));
}

TEST(Launch, takes_options_of_the_program_as_the_programs) {
    EXPECT_EQ(launch("-n 1 echo -n 7 --hosts x run").output, "[0] 7 --hosts x run\n");
    EXPECT_EQ(launch("-n 1 -- printf %s --help").output, "[0] --help\n");
}

TEST(Launch, tells_each_rank_who_it_is) {
    const auto result =
        launch("-n 2 -x COLOUR=red " +
               shell("echo $CATENA_LAUNCHER $CATENA_RANK $CATENA_SIZE $COLOUR; "
                     "test -n \"$CATENA_RENDEZVOUS\" -a ${#CATENA_RENDEZVOUS_SECRET} = 32"));
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(lines_of_output(result.output),
                UnorderedElementsAre("[0] catena 0 2 red", "[1] catena 1 2 red"));
}

TEST(Launch, divides_the_processors_unless_told_otherwise) {
    const std::string print = " " + shell("echo $CATENA_NUM_THREADS");
    const std::string unset = "env -u CATENA_NUM_THREADS -u OMP_NUM_THREADS ";
    const auto many = run(unset + program("catena") + " launch -n 200" + print);
    EXPECT_THAT(many.output, HasSubstr("[199] 1\n"));
    const auto told =
        run(unset + "CATENA_NUM_THREADS=3 " + program("catena") + " launch -n 1" + print);
    EXPECT_EQ(told.output, "[0] 3\n");
}

TEST(Launch, ends_all_when_one_fails_and_names_it) {
    const auto result = launch(
        "-n 3 " + shell("if [ $CATENA_RANK = 1 ]; then echo I fail; exit 7; fi; exec sleep 50"));
    EXPECT_EQ(result.status, 7);
    EXPECT_THAT(result.output, HasSubstr("[1] I fail\n"));
    EXPECT_THAT(result.output, HasSubstr("rank 1 has ended with status 7"));
}

TEST(Launch, names_the_signal_that_ended_a_rank) {
    const auto result =
        launch("-n 2 " + shell("if [ $CATENA_RANK = 0 ]; then kill -9 $$; fi; exec sleep 50"));
    EXPECT_EQ(result.status, 128 + 9);
    EXPECT_THAT(result.output, HasSubstr("rank 0 was ended by signal 9 (Killed)"));
}

TEST(Launch, lets_ranks_clean_up_and_kills_those_that_do_not_end) {
    const auto polite =
        launch("-n 2 " + shell("if [ $CATENA_RANK = 0 ]; then sleep 0.3; exit 1; fi; "
                               "trap \"echo cleaned; exit 0\" TERM; "
                               "while :; do sleep 0.05; done"));
    EXPECT_EQ(polite.status, 1);
    EXPECT_THAT(polite.output, HasSubstr("[1] cleaned\n"));
    const auto stubborn =
        launch("-n 2 --grace 0.2 " + shell("if [ $CATENA_RANK = 0 ]; then sleep 0.3; exit 1; fi; "
                                           "trap \"\" TERM; while :; do sleep 0.05; done"));
    EXPECT_EQ(stubborn.status, 1);
}

TEST(Launch, passes_signals_on_and_does_not_restart_then) {
    const std::string trapping =
        shell("trap \"echo told; exit 3\" TERM; echo ready; while :; do sleep 0.05; done");
    const std::string output = ::testing::TempDir() + "told";
    const auto result = run(program("catena") + " launch -n 2 --restarts 5 " + trapping + " >" +
                            output + " & launcher=$!; until [ $(grep -c ready " + output +
                            ") = 2 ]; do sleep 0.05; done; kill -TERM $launcher; wait $launcher; "
                            "echo status $?; cat " +
                            output);
    EXPECT_THAT(result.output, HasSubstr("status 3\n"));
    EXPECT_THAT(result.output, HasSubstr("[0] told\n"));
    EXPECT_THAT(result.output, HasSubstr("[1] told\n"));
    EXPECT_THAT(result.output, Not(HasSubstr("start again")));
}

TEST(Launch, leaves_nothing_running_when_it_is_killed) {
    const std::string pids = ::testing::TempDir() + "pids";
    run("rm -f " + pids + "; " + program("catena") + " launch -n 2 " +
        shell("echo $$ >>" + pids + "; exec sleep 50") +
        " & launcher=$!; until [ $(cat 2>/dev/null " + pids +
        " | wc -l) = 2 ]; do sleep 0.05; done; kill -KILL $launcher; wait $launcher");
    for (int tries = 0; tries < 200 && is_any_running(pids); ++tries) run("sleep 0.02");
    EXPECT_FALSE(is_any_running(pids));
}

TEST(Launch, starts_all_again_as_often_as_allowed) {
    const std::string marks = ::testing::TempDir() + "marks";
    const std::string failing_twice =
        shell("if [ $CATENA_RANK = 1 ]; then echo x >>" + marks + "; [ $(cat " + marks +
              " | wc -l) = 3 ] || exit 4; fi; echo $CATENA_RENDEZVOUS");
    std::filesystem::remove(marks);
    const auto enough = launch("-n 2 --restarts 2 " + failing_twice);
    EXPECT_EQ(enough.status, 0) << enough.output;
    EXPECT_THAT(enough.output, HasSubstr("all 2 ranks start again (restart 2 of 2)"));
    std::filesystem::remove(marks);
    const auto too_few = launch("-n 2 --restarts 1 " + failing_twice);
    EXPECT_EQ(too_few.status, 4) << too_few.output;
}

TEST(Launch, goes_on_with_fewer_ranks_when_restarts_were_in_vain) {
    // Never with more than two ranks; each number of them is tried twice.
    const std::string at_most_two = shell("echo of $CATENA_SIZE; [ $CATENA_SIZE -le 2 ] || exit 6");
    const auto fewer = launch("-n 4 --restarts 1 --min-ranks 2 " + at_most_two);
    EXPECT_EQ(fewer.status, 0) << fewer.output;
    EXPECT_THAT(fewer.output, HasSubstr("all 4 ranks start again (restart 1 of 1)"));
    EXPECT_THAT(fewer.output, HasSubstr("all start again, without the place of rank"));
    EXPECT_THAT(fewer.output, HasSubstr("all 3 ranks start again (restart 1 of 1)"));
    EXPECT_THAT(fewer.output, HasSubstr("[1] of 2\n"));
    const auto too_few = launch("-n 4 --min-ranks 3 " + at_most_two);
    EXPECT_EQ(too_few.status, 6);
    EXPECT_THAT(too_few.output, HasSubstr("] of 3\n"));
    EXPECT_THAT(too_few.output, Not(HasSubstr("] of 2\n")));
    EXPECT_THAT(launch("-n 2 --min-ranks 3 echo").output, HasSubstr("--min-ranks 3 for 2 ranks"));
}

TEST(Launch, says_what_is_wrong_with_its_words) {
    EXPECT_THAT(launch("echo").output, HasSubstr("how many ranks? -n NUMBER, or --hosts FILE"));
    EXPECT_NE(launch("-n 0 echo").status, 0);
    EXPECT_THAT(launch("-n 2").output, HasSubstr("command is required"));
    EXPECT_THAT(launch("-n 2 /no/such/program").output,
                HasSubstr("/no/such/program cannot be executed: No such file"));
    EXPECT_THAT(launch("-n 2 -x 3=4 echo").output, HasSubstr("should be NAME or NAME=VALUE"));
    EXPECT_THAT(launch("-n 2 -x NOT_SET_HERE echo").output, HasSubstr("is not set"));
    EXPECT_THAT(launch("--hosts /no/such/file echo").output, HasSubstr("cannot be read"));
}

/// A script stands for ssh: it notes its arguments and runs the command here.
class LaunchByShell : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ = ::testing::TempDir() + "by_ssh";
        std::filesystem::remove_all(folder_);
        std::filesystem::create_directories(folder_);
        std::ofstream(folder_ + "/ssh") << "#!/bin/sh\nprintf '%s\\n' \"$@\" >>" << folder_
                                        << "/arguments\nexport HOST_OF_TEST=$2\n"
                                        << "exec env -u CATENA_RANK sh -c \"$3\"\n";
        std::filesystem::permissions(folder_ + "/ssh", std::filesystem::perms::owner_all);
        std::ofstream(folder_ + "/hosts")
            << "# two machines\n127.0.0.1 slots=2\n\nlocalhost # one\n";
    }
    Launched launch_there(const std::string& words) const {
        return launch("--hosts " + folder_ + "/hosts --ssh '" + folder_ + "/ssh -q' " + words);
    }
    std::string arguments() const {
        std::ostringstream text;
        text << std::ifstream(folder_ + "/arguments").rdbuf();
        return text.str();
    }
    std::string folder_;
};

TEST_F(LaunchByShell, places_ranks_by_the_slots_of_the_hosts) {
    const auto result = launch_there(shell("echo $HOST_OF_TEST $CATENA_RANK of $CATENA_SIZE"));
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(lines_of_output(result.output),
                UnorderedElementsAre("[0] 127.0.0.1 0 of 3", "[1] 127.0.0.1 1 of 3",
                                     "[2] localhost 2 of 3"));
    EXPECT_THAT(launch_there("-n 1 " + shell("echo $CATENA_SIZE")).output, "[0] 1\n");
    EXPECT_THAT(launch_there("-n 4 echo").output, HasSubstr("4 ranks for 3 slots"));
}

TEST_F(LaunchByShell, keeps_quotes_folder_and_variables_and_hides_the_secret) {
    const auto result = launch_there("-n 1 -x COLOUR=\"it's red\" " +
                                     shell("echo \"$COLOUR\" $PWD $CATENA_RENDEZVOUS "
                                           "$CATENA_RENDEZVOUS_SECRET") +
                                     " a");
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(result.output, HasSubstr("it's red " + std::filesystem::current_path().string() +
                                         " tcp://127.0.0.1:2"));
    const std::string secret = result.output.substr(result.output.rfind(' ') + 1, 32);
    EXPECT_EQ(secret.find_first_not_of("0123456789abcdef"), std::string::npos) << secret;
    EXPECT_THAT(arguments(), HasSubstr("-q\n127.0.0.1\n"));
    EXPECT_THAT(arguments(), Not(HasSubstr(secret))) << "everybody can read arguments";
}

TEST_F(LaunchByShell, ends_ranks_elsewhere_when_one_fails) {
    const auto result =
        launch_there(shell("if [ $CATENA_RANK = 2 ]; then sleep 0.5; exit 9; fi; "
                           "trap \"echo cleaned; exit 0\" TERM; while :; do sleep 0.05; done"));
    EXPECT_EQ(result.status, 9);
    EXPECT_THAT(result.output, HasSubstr("[0] cleaned\n"));
    EXPECT_THAT(result.output, HasSubstr("[1] cleaned\n"));
    EXPECT_THAT(result.output, HasSubstr("rank 2 has ended with status 9"));
}

TEST_F(LaunchByShell, leaves_nothing_elsewhere_when_it_is_killed) {
    const std::string pids = folder_ + "/pids";
    run(program("catena") + " launch --grace 0 --hosts " + folder_ + "/hosts --ssh '" + folder_ +
        "/ssh -q' " + shell("echo $$ >>" + pids + "; exec sleep 50") +
        " & launcher=$!; until [ $(cat 2>/dev/null " + pids +
        " | wc -l) = 3 ]; do sleep 0.05; done; kill -KILL $launcher; wait $launcher");
    for (int tries = 0; tries < 200 && is_any_running(pids); ++tries) run("sleep 0.02");
    EXPECT_FALSE(is_any_running(pids));
}

TEST_F(LaunchByShell, goes_on_without_a_host_that_cannot_be_reached) {
    const std::string down = folder_ + "/down";
    std::ofstream(folder_ + "/ssh")
        << "#!/bin/sh\nif [ -e " << down << ".$2 ]; then echo no route to $2 >&2; exit 255; fi\n"
        << "exec sh -c \"$3\"\n";
    const std::string say = shell("echo rank $CATENA_RANK of $CATENA_SIZE");
    std::ofstream(down + ".localhost") << "1";
    const auto without = launch_there("--min-ranks 2 " + say);
    EXPECT_EQ(without.status, 0) << without.output;
    EXPECT_THAT(without.output, HasSubstr("1 of 2 hosts cannot be reached, 2 slots are left"));
    EXPECT_THAT(without.output, HasSubstr("[1] rank 1 of 2"));
    EXPECT_EQ(launch_there(say).status, 255) << "not asked for";
    // Rank 0's host; another has taken its place.
    std::filesystem::remove(down + ".localhost");
    std::ofstream(down + ".127.0.0.1") << "1";
    EXPECT_THAT(launch_there("--min-ranks 1 " + say).output, HasSubstr("[0] rank 0 of 1"));
    const auto too_few = launch_there("--min-ranks 2 " + say);
    EXPECT_EQ(too_few.status, 1);
    EXPECT_THAT(too_few.output, HasSubstr("1 slot for --min-ranks 2"));
}

TEST_F(LaunchByShell, goes_on_without_a_host_that_is_lost_and_with_it_when_it_is_back) {
    // The host of rank 2 is lost while it runs, and found again by the second restart.
    std::ofstream(folder_ + "/ssh")
        << "#!/bin/sh\nif [ -e " << folder_ << "/down.$2 ]; then exit 255; fi\nexec sh -c \"$3\"\n";
    const std::string down = folder_ + "/down.localhost", starts = folder_ + "/starts";
    const std::string count = "$(cat 2>/dev/null " + starts + " | wc -l)";
    const std::string lost =
        shell("if [ $CATENA_RANK = 0 ]; then echo $CATENA_SIZE >>" + starts + "; case " + count +
              " in 1) touch " + down + "; sleep 9;; 2) rm " + down +
              "; exit 5;; esac; exit 0; fi; "
              "[ $CATENA_SIZE = 2 ] && exit 0; while :; do [ " +
              count + " -ge 2 ] && exit 0; [ -e " + down + " ] && exit 255; sleep 0.02; done");
    const auto result = launch_there("--restarts 3 --min-ranks 1 " + lost);
    EXPECT_EQ(result.status, 0) << result.output;
    std::ostringstream sizes;
    sizes << std::ifstream(starts).rdbuf();
    EXPECT_EQ(sizes.str(), "3\n2\n3\n") << result.output;
}

TEST_F(LaunchByShell, takes_slots_that_were_to_spare_for_a_place_that_fails) {
    std::ofstream(folder_ + "/hosts") << "127.0.0.1 slots=2\nlocalhost slots=2\n";
    const auto result = launch_there(
        "-n 2 --min-ranks 2 " +
        shell("if [ $CATENA_RANK = 1 ] && [ $HOST_OF_TEST = 127.0.0.1 ]; then exit 3; fi; "
              "echo $HOST_OF_TEST $CATENA_RANK of $CATENA_SIZE"));
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(result.output, HasSubstr("[1] localhost 1 of 2"));
}

TEST_F(LaunchByShell, refuses_lines_that_name_no_host) {
    for (const char* line : {"-oProxyCommand=x", "a slots=0", "a 4", "a slots=x"}) {
        std::ofstream(folder_ + "/hosts") << line << "\n";
        EXPECT_THAT(launch_there("echo").output, HasSubstr("is no host")) << line;
    }
}

TEST(InfoRanks, says_what_was_found_and_why) {
    const auto found =
        run("env RANK=1 WORLD_SIZE=2 MASTER_ADDR=node0 MASTER_PORT=4000 LOCAL_RANK=0 " +
            program("catena") + " info --ranks");
    EXPECT_EQ(found.status, 0) << found.output;
    for (const char* part : {"PyTorch's variables", "WORLD_SIZE=2", "1 of 2", "tcp://node0:4000",
                             "communicator tcp", "cuda:0"})
        EXPECT_THAT(found.output, HasSubstr(part));
    EXPECT_THAT(run(program("catena") + " info --ranks").output, HasSubstr("none: no variable"));
    const auto half = run("env RANK=1 WORLD_SIZE=2 " + program("catena") + " info --ranks");
    EXPECT_NE(half.status, 0);
    EXPECT_THAT(half.output, HasSubstr("MASTER_ADDR is not"));
}

}  // namespace
}  // namespace catena::testing
