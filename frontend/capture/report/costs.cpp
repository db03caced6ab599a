#include "frontend/capture/report/costs.h"

#include <algorithm>
#include <mutex>
#include <set>

#include <fmt/format.h>

#include "frontend/pages/program_page.h"
#include "frontend/static_graph/call/profile.h"
#include "runtime/core/system/counted.h"
#include "runtime/program/run/joint_executable.h"

namespace catena::capture {
namespace {

constexpr size_t most_launches = 10;
constexpr size_t most_reasons = 3;

double bytes_of(const LaunchReport& launch) { return launch.bytes_read + launch.bytes_written; }

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

std::string describe(const RegionProfile::Row& row, bool is_timed, const MachineShares& shares) {
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
    if (shares.most() > 0)
        text += fmt::format(", {:.0f} % of the limit of {}", shares.most() * 100, shares.bound());
    return text + "\n";
}

/// A reason without its shapes, "[]" for each: reasons that differ in nothing else are one reason.
std::string without_shapes(std::string_view reason) {
    std::string text;
    for (size_t at = 0; at < reason.size();) {
        constexpr std::string_view scalar = "a scalar";
        if (reason.substr(at).starts_with(scalar)) {
            text += "[]";
            at += scalar.size();
        } else if (const size_t end = reason.find_first_not_of("0123456789,?", at + 1);
                   reason[at] == '[' && end != reason.npos && reason[end] == ']') {
            text += "[]";
            at = end + 1;
        } else {
            text += reason[at++];
        }
    }
    return text;
}

/// Why a launch is apart; what was told of a launch before it, is counted only.
std::string why_apart(const LaunchReport& launch, const std::vector<CompiledProgram>& programs,
                      std::set<std::string>& told) {
    const std::string indent(28, ' ');
    if (launch.is_library_call) {
        const std::string how = launch.method.empty() ? "" : fmt::format(" ({})", launch.method);
        return fmt::format("{}a library computes it{}: nothing is fused with it\n", indent, how);
    }
    std::vector<std::string> shown;
    std::set<std::string> own, again;
    size_t more = 0;
    for (const std::string& reason : reasons_of(launch, programs)) {
        const std::string kind = without_shapes(reason);
        if (!own.contains(kind) && told.contains(kind)) {
            again.insert(kind);
        } else if (own.size() < most_reasons || own.contains(kind)) {
            own.insert(kind);
            shown.push_back(reason);
        } else {
            ++more;
        }
    }
    told.insert(own.begin(), own.end());
    std::string text = folded(shown, indent);
    if (!again.empty())
        text += fmt::format("{}{} given above\n", indent, counted(int64_t(again.size()), "reason"));
    if (more > 0) text += fmt::format("{}and {}, see below\n", indent, counted(more, "reason"));
    return text;
}

std::string speed_of(const StaticGraphStatistics& s) {
    if (s.timed_calls == 0 || s.interpreted_calls > 0) return "";
    const double compiled = (s.follow_seconds + s.compute_seconds) / double(s.timed_calls);
    if (s.timed_eager_calls == 0)
        return fmt::format(
            "  {:.3f} ms per call; calls without compiled code (the setting use_static_graph off) "
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
        if (program::JointExecutable* joint = program->compiled().joint()) {
            const program::Cut& cut = joint->cut();
            const std::string text = fmt::format(
                "forward ends here, {} bytes are saved; backward, compiled together with it{}",
                cut.saved_bytes, program->compiled().ran_backward() ? "" : ", has not run yet");
            programs.push_back(
                {{program, program->compiled().joint_trace(), joint}, cut.launch, text});
        } else if (program->compiled().executable()) {
            programs.push_back(
                {{program, program->compiled().forward(), program->compiled().executable()}});
        }
        if (!program->plan().graph()) continue;
        std::lock_guard graph(program->plan().graph()->mutex);
        if (program->plan().graph()->executable)
            programs.push_back({{entry.tree, program->plan().graph()->backward_trace(),
                                 program->plan().graph()->executable.get()}});
    }
    return programs;
}

std::vector<CompiledProgram> compiled_programs(const Entry& entry) {
    std::vector<CompiledProgram> programs;
    std::lock_guard tree(entry.tree->mutex);
    for (const auto& ending : entry.tree->endings()) {
        const std::shared_ptr<Program>& program = ending->program;
        if (!program) continue;
        if (program->compiled().executable())
            programs.push_back(
                {program, program->compiled().forward(), program->compiled().executable()});
        if (!program->plan().graph()) continue;
        std::lock_guard graph(program->plan().graph()->mutex);
        if (program->compiled().joint() && program->compiled().ran_backward())
            programs.push_back({program, program->plan().graph()->backward_trace(),
                                &program->compiled().joint()->backward()});
        if (program->plan().graph()->executable)
            programs.push_back({entry.tree, program->plan().graph()->backward_trace(),
                                program->plan().graph()->executable.get()});
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
    std::string text = fmt::format(
        "  {}: {} recorded ops, {} of them fused; {}: {} of kernels ({}), {}\n",
        counted(int64_t(programs.size()), "program"), recorded, sum.fused_ops,
        counted(sum.steps, "launch"), sum.steps - sum.library_calls,
        counted(sum.kernels, "different kernel"), counted(sum.library_calls, "library call"));
    text += fmt::format("  {} bytes of code, {} bytes of temporaries", sum.code_bytes, arena);
    if (sum.channels_last > 0)
        text +=
            fmt::format("; {} stored with the channels last", counted(sum.channels_last, "image"));
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
    const std::vector<MachineShares> shares = known_machine_shares(profile);
    std::set<std::string> told;
    for (size_t i = 0; i < shown; ++i)
        text += describe(profile.rows[i], profile.is_timed, shares[i]) +
                why_apart(profile.rows[i].launch, programs, told);
    return text;
}

std::string folded(const std::vector<std::string>& lines, const std::string& indent) {
    struct Kind {
        std::string_view first;
        int times = 1;
        bool is_of_several_shapes = false;
    };
    std::vector<std::pair<std::string, Kind>> kinds;
    for (const std::string& line : lines) {
        const std::string key = without_shapes(line);
        auto known = std::ranges::find(kinds, key, &std::pair<std::string, Kind>::first);
        if (known == kinds.end()) {
            kinds.emplace_back(key, Kind{line});
        } else {
            ++known->second.times;
            known->second.is_of_several_shapes |= known->second.first != line;
        }
    }
    std::string text;
    for (const auto& [key, kind] : kinds) {
        text += indent + std::string(kind.first);
        if (kind.times > 1)
            text += fmt::format(" ({} times{})", kind.times,
                                kind.is_of_several_shapes ? ", with this and other shapes" : "");
        text += "\n";
    }
    return text;
}

}  // namespace catena::capture
