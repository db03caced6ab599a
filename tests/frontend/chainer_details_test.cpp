// Details of Chainer's interface that are small by themselves: hooks, initializers, loading,
// printing, messages.
#include <filesystem>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/catena.h"
#include "frontend/hooks/print_hook.h"

namespace catena {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
namespace init = initializers;

template <class Error, class F>
std::string message_of(F f) {
    try {
        f();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

struct BackwardInputs : FunctionHook {
    std::string seen;
    std::string name() const override { return "BackwardInputs"; }
    void backward_preprocess(const OpDef& op, std::span<const Array> inputs,
                             std::span<const Variable>) override {
        seen += op.name + ":";
        for (const Array& x : inputs) seen += x.defined() ? " " + to_string(x) : " none";
        seen += "\n";
    }
    void backward_postprocess(const OpDef& op, std::span<const Array> inputs,
                              std::span<const Variable>) override {
        after += op.name + " " + std::to_string(inputs.size()) + " ";
    }
    std::string after;
};

TEST(FunctionHookInputs, are_those_that_the_gradient_reads) {
    const Variable x(Array::from<float>({2, 3})), y(Array::from<float>({5, 7}));
    BackwardInputs hook;
    {
        const FunctionHookScope scope(hook);
        sum(x * y + x).backward();
    }
    EXPECT_THAT(hook.seen, HasSubstr("multiply: float32[2] {2, 3} float32[2] {5, 7}\n"));
    EXPECT_THAT(hook.seen, HasSubstr("add: none none\n"));
    EXPECT_THAT(hook.after, HasSubstr("multiply 2"));
    std::ostringstream out;
    PrintHook print(out, true);
    {
        const FunctionHookScope scope(print);
        sum(x * y).backward();
    }
    EXPECT_THAT(out.str(), HasSubstr("backward of multiply\n  input 0: float32[2] {2, 3}\n"));
}

TEST(OrthogonalMode, refuses_matrices_of_another_kind) {
    const Type wide{Dtype::float32, {2, 3}}, tall{Dtype::float32, {6, 2, 2}},
        square{Dtype::float32, {4, 2, 2}};
    const auto with = [](init::OrthogonalMode mode) { return init::Orthogonal(1.0, {}, mode); };
    EXPECT_EQ(with(init::OrthogonalMode::projection)(wide).shape(), wide.shape);
    EXPECT_EQ(with(init::OrthogonalMode::projection)(square).shape(), square.shape);
    EXPECT_EQ(with(init::OrthogonalMode::embedding)(tall).shape(), tall.shape);
    EXPECT_EQ(with(init::OrthogonalMode::basis)(square).shape(), square.shape);
    EXPECT_THAT(message_of<ShapeError>([&] { with(init::OrthogonalMode::projection)(tall); }),
                HasSubstr("Orthogonal: a projection has at most as many vectors as they have "
                          "elements, but shape [6,2,2] is 6 vectors of 4"));
    EXPECT_THAT(message_of<ShapeError>([&] { with(init::OrthogonalMode::embedding)(wide); }),
                HasSubstr("an embedding has at least as many"));
    EXPECT_THAT(message_of<ShapeError>([&] { with(init::OrthogonalMode::basis)(wide); }),
                HasSubstr("a basis has as many"));
}

TEST(LoadOptions, names_are_ignored_by_a_function) {
    const std::string path = ::testing::TempDir() + "catena_ignore.npz";
    Linear from(2, 2, {.initialW = 3.0, .initial_bias = 4.0}),
        to(2, 2, {.initialW = 1.0, .initial_bias = 2.0});
    save_npz(path, from);
    std::vector<std::string> asked;
    load_npz(path, to, {.ignore = [&](std::string_view key) {
                 asked.emplace_back(key);
                 return key.ends_with("b");
             }});
    std::filesystem::remove(path);
    EXPECT_THAT(to.W.array().to_vector<float>(), ElementsAre(3, 3, 3, 3));
    EXPECT_THAT(to.b.array().to_vector<float>(), ElementsAre(2, 2));
    EXPECT_THAT(asked, ::testing::IsSupersetOf({"W", "b"}));
}

TEST(Printing, shapes_types_and_dtypes_go_to_streams) {
    const Variable x = zeros({2, 3});
    std::ostringstream out;
    out << x.shape() << ' ' << x.type() << ' ' << x.dtype() << ' ' << Shape{};
    EXPECT_EQ(out.str(), "[2,3] float32[2,3] float32 []");
}

TEST(At, of_a_variable_is_a_variable_with_a_gradient) {
    const Variable x(Array::from<float>({1, 2, 3, 4, 5, 6}, {2, 3}));
    const Variable y = at(x, {-1, slice(1, {})});
    EXPECT_THAT(y.array().to_vector<float>(), ElementsAre(5, 6));
    sum(y * y).backward();
    EXPECT_THAT(x.grad().to_vector<float>(), ElementsAre(0, 0, 0, 0, 10, 12));
}

TEST(Messages, tell_what_newcomers_mix_up) {
    const Variable scores = zeros({5, 3});
    EXPECT_THAT(message_of<DtypeError>([&] { softmax_cross_entropy(scores, ones({5})); }),
                HasSubstr("softmax_cross_entropy: t is float32[5]; class numbers need an integer "
                          "dtype, as int32, and probabilities x's shape [5,3]"));
    Convolution2D convolution(3, 8, 3);
    EXPECT_THAT(message_of<ShapeError>([&] { convolution(zeros({2, 9, 9, 3})); }),
                HasSubstr("x has 9 (x [2,9,9,3], W [8,3,3,3]); images are [N, C, H, W]: "
                          "transpose(x, {0, 3, 1, 2})"));
    EXPECT_THAT(message_of<ShapeError>([&] { convolution(zeros({2, 9, 9, 4})); }),
                Not(HasSubstr("images are")));
    NStepLSTM lstm(1, 3, 4, 0);
    const Variable rows = zeros({5, 3}), lengths(Array::from({3, 2}));
    EXPECT_THAT(message_of<ShapeError>([&] { lstm({}, {}, {rows, lengths}); }),
                HasSubstr("xs[1] is [2], xs[0] is [5,3]: sequences have rows of one shape; the "
                          "rows of all sequences and their lengths are "
                          "SequenceRows{rows, lengths}"));
}

TEST(Messages, batch_normalization_of_single_values_warns_once) {
    BatchNormalization norm(4);
    ::testing::internal::CaptureStderr();
    norm(zeros({2, 4}));
    {
        const auto test_mode = using_config(&Config::train, false);
        norm(zeros({1, 4}));
    }
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
    ::testing::internal::CaptureStderr();
    norm(zeros({1, 4}));
    norm(zeros({1, 4}));
    const std::string said = ::testing::internal::GetCapturedStderr();
    EXPECT_THAT(said, HasSubstr("BatchNormalization: x [1,4] has one value for each mean"));
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1);
}

}  // namespace
}  // namespace catena
