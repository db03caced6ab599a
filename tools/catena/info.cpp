// catena info: what this machine and this build have.
#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>

#include "runtime/core/array/device.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/core/parallel/thread_wait.h"
#include "runtime/core/plugin/cuda_plug_in.h"
#include "runtime/core/system/environment.h"
#include "runtime/core/system/environment_variables.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/by_name/function.h"
#include "tools/catena/commands.h"
#include "tools/catena/completion.h"
#include "tools/catena/info_ranks.h"
#include "tools/catena/machine.h"
#include "tools/catena/terminal.h"

namespace catena::tool {
namespace {

void row(const std::string& name, const std::string& value) {
    fmt::print("{} {}\n", styled(Style::heading, fmt::format("{:<12}", name)), value);
}

std::string megabytes(size_t bytes) { return fmt::format("{:.1f} MB", double(bytes) / 1e6); }

std::string joined_lines(std::string text) {
    while (text.ends_with('\n')) text.pop_back();
    for (size_t at; (at = text.find('\n')) != std::string::npos;) text.replace(at, 1, ", ");
    return text;
}

std::string cuda_line() {
    std::string complaint;
    const CudaPlugIn* plug_in = cuda_plug_in(complaint);
    return plug_in ? plug_in->version() : complaint;
}

void print_info() {
    row("catena", CATENA_VERSION);
    row("cpu", processor_line());
    row("threads", fmt::format("{} (CATENA_NUM_THREADS, else OMP_NUM_THREADS, else the cores)",
                               thread_count()));
    row("idle thread", thread_wait());
    row("devices", fmt::format("{}, {}; default {}", cpu_device().name(), meta_device().name(),
                               current_device().name()));
    row("cuda", cuda_line());
    row("compiler", compiler_line());
    row("functions", fmt::format("{} callable by name (catena call), {} ops",
                                 all_functions().size(), all_ops().size()));
    row("config", joined_lines(to_string(config())));
    const MemoryStatistics memory = cpu_memory_statistics();
    row("memory",
        fmt::format("pool: {} in use, {} at the peak, {} held from the system in {} requests",
                    megabytes(memory.bytes_in_use), megabytes(memory.peak_bytes),
                    megabytes(memory.bytes_reserved), memory.system_allocations));
}

void print_environment() {
    for (const environment::VariableInfo& v : environment::variables()) {
        const std::optional<std::string> value = environment::text(v.name);
        fmt::print("{}{}\n    {}\n    takes {}; when it is not set: {}\n",
                   styled(Style::heading, v.name), value ? " = " + *value : "", v.meaning, v.type,
                   v.fallback);
    }
}

}  // namespace

void add_info(CLI::App& program) {
    auto env = std::make_shared<std::string>();
    auto shows_ranks = std::make_shared<bool>(false);
    CLI::App* info =
        program.add_subcommand("info", "version, CPU, devices, plug-ins, compiler, memory");
    CLI::Option* form = info->add_option("--env", *env,
                                         "the environment variables there are, what they take and "
                                         "what is set; as docs/environment.md "
                                         "with --env=markdown")
                            ->expected(0, 1)
                            ->default_str("text")
                            ->check(CLI::IsMember({"text", "markdown"}));
    complete_with(form, [](auto) { return std::vector<std::string>{"text", "markdown"}; });
    CLI::Option* ranks = info->add_flag(
        "--ranks", *shows_ranks,
        "which launcher has started this process, as which rank of how many, and the "
        "communicator that create_communicator() makes of it");
    ranks->excludes(form);
    info->callback([env, shows_ranks, info] {
        if (*shows_ranks)
            print_ranks();
        else if (info->count("--env") == 0)
            print_info();
        else if (*env == "markdown")
            fmt::print("{}", environment::reference_page());
        else
            print_environment();
    });
}

}  // namespace catena::tool
