// The page of a region whose forward and backward were compiled together.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "frontend/pages/program_page.h"

namespace catena {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

int count(const std::string& text, const std::string& part) {
    int found = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++found;
    return found;
}

TEST(JointPage, is_one_program_with_its_border) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    const std::string path = ::testing::TempDir() + "catena_joint_page.html";
    const auto page = [&](auto& region) {
        region.save_html(path);
        std::ifstream file(path);
        std::stringstream text;
        text << file.rdbuf();
        return text.str();
    };
    const Parameter W(Array::full({Dtype::float32, {64, 64}}, 0.01));
    auto layer = static_graph([&](const Variable& x) { return tanh(matmul(x, W)) * 2.0; }, "layer");
    const Variable x = random_normal({32, 64});
    const Variable first = sum(layer(x));
    EXPECT_THAT(page(layer), HasSubstr("compiled together with it, has not run yet"));
    first.backward();
    sum(layer(x)).backward();
    const std::string text = page(layer);
    std::filesystem::remove(path);
    EXPECT_EQ(count(text, "<h2>"), 1) << "one program";
    EXPECT_EQ(count(text, "<div class=\"border\""), 1);
    EXPECT_THAT(text, HasSubstr("forward ends here, "));
    EXPECT_THAT(text, HasSubstr(" bytes are saved; backward, compiled together with it</span>"));
    EXPECT_THAT(text, Not(HasSubstr("has not run yet")));
    // Boxes of forward stand before the border, those of backward behind it, and some of them read
    // what forward saved.
    const size_t border = text.find("<div class=\"border\""),
                 forward_end = text.rfind("id=\"p0l", border);
    ASSERT_NE(forward_end, std::string::npos);
    const int last = std::stoi(text.substr(forward_end + 7));
    EXPECT_THAT(text.substr(border), HasSubstr("id=\"p0l" + std::to_string(last + 1) + "\""));
    EXPECT_THAT(text.substr(border),
                HasSubstr("reads results of <a href=\"#p0l" + std::to_string(last) + "\">"));
    // The stages are those of the whole program.
    EXPECT_THAT(text, HasSubstr("import.mlir"));
    EXPECT_EQ(count(text, "<b>fused.mlir</b>"), 1);
}

TEST(JointPage, border_text_is_escaped) {
    const LaunchReport launch{.name = "a"};
    const std::string text =
        pages::program_page("t", {}, {{"p", {launch, launch}, {}, {}, 1, "<script>"}});
    EXPECT_THAT(text, Not(HasSubstr("<script")));
    EXPECT_LT(text.find("id=\"p0l0\""), text.find("&lt;script&gt;"));
    EXPECT_LT(text.find("&lt;script&gt;"), text.find("id=\"p0l1\""));
}

}  // namespace
}  // namespace catena
