#include "frontend/capture/kept/kept_programs.h"

#include <chrono>
#include <optional>

#include <nlohmann/json.hpp>

#include "frontend/capture/kept/fits_recording.h"
#include "frontend/capture/kept/program_key.h"
#include "frontend/compiler/compiler_loader.h"
#include "runtime/core/array/device.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/environment.h"
#include "runtime/core/system/environment_variables.h"
#include "runtime/core/system/error.h"
#include "runtime/file/disk_cache.h"
#include "runtime/profile/profiler.h"
#include "runtime/program/file/kept_schedule.h"
#include "runtime/program/run/joint_executable.h"
#include "runtime/program/schedule/check_lifetimes.h"

namespace catena::capture {
namespace {

using program::Schedule;

/// A program that is only read shows none of its stages.
bool compilations_are_shown() {
    for (const environment::VariableInfo& variable : environment::variables())
        if (variable.shows_compilation && environment::text(variable.name)) return true;
    return false;
}

/// Reads a kept schedule. Nothing where its code was removed from the cache, where the form is not
/// that of such a program, or where no memory was left to read it: it is compiled, and kept again.
std::optional<Schedule> read(std::string_view key, const Trace& trace) {
    try {
        const std::optional<std::string> form = DiskCache::instance().find(key);
        if (!form) return std::nullopt;
        Schedule schedule = program::schedule_of_kept(*form);
        if (fits_recording(schedule, trace)) return schedule;
    } catch (const FileError&) {
    } catch (const OutOfMemory&) {
    } catch (const std::bad_alloc&) {
    }
    return std::nullopt;
}

void check_against_compiled(const Schedule& read, const Trace& trace,
                            const CompileOptions& options) {
    const std::shared_ptr<Executable> executable = compiler().compile(trace, options);
    const Schedule& compiled = *program::schedule_of(*executable);
    const nlohmann::json differences =
        nlohmann::json::diff(program::kept_document(compiled), program::kept_document(read));
    if (differences.empty() && compiled.arena_bytes == read.arena_bytes) return;
    throw InternalError(fmt::format(
        "static_graph {}: the program from the disk is not as compiled, at {}, for {}", trace.name,
        differences.empty() ? "its memory plan" : differences[0].dump(), trace.to_string()));
}

}  // namespace

std::shared_ptr<Executable> compile_or_load(const Trace& trace, const CompileOptions& options) {
    const bool is_for_host = !options.device || options.device->is_host();
    std::string key;
    if (is_for_host && DiskCache::instance().on() && !compilations_are_shown())
        key = program_key(trace, options);
    if (!key.empty()) {
        const profile::Span span("read", trace.name);
        const auto start = std::chrono::steady_clock::now();
        if (std::optional<Schedule> schedule = read(key, trace)) {
            if (program::lifetimes_are_checked()) check_against_compiled(*schedule, trace, options);
            schedule->info.is_from_disk = true;
            schedule->info.compile_seconds =
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            return program::make_executable(std::move(*schedule));
        }
    }
    if (!compiler_available()) return nullptr;
    std::shared_ptr<Executable> executable = compiler().compile(trace, options);
    const Schedule* schedule = key.empty() ? nullptr : program::schedule_of(*executable);
    if (!schedule) return executable;
    if (const std::optional<std::string> form = program::kept_form(*schedule))
        DiskCache::instance().store(key, *form);
    return executable;
}

}  // namespace catena::capture
