// The pages of the manual, made of what the programs say with --help (scripts/man_page.sh).
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/command.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string man_page_of(const std::string& words) {
    const auto page = run("sh " CATENA_SOURCE_DIR "/scripts/man_page.sh " + words);
    EXPECT_EQ(page.status, 0) << page.output;
    return page.output;
}

TEST(ManPage, has_the_options_of_the_program_and_of_each_subcommand) {
    const std::string page = man_page_of("catena 1.2.3 'learns deeply' " + program("catena"));
    EXPECT_THAT(page, HasSubstr(".TH CATENA 1 \"\" \"Catena 1.2.3\""));
    EXPECT_THAT(page, HasSubstr(".SH NAME\ncatena \\- learns deeply\n"));
    for (const char* subcommand :
         {"INFO", "CALL", "RUN", "SHOW", "COMPILE", "EXPORT", "BENCH", "LAUNCH"})
        EXPECT_THAT(page, HasSubstr(std::string("\n.SH CATENA ") + subcommand + "\n"));
    EXPECT_THAT(page, HasSubstr("\n.TP\n.B \\-\\-repeat INT:"));
    EXPECT_THAT(page, HasSubstr("one .npz with the names of its inputs"));
    EXPECT_THAT(page, HasSubstr("\n.br\nmlp"));
}

TEST(ManPage, is_without_a_complaint_of_groff) {
    if (run("groff --version").status != 0) GTEST_SKIP() << "there is no groff";
    const std::string file = ::testing::TempDir() + "catena_page.1";
    std::ofstream(file) << man_page_of("catena 1.2.3 'learns deeply' " + program("catena"));
    const auto read = run("groff -man -ww -Tutf8 -z " + file + " 2>&1");
    EXPECT_EQ(read.status, 0);
    EXPECT_EQ(read.output, "");
}

TEST(ManPage, of_a_script_is_its_usage) {
    const std::string bisect = CATENA_SOURCE_DIR "/scripts/bisect_pass.sh";
    const std::string page = man_page_of("catena-bisect-pass 1.2.3 'finds a pass' " + bisect);
    EXPECT_THAT(page, HasSubstr("catena\\-bisect\\-pass \\- finds a pass\n"));
    EXPECT_THAT(page, HasSubstr("which change of which pass makes COMMAND fail?"));
}

TEST(ManPage, of_a_program_with_many_options_has_those_that_are_asked_for) {
    const std::string script = ::testing::TempDir() + "helpful.sh";
    std::ofstream(script)
        << "#!/bin/sh\nprintf 'OVERVIEW: helps\\nUSAGE: h [options]\\n\\nGeneral "
           "options:\\n\\n  --keep-it   - Kept\\n  --other   - Not\\n      more\\n"
           "  .dot   - A dot\\n'\n";
    const std::string page = man_page_of("h 1 'helps' --only '--keep|dot' sh " + script);
    EXPECT_THAT(page, HasSubstr(".SH DESCRIPTION\nhelps\n.PP\n.B h [options]\n.SS General options\n"
                                ".TP\n.B \\-\\-keep\\-it\nKept\n.TP\n.B \\&.dot\nA dot\n"));
    EXPECT_THAT(page, Not(HasSubstr("Not")));
    EXPECT_THAT(page, Not(HasSubstr("more")));
}

}  // namespace
}  // namespace catena::testing
