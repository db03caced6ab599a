// The report of StaticGraph::explain().
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>

#include <fmt/format.h>

#include "frontend/capture/region/region.h"
#include "frontend/capture/report/costs.h"
#include "frontend/compiler/compiler_loader.h"
#include "frontend/pages/html.h"
#include "frontend/pages/program_page.h"
#include "runtime/core/system/counted.h"
#include "runtime/core/system/environment.h"
#include "runtime/file/file_name.h"
#include "runtime/file/write_file.h"
#include "runtime/program/run/joint_executable.h"
#include "runtime/program/run/portable.h"

namespace catena::capture {
namespace {

void describe_executable(std::string& text, const std::string& what, const Trace& trace,
                         const Executable& executable) {
    const ExecutableInfo& info = executable.info();
    text += fmt::format(
        "    {}: {} -> {} ({}, {}), {} fused, {:.1f} ms to compile, {} of code, {} of "
        "temporaries\n",
        what, counted(int64_t(trace.steps.size()), "recorded op"), counted(info.steps, "launch"),
        counted(info.kernels, "kernel"), counted(info.library_calls, "library call"),
        counted(info.fused_ops, "op"), info.compile_seconds * 1e3,
        counted(int64_t(info.code_bytes), "byte"), counted(int64_t(info.arena_bytes), "byte"));
    text += folded(info.notes, std::string(6, ' '));
}

void describe_program(std::string& text, const Ending& ending) {
    const Program& program = *ending.program;
    const std::string what = ending.is_cut ? fmt::format("up to the host read after {}",
                                                         to_string(ending.last->call->location))
                             : ending.segment->first_value == 0 ? "forward"
                                                                : "after the last host read";
    if (program.compiled().executable())
        describe_executable(text, what, *program.compiled().forward(),
                            *program.compiled().executable());
    else
        text += fmt::format("    {}: {}, run by the eager kernels\n", what,
                            counted(int64_t(program.plan().step_count()), "recorded op"));
    text += fmt::format("      {}\n", counted(program.hits.load(), "call"));
    if (!program.plan().graph()) return;
    std::lock_guard lock(program.plan().graph()->mutex);
    if (program::JointExecutable* joint = program.compiled().joint()) {
        describe_executable(text,
                            program.compiled().ran_backward()
                                ? "backward, compiled together with forward"
                                : "backward, compiled together with forward, not run yet",
                            *program.plan().graph()->backward_trace(), joint->backward());
        text += fmt::format("      {} bytes are saved from forward to backward\n",
                            joint->cut().saved_bytes);
    } else if (const std::string why = program.compiled().why_apart(); !why.empty()) {
        text += fmt::format("      forward and backward are compiled apart: {}\n", why);
    }
    if (program.plan().graph()->executable)
        describe_executable(text, "backward", *program.plan().graph()->backward_trace(),
                            *program.plan().graph()->executable);
}

std::string host_read_of(const Entry& entry) {
    const std::string place = entry.cut_at.place();
    return fmt::format("the host reads a computed value ({})",
                       place.empty() ? "line unknown: << does not record one" : place);
}

/// The cost of running and recording the code, with a remark when it is significant.
std::string describe_following(const StaticGraphStatistics& s) {
    if (s.timed_calls == 0) return "";
    const double each = s.follow_seconds / double(s.timed_calls) * 1e6,
                 all = each + s.compute_seconds / double(s.timed_calls) * 1e6;
    std::string text = fmt::format(
        "  of {:.1f} us per call, the user's code and its recording take {:.1f} us\n", all, each);
    if (each > 0.2 * all && s.followed_calls > 100)
        text +=
            "  a region whose code has no state of its own may skip that: option audit (never, "
            "sampled)\n";
    return text;
}

/// The page's section on a program, with its stages on the way to a package, which differ from
/// those for this process only by what depends on the machine.
pages::ProgramSection section_of(const WholeProgram& program) {
    const ExecutableInfo& info = program.executable->info();
    PortableProgram portable = compiler().compile_portable(
        *program.trace, {.any_size = false, .levels = {}, .stages = true});
    return {info.name,
            program.executable->launches(),
            std::move(portable.stages),
            info.notes,
            program.border,
            program.border_text};
}

}  // namespace

std::string Region::explain() const {
    std::lock_guard lock(mutex_);
    const StaticGraphStatistics& s = statistics_;
    std::string text = fmt::format("static_graph {} ({})\n", options_.name, to_string(at_));
    if (last_entry_) {
        const std::vector<CompiledProgram> programs = compiled_programs(*last_entry_);
        text += summary_of(programs, s) + costs_of(options_.name, programs);
    }
    text += fmt::format(
        "  {}: {} compiled, {} by the eager kernels, {} inside other regions or switched off; "
        "the code ran in {}, took a new path in {}; {}; {}\n",
        counted(s.calls, "call"), s.compiled_calls, s.interpreted_calls, s.eager_calls,
        s.followed_calls, s.mismatches, counted(s.cuts, "host read"),
        counted(s.programs, "program"));
    text += describe_following(s);
    if (!compiler_installed())
        text += "  there is no compiler: everything runs with the eager kernels\n";
    std::vector<std::string> reads;
    for (const auto& [key, entry] : entries_)
        if (entry->was_cut) reads.push_back(host_read_of(*entry));
    text += folded(reads, std::string(2, ' '));
    for (const auto& [key, entry] : entries_) {
        text += fmt::format("  for {}: {}\n", entry->description, counted(entry->calls, "call"));
        std::lock_guard tree(entry->tree->mutex);
        for (const auto& ending : entry->tree->endings())
            if (ending->program) describe_program(text, *ending);
    }
    if (s.programs > 0) {
        text += fmt::format("  programs take {} of at most {} bytes, {} dropped; ", bytes(),
                            options_.cache_bytes, s.dropped);
        if (Compiler* loaded = loaded_compiler()) {
            const KernelCacheState kernels = loaded->kernel_cache();
            text += fmt::format("the process caches {}, {} of at most {} bytes, {} dropped\n",
                                counted(int64_t(kernels.kernels), "kernel"), kernels.bytes,
                                kernels.limit, kernels.dropped);
        } else {
            text += "the compiler is not loaded: an earlier process compiled them\n";
        }
    }
    for (const std::string& line : history_) text += "  " + line + "\n";
    return text;
}

RegionProfile Region::profile() const {
    std::lock_guard lock(mutex_);
    return profile_of(options_.name, last_entry_ ? compiled_programs(*last_entry_)
                                                 : std::vector<CompiledProgram>());
}

void Region::save_html(const std::string& path) const {
    std::vector<std::string> lines = {to_string(at_)};
    std::vector<WholeProgram> programs;
    {
        std::lock_guard lock(mutex_);
        if (last_entry_) {
            lines.push_back(last_entry_->description);
            programs = whole_programs(*last_entry_);
        }
    }
    std::vector<pages::ProgramSection> sections;
    for (const WholeProgram& program : programs)
        sections.push_back(section_of(program));  // Compiles: without the lock.
    if (sections.empty())
        fail<ValueError>("save_html: region {} has no compiled program yet; call it first",
                         options_.name);
    write_file(path, pages::program_page("static_graph " + options_.name, lines, sections));
}

void Region::dump_explanation() const {
    const std::optional<std::string> folder = environment::text("CATENA_DUMP_DIR");
    if (!folder) return;
    std::filesystem::path path = std::filesystem::path(*folder) / file_name_of(options_.name);
    std::error_code ignored;
    std::filesystem::create_directories(path, ignored);
    std::ofstream(path / "explain.txt") << explain();
}

}  // namespace catena::capture
