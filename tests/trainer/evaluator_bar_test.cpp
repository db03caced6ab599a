#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include "frontend/catena.h"
#include "tests/trainer/fixtures.h"

namespace catena {
namespace {

using ::testing::HasSubstr;

/// What an evaluation of five batches prints to `out`.
void evaluate(std::FILE* out) {
    SerialIterator it(Dataset(Array::full({Dtype::float32, {9, 3}}, 1)), 2,
                      {.repeat = false, .shuffle = false});
    Linear model(3, 1);
    extensions::Evaluator evaluator(
        it, model, [&](const Variable& x) { report({{"mean", mean(model(x))}}, model); },
        {.progress_bar = true, .out = out});
    EXPECT_EQ(evaluator.evaluate().size(), 1u);
}

TEST(EvaluatorBar, shows_how_far_it_is_on_a_terminal) {
    int ours = -1, terminal = -1;
    ASSERT_EQ(openpty(&ours, &terminal, nullptr, nullptr, nullptr), 0);
    std::FILE* out = fdopen(terminal, "w");
    evaluate(out);
    std::fputs("end\n", out);
    std::fflush(out);
    std::string text;
    char letter = 0;
    while (text.find("end") == text.npos && ::read(ours, &letter, 1) == 1) text += letter;
    std::fclose(out);
    close(ours);
    EXPECT_THAT(text, HasSubstr("validation [###########......"));
    EXPECT_THAT(text, HasSubstr("] 22.22%"));
    EXPECT_THAT(text, HasSubstr("1 / 4 iterations")) << "estimated from what the first batch was";
    EXPECT_THAT(text, HasSubstr("Estimated time to finish: 0:00:00."));
    EXPECT_THAT(text, HasSubstr("\033[Jend")) << "it is erased at the end";
}

TEST(EvaluatorBar, is_silent_elsewhere) {
    std::FILE* out = std::tmpfile();
    evaluate(out);
    EXPECT_EQ(std::ftell(out), 0);
    std::fclose(out);
}

}  // namespace
}  // namespace catena
