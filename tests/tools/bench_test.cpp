// `catena bench`: its lines are read by scripts that know the keys of other frameworks' lines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "frontend/compiler/compiler_loader.h"
#include "tests/support/command.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;

TEST(Bench, a_model_that_is_not_there_is_said_once) {
    const auto result = run(program("catena") + " bench nosuch.onnx 2>&1");
    EXPECT_NE(result.status, 0);
    EXPECT_EQ(result.output, "catena: bench: nosuch.onnx: there is no such file\n");
}

TEST(Bench, json_lines_have_the_keys_of_the_other_frameworks) {
    const auto result =
        run(program("catena") + " bench --json --seconds 0.01 --variant eager one_op mushroom");
    EXPECT_EQ(result.status, 0) << result.output;
    std::istringstream lines(result.output);
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count)
        EXPECT_THAT(
            line,
            ::testing::MatchesRegex(
                "\\{\"peer\":\"catena-eager\",\"workload\":\"[a-z_]+\",\"ms\":[-0-9.e]+,\"min_ms\":"
                "[-0-9.e]+,\"first_s\":[-0-9.e]+,\"n\":[0-9]+,\"rss_mb\":[0-9]+,\"exchange_ns\":\\["
                "[0-9.]+,[0-9.]+\\]\\}"));
    EXPECT_EQ(count, 2);
}

TEST(Bench, multiplies_dtypes_side_by_side) {
    const std::string command = " bench --seconds 0.01 --variant eager --dtype float32,bfloat16 ";
    const auto lines = run(program("catena") + command + "--json layer_norm");
    EXPECT_EQ(lines.status, 0) << lines.output;
    EXPECT_THAT(lines.output, ::testing::ContainsRegex(
                                  "\"precision\":\"float32\"}\n.*\"precision\":\"bfloat16\"}\n$"));
    const auto table = run(program("catena") + command + "layer_norm");
    EXPECT_THAT(table.output, HasSubstr("workload           dtype     variant"));
    EXPECT_THAT(table.output, ::testing::ContainsRegex("\nlayer_norm +float32 +eager +[0-9.]+"));
    EXPECT_THAT(table.output, ::testing::ContainsRegex("\nlayer_norm +bfloat16 +eager +[0-9.]+"));
}

TEST(Bench, refuses_dtypes_that_it_cannot_multiply) {
    const auto told = [](const std::string& options) {
        return run(program("catena") + " bench " + options + " layer_norm 2>&1").output;
    };
    EXPECT_EQ(told("--dtype int8"),
              "catena: bench: --dtype takes float32, tf32, bfloat16, float16, not 'int8'\n");
    EXPECT_EQ(told("--dtype tf32"),
              "catena: bench: tf32 is how devices multiply float32; the device is cpu\n");
    EXPECT_EQ(told("--dtype float32 --autocast bfloat16"),
              "catena: bench: --dtype and --autocast say the same; give one of them\n");
    EXPECT_EQ(told("--dtype bfloat16 --limit"),
              "catena: bench: --limit is of float32; leave out --dtype\n");
}

TEST(Bench, measures_what_the_host_can_do_at_most) {
    const auto lines = run(program("catena") + " bench --ceilings --json");
    EXPECT_EQ(lines.status, 0) << lines.output;
    EXPECT_THAT(lines.output, HasSubstr("{\"peer\":\"catena-ceiling\",\"workload\":\"large copy\","
                                        "\"gbytes_per_s\":"));
    EXPECT_THAT(lines.output, HasSubstr("\"workload\":\"large product\",\"precision\":\"float32\","
                                        "\"tflops\":"));
    EXPECT_THAT(lines.output, ::testing::Not(HasSubstr("tf32")));
    EXPECT_NE(run(program("catena") + " bench --ceilings --device cuda:9 2>&1").status, 0);
}

TEST(Bench, has_every_row) {
    const auto result = run(program("catena") + " bench --help");
    for (const std::string name : {"mushroom",
                                   "mlp",
                                   "lenet",
                                   "resnet20",
                                   "resnet50",
                                   "resnet50_infer",
                                   "ptb_lstm_unrolled",
                                   "transformer",
                                   "dcgan",
                                   "vgg16_cifar",
                                   "unet",
                                   "gpt2_small",
                                   "gpt_decode",
                                   "char_rnn",
                                   "gelu_chain",
                                   "layer_norm",
                                   "softmax_xent",
                                   "small_ops",
                                   "one_op",
                                   "resnet50_64",
                                   "resnet50_256",
                                   "gpt2_block",
                                   "gpt2_16x1024"})
        EXPECT_THAT(result.output, ::testing::ContainsRegex("\n *" + name + " "));
}

TEST(Bench, a_row_of_two_names_has_two_lines) {
    const auto result =
        run(program("catena") + " bench --json --seconds 0 --variant eager ptb_lstm_unrolled");
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(result.output, HasSubstr("\"workload\":\"ptb_lstm_unrolled\""));
    EXPECT_THAT(result.output, HasSubstr("\"workload\":\"ptb_lstm\""));
}

TEST(Bench, compiled_variants_run_small_ops) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    const auto result =
        run(program("catena") +
            " bench --json --seconds 0.01 --variant compiled,step,trusted small_ops");
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(result.output, HasSubstr("\"peer\":\"catena-compiled\""));
    EXPECT_THAT(result.output, HasSubstr("\"peer\":\"catena-step\""));
    EXPECT_THAT(result.output, HasSubstr("\"peer\":\"catena-trusted\""));
}

TEST(Bench, a_profile_tells_what_launches_take) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    const auto result =
        run(program("catena") + " bench --profile --seconds 0.01 --variant eager,step layer_norm");
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(result.output, ::testing::ContainsRegex("layer_norm \\(step\\):\n +time +ms"));
    EXPECT_THAT(result.output, ::testing::Not(HasSubstr("layer_norm (eager)")));
}

TEST(Bench, the_limit_stands_beside_the_times) {
    const auto table =
        run(program("catena") + " bench --limit --seconds 0.01 --variant eager lenet");
    EXPECT_EQ(table.status, 0) << table.output;
    EXPECT_THAT(
        table.output,
        ::testing::ContainsRegex(
            "lenet +limit +[0-9.]+  = [0-9.]+ of products and convolutions [+] [0-9.]+ of memory"));
    EXPECT_THAT(table.output, ::testing::ContainsRegex("to limit +GFLOP/s +GB/s"));
    const auto lines =
        run(program("catena") + " bench --json --limit --seconds 0.01 --variant eager gelu_chain");
    EXPECT_THAT(lines.output,
                ::testing::ContainsRegex("\\{\"peer\":\"catena-limit\",\"workload\":\"gelu_chain\","
                                         "\"ms\":[0-9.]+,\"library_ms\":"));
    const auto device = run(program("catena") + " bench --limit --device meta lenet");
    EXPECT_NE(device.status, 0);
    EXPECT_THAT(device.output, HasSubstr("--limit measures the host"));
}

TEST(Bench, a_folder_of_models_must_have_some) {
    const std::string folder = ::testing::TempDir() + "catena_bench_no_models";
    std::filesystem::create_directories(folder);
    const auto empty = run(program("catena") + " bench --models " + folder);
    EXPECT_NE(empty.status, 0);
    EXPECT_THAT(empty.output, HasSubstr("contains no .onnx file"));
    const auto absent = run(program("catena") + " bench --models " + folder + "/absent");
    EXPECT_NE(absent.status, 0);
    EXPECT_THAT(absent.output, HasSubstr("No such file"));
}

TEST(Bench, saved_workloads_run_as_programs) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    const std::string folder = ::testing::TempDir() + "catena_bench_programs";
    const auto saved =
        run(program("catena") + " bench --save " + folder + " --cuda text mushroom small_ops");
    ASSERT_EQ(saved.status, 0) << saved.output;
    for (const std::string name : {"mushroom", "small_ops"}) {
        const std::string file = folder + "/" + name + ".catena";
        EXPECT_THAT(saved.output,
                    HasSubstr("catena run " + file + " " + folder + "/" + name + ".npz"));
        EXPECT_THAT(run(program("catena") + " show " + file).output, HasSubstr("code     text\n"));
        const auto result =
            run(program("catena") + " run " + file + " " + folder + "/" + name + ".npz --repeat 3");
        EXPECT_EQ(result.status, 0) << result.output;
        EXPECT_THAT(result.output, HasSubstr("the other 2 take"));
    }
}

TEST(Bench, wrong_names_are_told_what_there_is) {
    const auto workload = run(program("catena") + " bench mplp");
    EXPECT_NE(workload.status, 0);
    EXPECT_THAT(workload.output, HasSubstr("mlp"));
    const auto variant = run(program("catena") + " bench --variant fast mlp");
    EXPECT_NE(variant.status, 0);
    EXPECT_THAT(variant.output, HasSubstr("compiled"));
}

/// Times and memory of a process are those of one variant.
TEST(Bench, one_process_measures_one_variant) {
    for (const char* variants : {"", "--variant eager,step "}) {
        const auto result =
            run(program("catena") + " bench --here --seconds 0 " + variants + "mlp");
        EXPECT_NE(result.status, 0);
        EXPECT_THAT(result.output, HasSubstr("--here measures one variant in this process; "
                                             "--variant names "));
    }
}

std::string read_text(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Bench, lines_of_a_library_go_to_standard_error) {
    const std::string errors = ::testing::TempDir() + "catena_bench_errors.txt";
    const auto result = run("(CATENA_LANE_CONVOLUTIONS=0 DNNL_VERBOSE=1 " + program("catena") +
                            " bench --json --seconds 0 --variant eager lenet 2>" + errors + ")");
    EXPECT_EQ(result.status, 0);
    EXPECT_THAT(result.output, ::testing::MatchesRegex("\\{\"peer\":\"catena-eager\",[^\n]*\n"));
    EXPECT_THAT(read_text(errors).substr(0, 1000), HasSubstr("_verbose,"));
}

TEST(Bench, reports_are_a_page_and_a_table_with_peers) {
    const std::string stem = ::testing::TempDir() + "catena_bench_report";
    std::ofstream(stem + ".jsonl")
        << "{\"peer\": \"torch-<b>\", \"workload\": \"one_op\", \"ms\": 0.0125, \"rss_mb\": "
           "512}\n\n"
           "{\"peer\": \"torch\", \"workload\": \"not_measured\", \"ms\": 1}\n";
    const auto result =
        run(program("catena") + " bench --seconds 0 --variant eager one_op --peers " + stem +
            ".jsonl --report " + stem + ".html," + stem + ".md");
    ASSERT_EQ(result.status, 0) << result.output;
    const std::string page = read_text(stem + ".html"), table = read_text(stem + ".md");
    for (const std::string& text : {page, table}) {
        EXPECT_THAT(text, HasSubstr("one_op"));
        EXPECT_THAT(text, HasSubstr("0.012500"));
        EXPECT_THAT(text, ::testing::Not(HasSubstr("not_measured")));
    }
    EXPECT_THAT(table, HasSubstr("| one_op | torch-<b> | 0.012500 |"));
    EXPECT_THAT(page, HasSubstr("torch-&lt;b&gt;"));
    EXPECT_THAT(page, HasSubstr("class=\"bar eager\""));
    EXPECT_THAT(page, HasSubstr("prefers-color-scheme: dark"));
    EXPECT_THAT(page, ::testing::Not(HasSubstr("://")));
}

TEST(Bench, a_report_says_on_what_was_measured_and_what_its_words_mean) {
    const std::string stem = ::testing::TempDir() + "catena_bench_words";
    const auto result = run(program("catena") +
                            " bench --seconds 0 --threads 2 --variant eager,step one_op --report " +
                            stem + ".html," + stem + ".md");
    ASSERT_EQ(result.status, 0) << result.output;
    const std::string page = read_text(stem + ".html"), table = read_text(stem + ".md");
    for (const std::string& text : {page, table}) {
        // Processor and its number of cores, memory, both compilers, and when.
        EXPECT_THAT(text, ::testing::ContainsRegex("processor.*, [0-9]+ cores"));
        EXPECT_THAT(text, ::testing::ContainsRegex("memory.*[0-9.]+ GB"));
        EXPECT_THAT(text, ::testing::ContainsRegex("catena.*[0-9]+[.][0-9]+[.][0-9]+, built by "));
        EXPECT_THAT(text, ::testing::ContainsRegex("date.*20[0-9][0-9]-[01][0-9]-[0-3][0-9] "
                                                   "[0-2][0-9]:[0-5][0-9] UTC"));
        EXPECT_THAT(text, HasSubstr(compiler_available() ? "LLVM" : "none"));
        EXPECT_THAT(text, HasSubstr("2 threads, cpu"));
        // Variants that are there, and columns.
        EXPECT_THAT(text, HasSubstr("each operation runs when it is called"));
        EXPECT_THAT(text, HasSubstr("the whole iteration is one compiled region"));
        EXPECT_THAT(text, ::testing::Not(HasSubstr("do not run the C++ code")));
        EXPECT_THAT(text, HasSubstr("how many times as fast as eager"));
    }
}

TEST(Bench, wrong_reports_and_peers_are_told_before_anything_is_measured) {
    const auto report = run(program("catena") + " bench --seconds 60 --report out.pdf one_op");
    EXPECT_NE(report.status, 0);
    EXPECT_THAT(report.output, HasSubstr("NAME.html or NAME.md, 'out.pdf' is neither"));
    const std::string path = ::testing::TempDir() + "catena_bench_peers.jsonl";
    std::ofstream(path) << "{\"peer\": \"torch\", \"workload\": \"one_op\", \"ms\": 1}\nms\n";
    const auto peers = run(program("catena") + " bench --seconds 60 --peers " + path + " one_op");
    EXPECT_NE(peers.status, 0);
    EXPECT_THAT(peers.output, HasSubstr(path + ":2: a line is"));
}

//---- CATENA_PROFILE

TEST(ProfileAtExit, is_a_trace_of_every_launch) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    const std::string path = ::testing::TempDir() + "catena_bench_trace.json";
    std::filesystem::remove(path);
    const auto result = run("CATENA_PROFILE=" + path + " " + program("catena") +
                            " bench --seconds 0 --variant step small_ops");
    ASSERT_EQ(result.status, 0) << result.output;
    const std::string trace = read_text(path);
    EXPECT_THAT(trace, HasSubstr("\"cat\":\"kernels\""));
    EXPECT_THAT(trace, HasSubstr("\"cat\":\"compile\""));
    EXPECT_THAT(trace, ::testing::EndsWith("\n]}\n"));
}

TEST(ProfileAtExit, on_a_full_disk_is_a_line_and_the_program_still_succeeds) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    const std::string path = ::testing::TempDir() + "catena_full_trace.json";
    std::filesystem::remove(path);
    // The limit, of 512 or 1024 bytes, stands for the full disk.
    const auto result =
        run("trap '' XFSZ; ulimit -f 1; CATENA_KERNEL_CACHE=off CATENA_PROFILE=" + path + " " +
            program("catena") + " bench --json --seconds 0 --variant step small_ops");
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(result.output, HasSubstr("catena: CATENA_PROFILE: " + path + ": writing failed"));
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(ProfileAtExit, in_a_folder_that_does_not_exist_is_told_at_once) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    const auto result = run("CATENA_PROFILE=/no/such/folder/t.json " + program("catena") +
                            " bench --seconds 0 --variant step small_ops");
    EXPECT_NE(result.status, 0);
    EXPECT_THAT(result.output, HasSubstr("CATENA_PROFILE: '/no/such/folder/t.json' cannot be "
                                         "written, there is no folder /no/such/folder"));
}

TEST(Bench, numbers_that_are_no_time_and_no_size_are_refused) {
    const std::vector<std::pair<std::string, std::string>> wrong = {
        {"--seconds nan", "bench: --seconds takes a number from 0 to 1000000, not nan"},
        {"--seconds=-1", "not -1"},
        {"--seconds inf", "not inf"},
        {"--memory-budget nan",
         "bench: --memory-budget takes a number from 0 to 1000000000, not nan"},
        {"--memory-budget 1e300", "not 1e+300"}};
    for (const auto& [option, message] : wrong) {
        const auto result = run(program("catena") + " bench --variant eager one_op " + option);
        EXPECT_NE(result.status, 0) << option;
        EXPECT_THAT(result.output, HasSubstr(message));
    }
}

TEST(Bench, a_workload_without_a_step_to_save_is_named) {
    const auto result = run(program("catena") + " bench one_op --save " + ::testing::TempDir() +
                            "catena_bench_nothing");
    EXPECT_NE(result.status, 0);
    EXPECT_THAT(result.output, HasSubstr("bench: one_op has no step that could be saved"));
}

}  // namespace
}  // namespace catena::testing
