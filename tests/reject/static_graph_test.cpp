// What a static region refuses or remarks, and docs/static_graph.md, which lists it all.
#include <fstream>
#include <regex>

#include <gmock/gmock.h>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "runtime/graph/call/recorder.h"
#include "tests/reject/rejection.h"
#include "tests/support/command.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;

Array of_ones(const Shape& shape) { return Array::full({Dtype::float32, shape}, 1); }

constexpr const char* host_read_of_one =
    "static_graph region: the host reads a value computed in the region (float32[1]), and the "
    "option breaks is false. Return the value from the region and read it outside (of a parameter "
    "that is updated: drop views of it before the call)";

/// A parameter that a step updates by itself.
struct Step {
    Parameter w{of_ones({1}), "w"};
    Variable operator()(const Variable& x) {
        Variable loss = x * w;
        w.cleargrad();
        loss.backward();
        assign(w, w - w.grad_variable() * 0.1);
        return loss;
    }
};

class RejectedRegion : public ::testing::Test {
protected:
    void SetUp() override {
        if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    }
};

TEST_F(RejectedRegion, a_host_read_where_breaks_are_forbidden) {
    const std::source_location here = std::source_location::current();
    auto f = static_graph([](Variable x) { return (x * 2.0).item<float>() > 1 ? x : x * 3.0; },
                          {.breaks = false});
    for (int i = 0; i < 2; ++i)
        EXPECT_EQ(
            refusal<TraceError>([&] { f(of_ones({1})); }),
            host_read_of_one + fmt::format(" (at static_graph_test.cpp:{})", here.line() + 1));
}

TEST_F(RejectedRegion, a_host_read_that_only_a_later_call_does) {
    bool reads = false;
    auto f =
        static_graph([&](Variable x) { return reads && (x * 2.0).item<float>() > 1 ? x : x * 3.0; },
                     {.breaks = false});
    f(of_ones({1}));
    f(of_ones({1}));
    reads = true;
    EXPECT_THAT(refusal<TraceError>([&] { f(of_ones({1})); }), HasSubstr(host_read_of_one));
    reads = false;
    EXPECT_EQ(f(of_ones({1})).item<float>(), 3) << "the region is as it was";
}

TEST_F(RejectedRegion, not_a_host_read_of_an_argument) {
    auto f = static_graph([](Variable x) { return x.item<float>() > 0 ? x * 2.0 : x; },
                          {.breaks = false});
    EXPECT_EQ(f(of_ones({1})).item<float>(), 2);
    auto masked =
        static_graph([](Variable x, Variable mask) { return x[{mask}]; }, {.breaks = false});
    EXPECT_EQ(masked(of_ones({3}), Array::from<bool>({true, false, true})).shape(), (Shape{2}));
    EXPECT_EQ(masked(of_ones({3}), Array::from<bool>({true, true, true})).shape(), (Shape{3}));
}

TEST_F(RejectedRegion, a_refused_call_leaves_nothing_behind) {
    bool reads = true;
    auto f =
        static_graph([&](Variable x) { return reads && (x * 2.0).item<float>() > 0 ? x : x * 3.0; },
                     {.breaks = false});
    EXPECT_THROW(f(of_ones({1})), TraceError);
    EXPECT_EQ((of_ones({1}), Variable(of_ones({1})) + 1.0).item<float>(), 2)
        << "nothing is recorded any more";
    reads = false;
    for (int i = 0; i < 3; ++i) EXPECT_EQ(f(of_ones({1})).item<float>(), 3);
}

TEST_F(RejectedRegion, gradients_that_a_whole_step_consumed) {
    Step model;
    auto step = static_graph(std::ref(model));
    for (int i = 0; i < 2; ++i) step(of_ones({1}));
    const std::string message =
        "grad: the gradient of w float32[1] was consumed by a compiled static_graph step; give the "
        "region or the updater the option keep_grads, or return it from the region";
    EXPECT_REFUSED_WITHOUT_LINE(TraceError, message, model.w.grad());
    EXPECT_REFUSED_WITHOUT_LINE(TraceError, message, model.w.grad_variable());
    model.w.cleargrad();
    EXPECT_FALSE(model.w.grad().defined()) << "one may start anew";
}

TEST_F(RejectedRegion, a_wrong_shape_met_before_anything_is_computed) {
    Parameter w(of_ones({3}), "w");
    const std::source_location here = std::source_location::current();
    auto f = static_graph([&](Variable x) { return x * w; });
    f(of_ones({3}));
    EXPECT_EQ(refusal<ShapeError>([&] { f(of_ones({4})); }),
              fmt::format("multiply: shapes must broadcast, dimension by dimension equal or 1 "
                          "(float32[4], float32[3]) "
                          "(at static_graph_test.cpp:{})",
                          here.line() + 1));
}

/// Twice good indices, then bad ones, which only the compiled program sees: the message is that of
/// the eager call.
void expect_the_eager_message(
    const std::function<Variable(const Variable& x, const Variable& t)>& f,
    const std::string& message) {
    auto region = static_graph(f, {.audit = Audit::never});
    Variable x(of_ones({2, 3})), good(Array::from<int32_t>({0, 2})),
        bad(Array::from<int32_t>({1, 3}));
    for (int i = 0; i < 2; ++i) region(x, good);
    const std::string compiled = refusal<ValueError>([&] { region(x, bad); });
    EXPECT_EQ(region.statistics().interpreted_calls, 0);
    EXPECT_EQ(compiled, refusal<ValueError>([&] { f(x, bad); }));
    EXPECT_THAT(compiled, ::testing::StartsWith(message + " (at static_graph_test.cpp:"));
    EXPECT_NO_THROW(region(x, good)) << "the program still runs";
}

TEST_F(RejectedRegion, a_label_that_is_no_class) {
    const char* message =
        "softmax_cross_entropy: label 3 at index 1 is not a class (x has 3 classes, 0 to 2; "
        "ignore_label is -1)";
    expect_the_eager_message(
        [](const Variable& x, const Variable& t) { return softmax_cross_entropy(x, t); }, message);
    expect_the_eager_message(
        [](const Variable& x, const Variable& t) {
            Variable loss = softmax_cross_entropy(x, t);
            loss.backward();
            return loss;
        },
        message);
}

TEST_F(RejectedRegion, an_index_outside_of_its_axis) {
    expect_the_eager_message(
        [](const Variable& x, const Variable& t) { return select_item(x, t); },
        "select_item: index 3 is outside of axis 1 of size 3, which takes 0 to 2");
    expect_the_eager_message(
        [](const Variable& x, const Variable& t) { return embed_id(t, transpose(x)) * 2.0; },
        "embed_id: index 3 is outside of axis 0 of size 3, which takes 0 to 2");
    expect_the_eager_message([](const Variable& x, const Variable& t) { return take(x, t, 1); },
                             "take: index 3 is outside of axis 1 of size 3, which takes -3 to 2");
    expect_the_eager_message(
        [](const Variable& x, const Variable& t) { return x[{0, t}] + 1.0; },
        "get_item: index 3 is outside of axis 1 of size 3, which takes -3 to 2");
    expect_the_eager_message([](const Variable&, const Variable& t) { return one_hot(t, 3) * 2.0; },
                             "one_hot: index 3 is outside of axis 1 of size 3, which takes 0 to 2");
}

TEST_F(RejectedRegion, an_error_of_the_users_own_code_passes_through) {
    auto f = static_graph([](Variable x) -> Variable {
        if (x.rank() == 2) throw std::runtime_error("two is too many");
        return x * 2.0;
    });
    f(of_ones({1}));
    EXPECT_EQ(refusal<std::runtime_error>([&] { f(of_ones({1, 1})); }), "two is too many");
    EXPECT_EQ(f(of_ones({1})).item<float>(), 2);
}

// docs/static_graph.md: one of the calls below must give the message of every row of its table.

struct Said {
    std::string text;
    const char* by;
};

std::vector<Said> everything_said() {
    std::vector<Said> said;
    auto reads = static_graph([](Variable x) { return (x * 2.0).item<float>() > 0 ? x : x * 2.0; },
                              {.breaks = false});
    said.push_back({refusal<TraceError>([&] { reads(of_ones({1})); }), "a host read"});

    Step model;
    auto step = static_graph(std::ref(model));
    for (int i = 0; i < 2; ++i) step(of_ones({1}));
    said.push_back({refusal<TraceError>([&] { model.w.grad(); }), "a consumed gradient"});

    Parameter w(of_ones({1}), "w");
    auto inner = static_graph([&](Variable x) {
        Variable loss = x * w;
        loss.backward();
        return loss;
    });
    Variable walked = inner(of_ones({1}));
    said.push_back({refusal<TraceError>([&] { walked.backward(); }), "a second backward"});

    Variable kept;
    auto fails = static_graph(
        [&](Variable x, Variable t) { kept = softmax_cross_entropy(tanh(x * w) * 2.0, t); });
    EXPECT_THROW(fails(of_ones({1, 2}), Array::from<int32_t>({7})), ValueError);
    said.push_back(
        {refusal<TraceError>([&] { kept.backward(); }), "a backward of a call that failed"});
    said.push_back(
        {refusal<TraceError>([&] { kept.item<float>(); }), "an array of a call that failed"});

    Variable held;
    auto skips = static_graph([&](Variable x) { held = x * 2.0; }, {.audit = Audit::never});
    ::testing::internal::CaptureStderr();
    for (int i = 0; i < 3; ++i) skips(of_ones({1}));
    said.push_back({::testing::internal::GetCapturedStderr(), "a region that asks for too little"});

    const std::string self = CATENA_BINARY_DIR "/bin/test_reject";
    said.push_back({run("CATENA_COMPILER_PATH=/nowhere " + self +
                        " --gtest_filter=RegionWithoutCompilerInOwnProcess.*")
                        .output,
                    "no compiler"});
    return said;
}

/// The first cells of the table below "## Messages", as patterns: "..." and capitals like NAME
/// stand for anything.
std::vector<std::string> documented_messages() {
    std::ifstream page(CATENA_SOURCE_DIR "/docs/static_graph.md");
    std::vector<std::string> messages;
    bool inside = false;
    for (std::string line; std::getline(page, line);) {
        if (line.starts_with("## ")) inside = line == "## Messages";
        if (inside && line.starts_with("| `"))
            messages.push_back(line.substr(3, line.find('`', 3) - 3));
    }
    return messages;
}

bool matches(const std::string& text, const std::string& message) {
    static const std::regex special(R"([.^$|()\[\]{}*+?\\])"), dots(R"((\\\.){3})"),
        name(R"(\b(NAME|N)\b)");
    std::string pattern = std::regex_replace(message, special, R"(\$&)");
    pattern = std::regex_replace(std::regex_replace(pattern, dots, ".*"), name, ".*");
    return std::regex_search(text, std::regex(pattern));
}

TEST_F(RejectedRegion, every_documented_message_is_one_that_is_said) {
    const std::vector<std::string> messages = documented_messages();
    const std::vector<Said> said = everything_said();
    ASSERT_GE(messages.size(), said.size());
    for (const std::string& message : messages)
        EXPECT_TRUE(std::any_of(said.begin(), said.end(),
                                [&](const Said& s) { return matches(s.text, message); }))
            << "nobody says: " << message;
    for (const Said& s : said)
        EXPECT_TRUE(std::any_of(messages.begin(), messages.end(),
                                [&](auto& message) { return matches(s.text, message); }))
            << "the page does not list what " << s.by << " gets: " << s.text;
}

/// Also run by everything_said(), where the compiler cannot be found.
TEST(RegionWithoutCompilerInOwnProcess, says_so_once_and_runs_eagerly) {
    if (compiler_available()) GTEST_SKIP() << "the compiler is there";
    auto f = static_graph([](Variable x) { return x * 2.0; }, {.name = "plain"});
    ::testing::internal::CaptureStderr();
    for (int i = 0; i < 3; ++i) EXPECT_EQ(f(of_ones({1})).item<float>(), 2);
    const std::string text = ::testing::internal::GetCapturedStderr();
    std::fputs(text.c_str(), stderr);
    const std::string said = "there is no compiler, this region and all others run eagerly (" +
                             compiler_complaint() + ")";
    EXPECT_EQ(text, "catena: static_graph plain: " + said + "\n");
    EXPECT_THAT(text, HasSubstr("cannot be loaded"));
    EXPECT_EQ(f.statistics().interpreted_calls, 3);
    EXPECT_THAT(f.explain(),
                HasSubstr("there is no compiler: everything runs with the eager kernels"));
}

}  // namespace
}  // namespace catena::testing
