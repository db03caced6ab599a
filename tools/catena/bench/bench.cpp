// catena bench: one process for each workload and variant, so that memory and compile times are its
// own.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "benchmarks/workloads/workload.h"
#include "benchmarks/workloads/workloads.h"
#include "frontend/serializer/npz.h"
#include "frontend/static_graph/static_graph.h"
#include "runtime/core/array/code_device.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/core/system/counted.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/settings/autocast.h"
#include "runtime/program/run/code_library.h"
#include "tools/catena/bench/ceilings.h"
#include "tools/catena/bench/dtype.h"
#include "tools/catena/bench/report.h"
#include "tools/catena/bench/table.h"
#include "tools/catena/commands.h"
#include "tools/catena/completion.h"
#include "tools/catena/limit.h"
#include "tools/catena/machine.h"
#include "tools/catena/terminal.h"

namespace catena::tool {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> all_variant_names() {
    std::vector<std::string> names;
    for (Variant variant : all_variants()) names.push_back(name_of(variant));
    return names;
}

struct BenchOptions {
    std::vector<std::string> workloads;
    std::vector<std::string> variants = all_variant_names();
    double seconds = 4;
    int threads = 0;
    std::string device = "cpu";
    std::string autocast = "float32";
    std::vector<std::string> dtypes;  ///< Of products and convolutions, one after another.
    double memory_budget = 0;         ///< Megabytes.
    std::string save;                 ///< A folder for programs, instead of times.
    std::vector<std::string> cuda_architectures;
    std::vector<std::string> reports;  ///< Files for a page.
    std::string peers;                 ///< A file with lines of other frameworks' scripts.
    bool json = false;
    bool limit = false;     ///< Also what the machine could do.
    std::string models;     ///< A folder of .onnx files: further workloads.
    bool profile = false;   ///< Also what each launch takes.
    bool ceilings = false;  ///< The machine itself instead of workloads.
    bool here = false;      ///< Measure in this process: what the parent starts.
};

double since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double timed(const Iteration& iteration) {
    const auto start = std::chrono::steady_clock::now();
    iteration.run();
    if (auto* device = dynamic_cast<CodeDevice*>(&current_device())) device->synchronize();
    return since(start);
}

/// Of one of `count` iterations; the device is waited for after all of them.
double pipelined_seconds(const Iteration& iteration, int count) {
    Iteration all = iteration;
    all.run = [&] {
        for (int i = 0; i < count; ++i) iteration.run();
    };
    return timed(all) / count;
}

double rounded(double value, double step) { return std::round(value / step) * step; }

/// What a few more iterations spend in each launch, on stderr: rows of measurements stay what they
/// are.
void print_profile(const Workload& workload, Variant variant, const Iteration& iteration) {
    if (!iteration.profile) return;
    {
        const ProfileScope scope;
        for (int i = 0; i < std::max(5, iteration.cycle); ++i) iteration.run();
    }
    fmt::print(stderr, "{} ({}):\n{}", workload.name, name_of(variant),
               iteration.profile().to_string());
}

/// Keys and meaning as in the scripts for other frameworks, but that first_s is the longest of the
/// warm-up iterations: a region records in its first and may compile in a later one. Where sizes
/// change from one iteration to the next, every size is seen twice before times are taken (a region
/// of many sizes compiles each at its second call), on a device three times (its program is
/// recorded then), and all equally often while they are. exchange_ns: see limit.h, before and
/// after. Of a device: device_mb, the most that arrays took there, and pipelined_ms, the mean of as
/// many iterations with one wait after them all, as a training has it.
Json measure(const Workload& workload, Variant variant, double seconds, bool profiles) {
    const Iteration iteration = workload.prepare(variant, 1);
    double first = 0;
    const auto* device = dynamic_cast<CodeDevice*>(&current_device());
    for (int i = 0; i < std::max(4, (device ? 3 : 2) * iteration.cycle); ++i)
        first = std::max(first, timed(iteration));
    std::vector<double> times;
    const double exchange_before = exchange_nanoseconds();
    const auto start = std::chrono::steady_clock::now();
    while (since(start) < seconds || times.size() < 5 ||
           times.size() % size_t(iteration.cycle) != 0)
        times.push_back(timed(iteration));
    std::sort(times.begin(), times.end());
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto milliseconds = [&](double t) {
        return rounded(t * 1e3 / iteration.operations, 1e-6);
    };
    const double pipelined = device ? pipelined_seconds(iteration, int(times.size())) : 0;
    if (profiles) print_profile(workload, variant, iteration);
    Json row{{"peer", std::string("catena-") + name_of(variant)},
             {"workload", workload.name},
             {"ms", milliseconds(times[times.size() / 2])},
             {"min_ms", milliseconds(times[0])},
             {"first_s", rounded(first, 1e-3)},
             {"n", times.size()},
             {"rss_mb", usage.ru_maxrss / 1024},
             {"exchange_ns", {rounded(exchange_before, 1), rounded(exchange_nanoseconds(), 1)}}};
    if (device) {
        row["pipelined_ms"] = milliseconds(pipelined);
        row["device_mb"] = device->memory_statistics().peak_bytes >> 20;
    }
    return row;
}

Json measure_limit(const Workload& workload) {
    const Limit limit = limit_of(workload);
    return {{"peer", "catena-limit"},
            {"workload", workload.name},
            {"ms", rounded(limit.ms(), 1e-6)},
            {"library_ms", rounded(limit.library_ms, 1e-6)},
            {"memory_ms", rounded(limit.memory_ms, 1e-6)},
            {"gflop", limit.product_operations * 1e-9},
            {"gbyte", limit.bytes * 1e-9}};
}

/// FOLDER/NAME.catena and FOLDER/NAME.npz, for `catena run` on another machine.
void save_programs(const BenchOptions& options) {
    std::filesystem::create_directories(options.save);
    bool is_saved = false;
    for (const std::string& name : options.workloads) {
        const Workload workload = find_workload(name);
        const Iteration iteration = workload.prepare(Variant::step, 1);
        if (!iteration.save) {
            print_error(fmt::format("bench: {} has no step that could be saved", name));
            continue;
        }
        is_saved = true;
        for (int i = 0; i < 2; ++i) iteration.run();
        const std::string stem = options.save + "/" + workload.name;
        NamedArrays inputs;
        PackageOptions package{.cuda_architectures = options.cuda_architectures, .stages = false};
        if (!package.cuda_architectures.empty()) package.code_levels = program::known_code_levels();
        for (const Array& array : iteration.save(stem + ".catena", package))
            inputs.emplace_back(fmt::format("x{}", inputs.size()), array.to(cpu_device()));
        save_npz(stem + ".npz", inputs);
        fmt::print("catena run {0}.catena {0}.npz --repeat 100\n", stem);
    }
    if (!is_saved) throw CLI::RuntimeError(1);
}

/// Runs this program again for one measurement and reads its line; null when it failed. `dtype`:
/// one of --dtype, or empty.
Json measure_in_a_process(const std::string& workload, const std::string& variant,
                          const std::string& dtype, const BenchOptions& options) {
    std::vector<std::string> words = {"catena",
                                      "bench",
                                      "--here",
                                      "--variant",
                                      variant,
                                      "--seconds",
                                      fmt::format("{}", options.seconds),
                                      "--threads",
                                      std::to_string(options.threads),
                                      "--device",
                                      options.device,
                                      "--autocast",
                                      options.autocast,
                                      "--memory-budget",
                                      fmt::format("{}", options.memory_budget),
                                      workload};
    if (options.profile) words.push_back("--profile");
    if (!dtype.empty()) words.insert(words.end(), {"--dtype", dtype});
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    int pipe_ends[2];
    if (pipe(pipe_ends) != 0) fail<Error>("bench: no pipe");
    const pid_t child = fork();
    if (child == 0) {
        dup2(pipe_ends[1], STDOUT_FILENO);
        close(pipe_ends[0]);
        close(pipe_ends[1]);
        execv("/proc/self/exe", arguments.data());
        _exit(127);
    }
    close(pipe_ends[1]);
    std::string output;
    char buffer[512];
    for (ssize_t n; (n = read(pipe_ends[0], buffer, sizeof buffer)) > 0;) output.append(buffer, n);
    close(pipe_ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) {
        print_error(fmt::format("bench: {} ({}) failed", workload, variant));
        return {};
    }
    Json row = measurement_in(output);
    if (row.is_null())
        print_error(fmt::format("bench: {} ({}) printed no result", workload, variant));
    else if (!dtype.empty())
        row["precision"] = dtype;
    return row;
}

/// The row, and one more for each other name.
std::vector<Json> with_other_names(Json row, const Workload& workload) {
    std::vector<Json> rows{row};
    for (const std::string& name : workload.also) {
        row["workload"] = name;
        rows.push_back(row);
    }
    return rows;
}

/// The .onnx files of a folder, by name.
std::vector<std::string> models_in(const std::string& folder) {
    std::vector<std::string> paths;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
        if (entry.path().extension() == ".onnx") paths.push_back(entry.path().string());
    if (error) fail<FileError>("bench: {}: {}", folder, error.message());
    if (paths.empty()) fail<FileError>("bench: {} contains no .onnx file", folder);
    std::sort(paths.begin(), paths.end());
    return paths;
}

/// What is to be measured, in order.
std::vector<std::string> chosen_workloads(const BenchOptions& options) {
    std::vector<std::string> names = options.workloads;
    if (names.empty() && options.models.empty()) {
        for (const Workload& workload : workloads()) names.push_back(workload.name);
        if (options.device != "cpu")
            for (const Workload& workload : large_workloads()) names.push_back(workload.name);
    }
    if (!options.models.empty())
        for (const std::string& path : models_in(options.models)) names.push_back(path);
    for (const auto& name : names) find_workload(name);
    return names;
}

/// NaN too is none of these.
void check_between(const char* option, double number, double most) {
    if (!(number >= 0 && number <= most))
        fail<ValueError>("bench: {} takes a number from 0 to {}, not {}", option, most, number);
}

constexpr const char* limit_variant = "limit";  // Between processes.

/// What a report says first.
std::vector<std::pair<std::string, std::string>> facts_of(const BenchOptions& options) {
    std::vector<std::pair<std::string, std::string>> facts = circumstances();
    std::string run =
        fmt::format("{}, {}, {} s for each variant", counted(options.threads, "thread"),
                    options.device, options.seconds);
    if (options.autocast != "float32") run += ", autocast to " + options.autocast;
    if (!options.dtypes.empty())
        run += fmt::format(", products and convolutions of {}", fmt::join(options.dtypes, ", "));
    if (options.memory_budget > 0)
        run += fmt::format(", a memory budget of {} MB", options.memory_budget);
    facts.emplace_back("run", run);
    return facts;
}

/// What is to be multiplied, in order; one empty word: as the settings say.
std::vector<std::string> chosen_dtypes(const BenchOptions& options) {
    if (!options.dtypes.empty() && options.autocast != "float32")
        fail<ValueError>("bench: --dtype and --autocast say the same; give one of them");
    std::vector<std::string> dtypes = options.dtypes;
    const bool is_free = dtypes.empty() && options.autocast == "float32" && !options.here;
    if (is_free && options.device != "cpu" && options.save.empty()) dtypes = device_bench_dtypes();
    for (const std::string& dtype : dtypes) check_bench_dtype(dtype, options.device);
    if (dtypes.empty()) dtypes.emplace_back();
    return dtypes;
}

/// All workloads, one process for each time; rows are printed as they come. False where one failed.
bool measure_workloads(const BenchOptions& options, const std::vector<std::string>& dtypes,
                       std::vector<Json>& report) {
    std::optional<BenchTable> table;
    if (!options.json) table.emplace(options.threads, options.limit, !dtypes[0].empty());
    bool good = true;
    const auto take = [&](const std::string& workload, const Json& row) {
        good &= !row.is_null();
        if (row.is_null()) return;
        const std::vector<Json> rows = with_other_names(row, find_workload(workload));
        report.insert(report.end(), rows.begin(), rows.end());
        if (table) return table->print(row);
        for (const Json& each : rows) std::cout << each << std::endl;
    };
    for (const auto& workload : options.workloads) {
        if (options.limit)
            take(workload, measure_in_a_process(workload, limit_variant, "", options));
        for (const auto& dtype : dtypes)
            for (const auto& variant : options.variants)
                take(workload, measure_in_a_process(workload, variant, dtype, options));
    }
    return good;
}

void run_bench(BenchOptions options) {
    check_between("--seconds", options.seconds, 1e6);
    check_between("--memory-budget", options.memory_budget, 1e9);
    if (options.threads > 0) set_thread_count(options.threads);
    options.threads = thread_count();
    if (options.ceilings) return print_ceilings(options.device, options.json);
    options.workloads = chosen_workloads(options);
    if (options.here && options.variants.size() != 1)
        fail<ValueError>(
            "bench: --here measures one variant in this process; --variant names {}: {}",
            options.variants.size(), fmt::join(options.variants, ", "));
    if (!options.here)
        for (const auto& name : options.variants) parse_variant(name);
    if (options.limit && options.device != "cpu")
        fail<ValueError>("bench: --limit measures the host; the device is {}", options.device);
    for (const auto& path : options.reports) check_report_name(path);
    if (options.limit && options.autocast != "float32")
        fail<ValueError>("bench: --limit is of float32; leave out --autocast");
    const std::vector<std::string> dtypes = chosen_dtypes(options);
    if (options.limit && !options.dtypes.empty() && dtypes != std::vector<std::string>{"float32"})
        fail<ValueError>("bench: --limit is of float32; leave out --dtype");
    BenchReport report;
    if (!options.peers.empty()) report.peers = read_peers(options.peers);
    DeviceScope scope(get_device(options.device));
    const BenchDtype multiplied(dtypes.front());
    const AutocastScope casting(parse_dtype(options.autocast));
    workload_memory_budget() = size_t(options.memory_budget * (1 << 20));
    if (!options.save.empty()) return save_programs(options);

    if (options.here) {
        const std::string& variant = options.variants[0];
        for (const auto& name : options.workloads)
            std::cout << (variant == limit_variant
                              ? measure_limit(find_workload(name))
                              : measure(find_workload(name), parse_variant(variant),
                                        options.seconds, options.profile))
                      << std::endl;
        return;
    }
    const bool good = measure_workloads(options, dtypes, report.rows);
    if (!options.reports.empty()) report.facts = facts_of(options);
    for (const std::string& path : options.reports) save_report(report, path);
    if (!good) throw CLI::RuntimeError(1);
}

}  // namespace

void add_bench(CLI::App& program) {
    auto options = std::make_shared<BenchOptions>();
    auto* command = program.add_subcommand(
        "bench", "times training iterations and inference, eager and compiled (--variant)");
    std::string names = "files of models (.onnx), or any of";
    std::vector<std::string> all_names;
    const auto describe = [&](const std::vector<Workload>& list) {
        for (const Workload& workload : list) {
            names += fmt::format("\n  {:<18} {}", workload.name, workload.description);
            all_names.push_back(workload.name);
        }
    };
    describe(workloads());
    names += "\nor of those that fill a GPU:";
    describe(large_workloads());
    complete_with(command->add_option("workloads", options->workloads, names),
                  [all_names](auto) { return all_names; });
    command->add_flag("--json", options->json, "one JSON object a line instead of a table");
    std::string meanings = "what is compiled, several with commas:";
    for (Variant each : all_variants())
        meanings += fmt::format("\n  {:<9} {}", name_of(each), meaning_of(each));
    CLI::Option* variant = command->add_option("--variant", options->variants, meanings);
    variant->delimiter(',')->allow_extra_args(false);
    complete_with(variant, [all = options->variants](auto) { return all; });
    command->add_option("--seconds", options->seconds, "how long each is measured")
        ->capture_default_str();
    command
        ->add_option("--threads", options->threads,
                     "threads of the runtime; default: as many as `catena info` shows")
        ->check(CLI::Range(1, 1 << 16));
    command->add_option("--device", options->device, "where arrays are made: cpu, cuda:0")
        ->capture_default_str();
    command
        ->add_option("--autocast", options->autocast,
                     "what products and convolutions round their operands to: bfloat16, float16; "
                     "float32 for nothing")
        ->capture_default_str();
    CLI::Option* dtype = command->add_option(
        "--dtype", options->dtypes,
        "what products and convolutions multiply, side by side, several with commas: float32, "
        "tf32 (float32 rounded for tensor cores, on a device), bfloat16, float16; default: "
        "float32, on a device float32,tf32,bfloat16");
    dtype->delimiter(',')->allow_extra_args(false);
    complete_with(dtype, [](auto) { return bench_dtypes(); });
    command->add_option("--memory-budget", options->memory_budget,
                        "megabytes of intermediate results that compiled regions should hold at a "
                        "time (StaticGraphOptions::memory_budget)");
    command->add_option("--save", options->save,
                        "a folder: write whole steps as programs (.catena) with their inputs "
                        "(.npz) and time nothing");
    command
        ->add_option("--cuda", options->cuda_architectures,
                     "CUDA architectures that --save writes code for beside the processor's: "
                     "sm_80,sm_90,compute_90; otherwise "
                     "that of --device")
        ->delimiter(',')
        ->allow_extra_args(false);
    command
        ->add_option("--report", options->reports,
                     "also write a page (NAME.html) or a table (NAME.md); several with commas")
        ->delimiter(',')
        ->allow_extra_args(false);
    command->add_option("--peers", options->peers,
                        "a file with JSON lines of other frameworks, for the report");
    command->add_flag("--limit", options->limit,
                      "also the least time that this machine needs: products and convolutions by "
                      "the fastest way, all else at the speed of memory");
    command->add_option(
        "--models", options->models,
        "a folder whose models (.onnx) are measured, too, or instead of all workloads");
    command->add_flag("--profile", options->profile,
                      "also what each launch of the compiled programs takes, on stderr");
    command->add_flag("--ceilings", options->ceilings,
                      "measure what --device can do at most, and no workload: products, memory, "
                      "launches. Kept for the shares in profiles");
    command->add_flag("--here", options->here, "measure in this process")->group("");
    command->callback([options] { run_bench(*options); });
}

}  // namespace catena::tool
