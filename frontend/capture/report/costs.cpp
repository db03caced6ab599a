#include "frontend/capture/report/costs.h"

#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include "frontend/pages/program_page.h"
#include "runtime/program/joint_executable.h"

namespace catena::capture {
namespace {

constexpr size_t most_launches = 10;
constexpr size_t most_reasons = 3;

double bytes_of(const LaunchReport& launch) { return launch.bytes_read + launch.bytes_written; }

std::string plural(int64_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// What keeps a launch apart: the notes of the passes about its operations.
std::vector<std::string> reasons_of(const LaunchReport& launch,
                                    const std::vector<CompiledProgram>& programs) {
    std::vector<std::string> reasons;
    for (const CompiledProgram& program : programs) {
        const std::vector<std::string> found =
            pages::notes_about(launch, program.executable->info().notes);
        reasons.insert(reasons.end(), found.begin(), found.end());
    }
    return reasons;
}

std::string describe(const RegionProfile::Row& row, bool is_timed) {
    const LaunchReport& launch = row.launch;
    const std::string cost = is_timed ? fmt::format("{:.3f} ms", row.milliseconds())
                                      : fmt::format("{:.3f} MB", bytes_of(launch) / 1e6);
    std::string text = fmt::format("    {:>5.1f} % {:>12}  ", row.share * 100, cost);
    for (size_t i = 0; i < std::min(launch.operations.size(), most_reasons); ++i)
        text += (i == 0 ? "" : ", ") + launch.operations[i];
    if (launch.operations.empty()) text += launch.name;
    if (launch.operations.size() > most_reasons)
        text += fmt::format(" and {} more", launch.operations.size() - most_reasons);
    if (row.gigaflops_per_second() > 0)
        text += fmt::format(", {:.1f} GFLOP/s", row.gigaflops_per_second());
    if (row.gigabytes_per_second() > 0)
        text += fmt::format(", {:.1f} GB/s", row.gigabytes_per_second());
    return text + "\n";
}

std::string why_apart(const LaunchReport& launch, const std::vector<CompiledProgram>& programs) {
    const std::string indent(28, ' ');
    if (launch.is_library_call) return indent + "a library computes it: nothing is fused with it\n";
    std::vector<std::string> reasons = reasons_of(launch, programs);
    std::ranges::sort(reasons);
    const auto repeated = std::ranges::unique(reasons);
    reasons.erase(repeated.begin(), repeated.end());
    const size_t more = reasons.size() - std::min(reasons.size(), most_reasons);
    reasons.resize(reasons.size() - more);
    return folded(reasons, indent) +
           (more > 0 ? fmt::format("{}and {}, see below\n", indent, plural(int64_t(more), "reason"))
                     : "");
}

std::string speed_of(const StaticGraphStatistics& s) {
    if (s.timed_calls == 0 || s.interpreted_calls > 0) return "";
    const double compiled = (s.follow_seconds + s.compute_seconds) / double(s.timed_calls);
    if (s.timed_eager_calls == 0)
        return fmt::format(
            "  {:.3f} ms per call; calls without compiled code (config().use_static_graph = false) "
            "were not timed\n",
            compiled * 1e3);
    const double eager = s.eager_seconds / double(s.timed_eager_calls);
    return fmt::format("  {:.3f} ms per call, {:.3f} ms eager: {:.2f} times as fast\n",
                       compiled * 1e3, eager * 1e3, eager / compiled);
}

}  // namespace

std::vector<WholeProgram> whole_programs(const Entry& entry) {
    std::vector<WholeProgram> programs;
    std::lock_guard tree(entry.tree->mutex);
    for (const auto& ending : entry.tree->endings()) {
        const std::shared_ptr<Program>& program = ending->program;
        if (!program) continue;
        if (program::JointExecutable* joint = program->joint()) {
            const program::Cut& cut = joint->cut();
            const std::string text = fmt::format(
                "forward ends here, {} bytes are saved; backward, compiled together with it{}",
                cut.saved_bytes, program->ran_backward() ? "" : ", has not run yet");
            programs.push_back({{program, program->joint_trace(), joint}, cut.launch, text});
        } else if (program->executable()) {
            programs.push_back({{program, program->forward(), program->executable()}});
        }
        if (!program->graph()) continue;
        std::lock_guard graph(program->graph()->mutex);
        if (program->graph()->executable)
            programs.push_back({{entry.tree, program->graph()->backward_trace(),
                                 program->graph()->executable.get()}});
    }
    return programs;
}

std::vector<CompiledProgram> compiled_programs(const Entry& entry) {
    std::vector<CompiledProgram> programs;
    std::lock_guard tree(entry.tree->mutex);
    for (const auto& ending : entry.tree->endings()) {
        const std::shared_ptr<Program>& program = ending->program;
        if (!program) continue;
        if (program->executable())
            programs.push_back({program, program->forward(), program->executable()});
        if (!program->graph()) continue;
        std::lock_guard graph(program->graph()->mutex);
        if (program->joint() && program->ran_backward())
            programs.push_back(
                {program, program->graph()->backward_trace(), &program->joint()->backward()});
        if (program->graph()->executable)
            programs.push_back({entry.tree, program->graph()->backward_trace(),
                                program->graph()->executable.get()});
    }
    return programs;
}

RegionProfile profile_of(const std::string& region, const std::vector<CompiledProgram>& programs) {
    RegionProfile profile{.region = region};
    for (const CompiledProgram& program : programs)
        for (LaunchReport& launch : program.executable->launches()) {
            profile.is_timed = profile.is_timed || launch.calls > 0;
            profile.rows.push_back({program.executable->info().name, std::move(launch)});
        }
    const auto cost = [&](const RegionProfile::Row& row) {
        return profile.is_timed ? row.launch.seconds : bytes_of(row.launch);
    };
    double total = 0;
    for (const RegionProfile::Row& row : profile.rows) total += cost(row);
    for (RegionProfile::Row& row : profile.rows) row.share = total > 0 ? cost(row) / total : 0;
    std::ranges::stable_sort(profile.rows, std::greater(), &RegionProfile::Row::share);
    return profile;
}

std::string summary_of(const std::vector<CompiledProgram>& programs,
                       const StaticGraphStatistics& statistics) {
    if (programs.empty()) return "";
    ExecutableInfo sum;
    size_t recorded = 0, arena = 0;
    for (const CompiledProgram& program : programs) {
        const ExecutableInfo& info = program.executable->info();
        sum.steps += info.steps;
        sum.kernels += info.kernels;
        sum.library_calls += info.library_calls;
        sum.fused_ops += info.fused_ops;
        sum.code_bytes += info.code_bytes;
        sum.channels_last += info.channels_last;
        arena = std::max(arena, info.arena_bytes);
        recorded += program.trace->steps.size();
    }
    std::string text =
        fmt::format("  {}: {} recorded ops, {} of them fused; {}: {} of kernels ({}), {}\n",
                    plural(int64_t(programs.size()), "program"), recorded, sum.fused_ops,
                    sum.steps == 1 ? "1 launch" : fmt::format("{} launches", sum.steps),
                    sum.steps - sum.library_calls, plural(sum.kernels, "different kernel"),
                    plural(sum.library_calls, "library call"));
    text += fmt::format("  {} bytes of code, {} bytes of temporaries", sum.code_bytes, arena);
    if (sum.channels_last > 0)
        text +=
            fmt::format("; {} stored with the channels last", plural(sum.channels_last, "image"));
    return text + "\n" + speed_of(statistics);
}

std::string costs_of(const std::string& region, const std::vector<CompiledProgram>& programs) {
    const RegionProfile profile = profile_of(region, programs);
    if (profile.rows.empty()) return "";
    const size_t shown = std::min(profile.rows.size(), most_launches);
    std::string text = fmt::format(
        "  what costs most, {} ({} of {}{}):\n",
        profile.is_timed ? "as profiled" : "by the bytes moved", shown, profile.rows.size(),
        profile.is_timed ? "" : "; a ProfileScope or CATENA_PROFILE measures");
    for (size_t i = 0; i < shown; ++i)
        text += describe(profile.rows[i], profile.is_timed) +
                why_apart(profile.rows[i].launch, programs);
    return text;
}

std::string folded(const std::vector<std::string>& lines, const std::string& indent) {
    std::vector<std::pair<std::string_view, int>> counted;
    for (const std::string& line : lines) {
        auto known = std::find_if(counted.begin(), counted.end(),
                                  [&](const auto& each) { return each.first == line; });
        if (known == counted.end())
            counted.emplace_back(line, 1);
        else
            ++known->second;
    }
    std::string text;
    for (const auto& [line, times] : counted)
        text += times == 1 ? fmt::format("{}{}\n", indent, line)
                           : fmt::format("{}{} (x {})\n", indent, line, times);
    return text;
}

}  // namespace catena::capture
