// `catena show` on files of arrays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "runtime/file/npy.h"
#include "tests/support/command.h"

namespace catena::testing {
namespace {

CommandResult show(const std::string& arguments) {
    return run(program("catena") + " show " + arguments + " 2>&1");
}

TEST(Show, lists_the_arrays_of_an_npz_file) {
    const std::string path = ::testing::TempDir() + "show.npz";
    save_npz(path, NamedArrays{{"l1/W", Array::zeros({Dtype::float32, {2, 3}})},
                               {"t", Array::scalar<int64_t>(5)}});
    const auto result = show(path);
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_EQ(result.output, "l1/W float32[2,3]\nt int64[]\n");
}

TEST(Show, goes_on_after_what_cannot_be_read) {
    const std::string path = ::testing::TempDir() + "show_damaged.npz";
    save_npz(path,
             NamedArrays{{"a", Array::from<float>({1, 2, 3})},
                         {"b", Array::from<float>({4, 5, 6})},
                         {"c", Array::scalar(1.0)}},
             {.compression = false});
    std::ifstream file(path, std::ios::binary);
    std::string content{std::istreambuf_iterator<char>(file), {}};
    const float four = 4;
    content[content.find(std::string(reinterpret_cast<const char*>(&four), 4)) + 3] ^= 1;
    std::ofstream(path, std::ios::binary) << content;
    const auto result = show(path);
    EXPECT_NE(result.status, 0);
    EXPECT_THAT(result.output, ::testing::HasSubstr("a float32[3]\nb cannot be read: "));
    EXPECT_THAT(result.output, ::testing::HasSubstr("the data is damaged"));
    EXPECT_THAT(result.output, ::testing::HasSubstr("\nc float64[]\n"));
    EXPECT_THAT(result.output, ::testing::HasSubstr("1 of 3 entries cannot be read"));
}

TEST(Show, names_do_not_reach_the_terminal_as_commands) {
    const std::string path = ::testing::TempDir() + "show_names.npz";
    save_npz(path, NamedArrays{{"a\x1b[31m\nb\xc2\x9b", Array::scalar(1.0)}});
    EXPECT_EQ(show(path).output, "a\\x1b[31m\\x0ab\\x9b float64[]\n");
    EXPECT_THAT(show("'none\x1b[31m.npz'").output,
                ::testing::AllOf(::testing::HasSubstr("none\\x1b[31m.npz"),
                                 ::testing::Not(::testing::HasSubstr("\x1b"))));
}

TEST(Show, tells_what_an_npy_file_holds) {
    const std::string path = ::testing::TempDir() + "show.npy";
    save_npy(path, Array::zeros({Dtype::int32, {4}}));
    EXPECT_EQ(show(path).output, "int32[4]\n");
}

TEST(Show, stages_are_those_of_programs) {
    EXPECT_THAT(show("some.npz --stage fused.mlir").output,
                ::testing::HasSubstr("--stage is for programs (.catena), some.npz is none"));
}

TEST(Show, page_of_a_program_escapes_what_the_file_says) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    const std::string stem = ::testing::TempDir() + "show_page";
    auto f = static_graph([](const Variable& x) { return tanh(exp(x) * 2.0); },
                          "<script>alert(1)</script>");
    f(Variable(Array::zeros({Dtype::float32, {4, 8}})));
    f.save(stem + ".catena", {.input_names = {"<img src=x>"}, .code_levels = {"scalar"}});
    const auto result = show(stem + ".catena --html " + stem + ".html");
    ASSERT_EQ(result.status, 0) << result.output;
    std::ifstream file(stem + ".html");
    const std::string page{std::istreambuf_iterator<char>(file), {}};
    EXPECT_THAT(page, ::testing::HasSubstr("<title>&lt;script&gt;alert(1)&lt;/script&gt;</title>"));
    EXPECT_THAT(page, ::testing::Not(::testing::HasSubstr("<script")));
    EXPECT_THAT(page, ::testing::Not(::testing::HasSubstr("<img")));
    EXPECT_THAT(page, ::testing::HasSubstr("<li>tanh (show_test.cpp:"));
    EXPECT_THAT(page, ::testing::HasSubstr("<b>schedule.txt</b>"));
}

TEST(Show, pages_are_of_programs) {
    EXPECT_THAT(show("some.npz --html x.html"),
                ::testing::Field(
                    &CommandResult::output,
                    ::testing::HasSubstr("--html is for programs (.catena), some.npz is none")));
}

}  // namespace
}  // namespace catena::testing
