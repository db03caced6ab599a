// What profiling records: slices that nest, rows with the bytes and operations of their launches,
// nothing when it is off.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <thread>

#include <nlohmann/json.hpp>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "frontend/pages/program_page.h"
#include "runtime/profile/profiler.h"
#include "tests/frontend/allocation_count.h"

namespace catena::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

std::string read_text(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

Variable zero_variable(const Shape& shape) {
    return Variable(Array::zeros({Dtype::float32, shape}));
}

/// The events of a trace; checks that each is complete and that those of a lane lie beside or
/// inside each other.
std::vector<Json> events_of(const std::string& path) {
    const Json trace = Json::parse(read_text(path));
    std::vector<Json> events;
    std::map<int, std::vector<std::pair<int64_t, int64_t>>> lanes;
    std::set<int> named;
    for (const Json& event : trace.at("traceEvents")) {
        if (event.at("ph") == "M") {
            if (event.at("name") == "thread_name") named.insert(event.at("tid").get<int>());
            continue;
        }
        EXPECT_EQ(event.at("ph"), "X");
        const auto nanoseconds = [&](const char* key) {
            return int64_t(std::llround(event.at(key).get<double>() * 1e3));
        };
        EXPECT_GE(nanoseconds("dur"), 0);
        lanes[event.at("tid").get<int>()].emplace_back(nanoseconds("ts"),
                                                       nanoseconds("ts") + nanoseconds("dur"));
        events.push_back(event);
    }
    for (auto& [lane, slices] : lanes) {
        EXPECT_TRUE(named.contains(lane)) << "lane " << lane << " has no name";
        std::ranges::sort(slices, [](const auto& a, const auto& b) {
            return a.first != b.first ? a.first < b.first : a.second > b.second;
        });
        std::vector<int64_t> open;  // Ends of the slices around this one.
        for (const auto& [begin, end] : slices) {
            while (!open.empty() && open.back() <= begin) open.pop_back();
            EXPECT_TRUE(open.empty() || end <= open.back())
                << "lane " << lane << ": slices overlap at " << begin;
            open.push_back(end);
        }
    }
    return events;
}

std::vector<Json> in_category(const std::vector<Json>& events, const std::string& category) {
    std::vector<Json> found;
    std::ranges::copy_if(events, std::back_inserter(found),
                         [&](const Json& event) { return event.at("cat") == category; });
    return found;
}

class Profile : public ::testing::Test {
protected:
    void SetUp() override {
        if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    }
    std::string path(const std::string& name) const {
        return ::testing::TempDir() + "catena_profile_" + name;
    }
};

TEST_F(Profile, of_a_product_and_a_map_has_their_bytes_operations_and_lines) {
    auto layer = static_graph(
        [](const Variable& x, const Variable& W) { return tanh(matmul(x, W) * 2.0); }, "layer");
    const Variable x = zero_variable({48, 64}), W = zero_variable({64, 80});
    layer(x, W);
    EXPECT_FALSE(layer.profile().is_timed);
    {
        const ProfileScope profiling;
        for (int i = 0; i < 3; ++i) layer(x, W);
    }
    layer(x, W);  // Not profiled.
    const RegionProfile profile = layer.profile();
    EXPECT_TRUE(profile.is_timed);
    ASSERT_EQ(profile.rows.size(), 2u);
    double share = 0;
    for (const RegionProfile::Row& row : profile.rows) {
        EXPECT_EQ(row.program, "layer");
        EXPECT_EQ(row.launch.calls, 3);
        EXPECT_GT(row.launch.seconds, 0);
        EXPECT_GT(row.gigabytes_per_second(), 0);
        ASSERT_FALSE(row.launch.operations.empty());
        EXPECT_THAT(row.launch.operations[0], HasSubstr("profile_test.cpp:"));
        share += row.share;
        if (row.launch.is_library_call) {
            EXPECT_EQ(row.launch.name, "matmul");
            EXPECT_EQ(row.launch.product_operations, 2.0 * 48 * 64 * 80);
            EXPECT_EQ(row.launch.bytes_read, 4.0 * (48 * 64 + 64 * 80));
            EXPECT_EQ(row.launch.bytes_written, 4.0 * 48 * 80);
            EXPECT_GT(row.gigaflops_per_second(), 0);
        } else {
            EXPECT_THAT(row.launch.name, HasSubstr("tanh"));
            EXPECT_EQ(row.launch.product_operations, 0);
            EXPECT_EQ(row.launch.bytes_read, 4.0 * 48 * 80);
            EXPECT_GE(row.launch.bytes_written, 4.0 * 48 * 80);
            EXPECT_EQ(row.launch.reads_from, std::vector<int>{0});
        }
    }
    EXPECT_NEAR(share, 1, 1e-9);
    EXPECT_THAT(profile.to_string(), HasSubstr("layer: matmul"));
}

/// The names of slices of this kind of work.
std::set<std::string> methods_of(const std::string& work) {
    std::set<std::string> names;
    for (const profile::LaneContent& lane : profile::content().lanes)
        for (const profile::Slice& slice : lane.slices)
            if (slice.label->category == work) names.insert(slice.label->name);
    return names;
}

TEST_F(Profile, tells_which_way_a_convolution_took_in_eager_and_in_compiled_code) {
    const Variable x = zero_variable({8, 64, 16, 16}), W = zero_variable({64, 64, 3, 3}),
                   wide = zero_variable({8, 64, 5, 5});
    const auto near = [](const Variable& x, const Variable& W) {
        return convolution_2d(x, W, {.pad = 1});
    };
    const auto far = [](const Variable& x, const Variable& W) {
        return convolution_2d(x, W, {.dilate = {2}});
    };
    {
        const ProfileScope profiling;
        near(x, W);
        far(x, wide);
    }
    const std::set<std::string> eager = methods_of("convolution, forward");
    EXPECT_EQ(eager, (std::set<std::string>{"winograd 4x4", "library"}));

    auto both = static_graph(
        [&](const Variable& x, const Variable& W, const Variable& wide) {
            return std::pair(tanh(near(x, W)), far(x, wide));
        },
        "both");
    for (int i = 0; i < 2; ++i) both(x, W, wide);
    EXPECT_EQ(both.profile().rows[0].launch.method, "") << "nothing was profiled yet";
    {
        const ProfileScope profiling;
        for (int i = 0; i < 2; ++i) both(x, W, wide);
    }
    EXPECT_EQ(methods_of("convolution, forward"), eager);
    std::set<std::string> compiled;
    for (const RegionProfile::Row& row : both.profile().rows) {
        if (row.launch.is_library_call)
            compiled.insert(row.launch.method);
        else
            EXPECT_EQ(row.launch.method, "") << row.launch.name;
    }
    EXPECT_EQ(compiled, eager);
    EXPECT_THAT(both.profile().to_string(), HasSubstr("both: convolution, winograd 4x4\n"));
    both.profile().save(path("ways.csv"));
    EXPECT_THAT(read_text(path("ways.csv")), HasSubstr(",library call,winograd 4x4,"));
    near(x, W);
    EXPECT_EQ(methods_of("convolution, forward"), eager) << "and nothing more while it is off";
}

TEST_F(Profile, tells_which_way_gradients_of_a_convolution_took) {
    const Variable x = zero_variable({8, 64, 16, 16}), W = zero_variable({64, 64, 3, 3});
    const ProfileScope profiling;
    const Variable y = convolution_2d(x, W, {.pad = 1});
    sum(y * y).backward();
    EXPECT_EQ(methods_of("convolution, images' gradient"), std::set<std::string>{"winograd 4x4"});
    EXPECT_EQ(methods_of("convolution, weights' gradient"), std::set<std::string>{"winograd 4x4"});
}

TEST_F(Profile, counts_the_operations_of_convolutions_as_a_loop_would) {
    auto network = static_graph(
        [](const Variable& x, const Variable& W) {
            W.cleargrad();
            x.cleargrad();
            const Variable y = convolution_2d(x, W, {.stride = 2, .pad = 1, .groups = 2});
            sum(y * y).backward();
            return std::pair(W.grad_variable(), x.grad_variable());
        },
        "network");
    const Variable x = zero_variable({2, 4, 9, 9}), W = zero_variable({6, 2, 3, 3});
    network(x, W);
    double operations = 0;
    for (const RegionProfile::Row& row : network.profile().rows)
        operations += row.launch.product_operations;
    // For each of 2 images, 6 channels and 5 x 5 places: 2 channels x 3 x 3 products and sums; and
    // the same in each gradient.
    EXPECT_EQ(operations, 3 * 2.0 * 2 * 6 * 5 * 5 * 2 * 3 * 3);
}

TEST_F(Profile, trace_has_a_slice_for_each_launch_and_stage_and_its_slices_nest) {
    const ProfileScope profiling;
    auto step = static_graph(
        [](const Variable& x, const Variable& W) { return sum(tanh(matmul(x, W) * 2.0), 1); },
        "traced");
    const Variable x = zero_variable({512, 256}), W = zero_variable({256, 512});
    for (int i = 0; i < 4; ++i) step(x, W);
    step.profile().save(path("trace.json"));
    const std::vector<Json> events = events_of(path("trace.json"));
    const auto named = [&](const std::string& category, const std::string& name) {
        const std::vector<Json> found = in_category(events, category);
        return std::ranges::count_if(found,
                                     [&](const Json& event) { return event.at("name") == name; });
    };
    EXPECT_EQ(named("call", "call traced"), 4);
    EXPECT_EQ(named("the user's code of", "the user's code of traced"), 4);
    EXPECT_EQ(named("program", "program traced"), 4);
    EXPECT_EQ(named("compile", "compile traced"), 1);
    for (const char* stage : {"import", "fuse", "schedule"})
        EXPECT_EQ(named("stage of compilation", stage), 1) << stage;
    EXPECT_EQ(named("library call", "matmul"), 4);
    int64_t launches = 0;
    for (const RegionProfile::Row& row : step.profile().rows) launches += row.launch.calls;
    EXPECT_EQ(
        int64_t(in_category(events, "library call").size() + in_category(events, "kernels").size()),
        launches);
    EXPECT_GE(in_category(events, "kernel").size(), in_category(events, "kernels").size());
    const Json product = in_category(events, "library call").at(0).at("args");
    EXPECT_THAT(product.at("line").get<std::string>(), HasSubstr("profile_test.cpp:"));
    EXPECT_EQ(product.at("bytes read"), 4 * (512 * 256 + 256 * 512));
    EXPECT_GT(product.at("GFLOP/s").get<double>(), 0);
}

TEST_F(Profile, of_several_regions_on_several_threads_is_one_trace) {
    auto first = static_graph([](const Variable& x) { return exp(x) * x; }, "first");
    auto second = static_graph([](const Variable& x) { return sum(tanh(x)); }, "second");
    const ProfileScope profiling;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            const Variable x = zero_variable({64, 64});
            for (int i = 0; i < 25; ++i) {
                first(x);
                second(x);
            }
        });
    // Reading while others record.
    for (int i = 0; i < 5; ++i) first.profile().save(path("threads.json"));
    for (std::thread& thread : threads) thread.join();
    for (const RegionProfile& profile : {first.profile(), second.profile()})
        for (const RegionProfile::Row& row : profile.rows) EXPECT_EQ(row.launch.calls, 100);
    first.profile().save(path("threads.json"));
    std::set<int> lanes;
    const std::vector<Json> events = events_of(path("threads.json"));
    for (const Json& event : in_category(events, "call")) lanes.insert(event.at("tid").get<int>());
    EXPECT_EQ(in_category(events, "call").size(), 200u);
    EXPECT_EQ(lanes.size(), 4u);
}

TEST_F(Profile, begins_anew_with_each_scope) {
    auto f = static_graph([](const Variable& x) { return exp(x) + 1.0; }, "anew");
    const Variable x = zero_variable({8});
    for (int calls : {3, 2}) {
        const ProfileScope profiling;
        const ProfileScope inner;
        for (int i = 0; i < calls; ++i) f(x);
        EXPECT_EQ(f.profile().rows.at(0).launch.calls, calls);
    }
}

TEST(ProfileSlices, beyond_the_most_are_counted_not_kept) {
    const ProfileScope profiling;
    const profile::Label* label = profile::keep({.name = "slice", .category = "test"});
    const profile::Clock::time_point now = profile::Clock::now();
    for (int64_t i = 0; i < profile::most_slices + 5; ++i) profile::add(label, now, now);
    const profile::Content content = profile::content();
    EXPECT_EQ(content.dropped, 5);
    int64_t kept = 0;
    for (const profile::LaneContent& lane : content.lanes) kept += int64_t(lane.slices.size());
    EXPECT_EQ(kept, profile::most_slices);
}

TEST_F(Profile, costs_no_allocation_when_it_is_off) {
    auto f = static_graph([](const Variable& x, const Variable& W) { return tanh(matmul(x, W)); },
                          "quiet");
    const Variable x = zero_variable({16, 16}), W = zero_variable({16, 16});
    const auto allocations = [&] {
        for (int i = 0; i < 4; ++i) f(x, W);
        const int64_t before = allocation_count();
        for (int i = 0; i < 10; ++i) f(x, W);
        return allocation_count() - before;
    };
    const int64_t off = allocations();
    int64_t on = 0;
    {
        const ProfileScope profiling;
        on = allocations();
    }
    EXPECT_EQ(allocations(), off);
    if (off == 0) GTEST_SKIP() << "a sanitizer counts";
    EXPECT_GT(on, off);  // The count sees what profiling allocates.
}

TEST_F(Profile, that_does_not_fit_on_the_disk_is_an_error_and_leaves_the_old_file_alone) {
    auto f = static_graph([](const Variable& x) { return exp(x) + 1.0; }, "full_disk");
    const ProfileScope profiling;
    for (int i = 0; i < 500; ++i) f(zero_variable({8}));
    std::ofstream(path("full.json")) << "old";
    rlimit before;
    getrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_IGN);  // A file-size limit stands for the full disk.
    rlimit small{1000, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    std::string message;
    try {
        f.profile().save(path("full.json"));
    } catch (const FileError& error) {
        message = error.what();
    }
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_THAT(message, HasSubstr("full.json: writing failed"));
    EXPECT_EQ(read_text(path("full.json")), "old");
}

TEST_F(Profile, is_saved_as_a_trace_or_a_table_only) {
    auto f = static_graph([](const Variable& x) { return exp(x) + 1.0; }, "a,\"b\"");
    f(zero_variable({8}));
    f.profile().save(path("rows.csv"));
    EXPECT_THAT(read_text(path("rows.csv")),
                HasSubstr("\n\"a,\"\"b\"\"\",\"exp, add_scalar\",kernels,"));
    try {
        f.profile().save(path("rows.txt"));
        FAIL() << "a .txt was written";
    } catch (const ValueError& error) {
        EXPECT_THAT(error.what(), HasSubstr("NAME.json is a trace"));
    }
}

TEST_F(Profile, speaks_of_the_functions_that_the_user_called) {
    auto step = static_graph(
        [](const Variable& x, const Variable& W, const Variable& t) {
            W.cleargrad();
            const Variable loss = softmax_cross_entropy(matmul(x, W), t);
            loss.backward();
            return std::pair(loss, W.grad_variable());
        },
        "words");
    const Variable t(Array::from<int32_t>({0, 1, 2, 3}, {4}));
    step(zero_variable({4, 8}), zero_variable({8, 10}), t);
    std::string names;
    for (const RegionProfile::Row& row : step.profile().rows) {
        EXPECT_THAT(row.launch.name, Not(HasSubstr("maximum"))) << "a part of the body";
        names += row.launch.name + "\n";
    }
    EXPECT_THAT(names, HasSubstr("softmax_cross_entropy"));
    EXPECT_THAT(names, HasSubstr("gradient of softmax_cross_entropy"));
    EXPECT_THAT(names, HasSubstr("gradient of matmul"));
}

TEST_F(Profile, comes_first_in_explain) {
    auto layer = static_graph(
        [](const Variable& x, const Variable& W) { return tanh(matmul(x, W) * 2.0); }, "explained");
    const Variable x = zero_variable({48, 64}), W = zero_variable({64, 80});
    {
        auto switched_off = using_config(&Config::use_static_graph, false);
        for (int i = 0; i < 3; ++i) layer(x, W);
    }
    for (int i = 0; i < 3; ++i) layer(x, W);
    const std::string before = layer.explain();
    EXPECT_THAT(before, HasSubstr("  1 program: 3 recorded ops, 2 of them fused; 2 launches: 1 of "
                                  "kernels (1 different kernel), 1 library call\n"));
    EXPECT_THAT(before,
                ::testing::ContainsRegex("ms per call, [0-9.]+ ms eager: [0-9.]+ times as fast"));
    EXPECT_THAT(before, HasSubstr("what costs most, by the bytes moved"));
    EXPECT_THAT(before, HasSubstr("a library computes it"));
    EXPECT_LT(before.find("what costs most"), before.find("  6 calls: 3 compiled"));
    {
        const ProfileScope profiling;
        layer(x, W);
    }
    EXPECT_THAT(layer.explain(), HasSubstr("what costs most, as profiled (2 of 2)"));
}

TEST_F(Profile, why_launches_are_apart_is_told_beside_them) {
    auto f = static_graph(
        [](const Variable& x, const Variable& W) {
            const Variable h = exp(x);
            return h * sum(matmul(h, W));
        },
        "apart");
    f(zero_variable({32, 32}), zero_variable({32, 32}));
    const std::string text = f.explain();
    const std::string costs = text.substr(0, text.find("  1 call: "));
    EXPECT_THAT(costs, HasSubstr("multiply (profile_test.cpp:"));
    EXPECT_THAT(costs, HasSubstr("is not fused with exp (profile_test.cpp:"));
}

TEST_F(Profile, page_of_a_region_is_whole_and_escapes_its_names) {
    auto f =
        static_graph([](const Variable& x, const Variable& W) { return tanh(matmul(x, W) * 2.0); },
                     "<script>alert(1)</script>");
    f(zero_variable({16, 16}), zero_variable({16, 16}));
    f.save_html(path("region.html"));
    const std::string page = read_text(path("region.html"));
    EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(1)"));
    EXPECT_THAT(page, Not(HasSubstr("<script")));
    EXPECT_THAT(page, HasSubstr("default-src 'none'"));
    EXPECT_THAT(page, HasSubstr("fused.mlir"));
    EXPECT_THAT(page, HasSubstr("catena.group"));
    EXPECT_THAT(page, HasSubstr("// multiply_scalar (profile_test.cpp:"))
        << "the schedule names what a kernel computes";
    EXPECT_THAT(page, HasSubstr("<li>tanh (profile_test.cpp:"));
    EXPECT_THAT(page, Not(HasSubstr("http:")));
    EXPECT_THAT(page, Not(HasSubstr("https:")));
    auto never_called = static_graph([](const Variable& x) { return exp(x); });
    EXPECT_THROW(never_called.save_html(path("none.html")), ValueError);
}

TEST(ProgramPage, has_totals_and_shares) {
    const auto launch = [](const char* name, bool is_library_call, double bytes, double seconds) {
        return LaunchReport{.name = name,
                            .is_library_call = is_library_call,
                            .bytes_read = bytes,
                            .calls = 2,
                            .seconds = seconds};
    };
    const std::vector<LaunchReport> launches = {launch("convolution", true, 6e6, 0.006),
                                                launch("relu", false, 1e6, 0.002),
                                                launch("convolution", true, 3e6, 0.008)};
    const std::string page = pages::program_page(
        "t", {}, {{"forward", launches, {}, {}}, {"backward", {launches[1]}, {}, {}}});
    // Milliseconds of one call: half of what two took.
    EXPECT_THAT(page, HasSubstr("In total 3 launches (2 library calls): 8.000 ms a call, "
                                "10.000 MB moved, 88.9 % of what all programs here cost"));
    EXPECT_THAT(page, HasSubstr("In total 1 launch (0 library calls): 1.000 ms a call"));
    EXPECT_THAT(page, HasSubstr("<td>77.8 %</td><td>convolution</td><td>2</td><td>7.000</td>"
                                "<td>9.000</td>"));
    EXPECT_THAT(page, HasSubstr("<td>22.2 %</td><td>relu</td><td>2</td><td>2.000</td>"));
    EXPECT_LT(page.find("<td>convolution</td>"), page.find("<td>relu</td>"));
    EXPECT_THAT(page, HasSubstr("library call, 33.3 %, 3.000 ms"));
}

TEST(ProgramPage, puts_no_text_into_the_page_unescaped) {
    const std::string bad = "\"'><script>alert(1)</script>\xff";
    LaunchReport launch{.name = bad, .operations = {bad}, .sizes = bad};
    const std::string page =
        pages::program_page(bad, {bad}, {{bad, {launch}, {{bad, bad}}, {bad + " is apart"}}});
    EXPECT_THAT(page, Not(HasSubstr("<script")));
    EXPECT_THAT(page, Not(HasSubstr("\"'>")));
    EXPECT_THAT(page, HasSubstr("&quot;&#39;&gt;&lt;script&gt;"));
}

}  // namespace
}  // namespace catena::testing
