#include "frontend/capture/planned/known_sizes.h"

#include <algorithm>
#include <chrono>

#include "frontend/capture/kept/kept_programs.h"
#include "frontend/capture/planned/is_sound.h"
#include "frontend/capture/planned/known_loops.h"
#include "frontend/capture/planned/trace_numbers.h"
#include "frontend/compiler/compiler_loader.h"
#include "runtime/core/array/device.h"
#include "runtime/core/system/environment.h"
#include "runtime/core/system/error.h"
#include "runtime/program/run/joint_executable.h"
#include "runtime/program/schedule/check_lifetimes.h"
#include "runtime/program/stream/schedule_numbers.h"

namespace catena::capture {
namespace {

constexpr size_t most_singles = 16, most_lines = 16;

bool plans_sizes() {
    static const bool on = environment::flag("CATENA_PLAN_SIZES", true);
    return on;
}

/// The executable's schedule; null for programs of devices.
std::shared_ptr<const program::Schedule> schedule_of(
    const std::shared_ptr<Executable>& executable) {
    const program::Schedule* schedule = program::schedule_of(*executable);
    return schedule ? std::shared_ptr<const program::Schedule>(executable, schedule) : nullptr;
}

/// The schedule of a trace, compiled before it is needed; null if it cannot be compiled.
std::shared_ptr<const program::Schedule> compile_ahead(const Trace& trace,
                                                       const CompileOptions& options) {
    try {
        const std::shared_ptr<Executable> executable = compile_or_load(trace, options);
        return executable ? schedule_of(executable) : nullptr;
    } catch (const CompileError&) {
        return nullptr;
    }
}

/// InternalError unless compiling gives the schedule that was computed.
void check_against_compiled(const program::Schedule& resized, const SizeLine& line,
                            const Trace& trace, const CompileOptions& options) {
    const std::shared_ptr<const program::Schedule> compiled =
        schedule_of(compiler().compile(trace, options));
    auto fail_with = [&](const std::string& what) {
        throw InternalError(
            fmt::format("static_graph {}: planned from other sizes, {} is not as compiled for {}",
                        trace.name, what, trace.to_string()));
    };
    if (const std::string what = line.difference_to(*compiled); !what.empty()) fail_with(what);
    const std::vector<int64_t> a = program::numbers_of(resized), b = program::numbers_of(*compiled);
    for (size_t i = 0; i < a.size(); ++i)
        if (a[i] != b[i])
            fail_with(fmt::format("number {} is {} instead of {}, which", i, a[i], b[i]));
    if (resized.arena_bytes != compiled->arena_bytes) fail_with("the memory plan");
    for (size_t k = 0; k < resized.kernels.size(); ++k)
        if (resized.kernels[k].numbers != compiled->kernels[k].numbers)
            fail_with(fmt::format("kernel {}", k));
}

void check_against_compiled(const LoopLine::Derived& derived, const Trace& trace,
                            const CompileOptions& options) {
    const std::shared_ptr<const program::Schedule> compiled =
        schedule_of(compiler().compile(trace, options));
    const auto stream = program::ScheduleStream::of(*compiled);
    if (!stream || stream->tokens() != derived.tokens) {
        const auto differing = stream
                                   ? std::ranges::mismatch(stream->tokens(), derived.tokens).in1 -
                                         stream->tokens().begin()
                                   : 0;
        throw InternalError(
            fmt::format("static_graph {}: planned from other numbers of turns of its loops, number "
                        "{} of {} is not as "
                        "compiled for {}",
                        trace.name, differing, derived.tokens.size(), trace.to_string()));
    }
    for (size_t l = 0; l < compiled->launches.size(); ++l)
        for (size_t k = 0; k < compiled->launches[l].kernels.size(); ++k) {
            const auto kernel = [&](const program::Schedule& s) -> const program::KernelLaunch& {
                return s.kernels[size_t(s.launches[l].kernels[k])];
            };
            if (kernel(*compiled).numbers != kernel(derived.copied.schedule).numbers)
                throw InternalError(
                    fmt::format("static_graph {}: kernel {} of launch {} is not as compiled",
                                trace.name, k, l));
        }
}

}  // namespace

KnownSizes::KnownSizes(int64_t memory_budget)
    : memory_budget_(memory_budget), loops_(std::make_unique<KnownLoops>()) {}

KnownSizes::~KnownSizes() = default;

/// The program for sizes between compiled ones; null if it is not sure.
std::shared_ptr<Executable> KnownSizes::between(SizeLine& line, const Trace& trace,
                                                int64_t position, const CompileOptions& options) {
    const auto start = std::chrono::steady_clock::now();
    std::optional<program::Schedule> schedule = line.schedule_at(position, trace);
    if (!schedule || !is_sound(*schedule, trace)) return nullptr;
    if (program::lifetimes_are_checked()) check_against_compiled(*schedule, line, trace, options);
    schedule->info.compile_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return program::make_executable(std::move(*schedule), false);
}

/// Sizes that grow are never between known ones, so one is compiled that is as much larger than
/// `position` as that is than the least. If there is no such program, nothing happens.
void KnownSizes::reach_beyond(SizeLine& line, int64_t position, const CompileOptions& options) {
    int64_t further = 2 * position - *line.first();
    for (int tries = 0; tries < 16 && !line.is_ordinary(further); ++tries) ++further;
    if (!line.is_ordinary(further)) return;
    const std::optional<Trace> trace = with_numbers(line.trace(), line.numbers_at(further));
    if (!trace) return;
    if (auto schedule = compile_ahead(*trace, options))
        line.add(further, *trace, std::move(schedule));
}

std::shared_ptr<Executable> KnownSizes::resize(const Trace& trace, CompileOptions options) {
    options.memory_budget = memory_budget_;
    if (!plans_sizes() || (options.device && !options.device->is_host())) return nullptr;
    std::lock_guard lock(mutex_);
    std::vector<int64_t> numbers;
    for (size_t i = 0; i < lines_.size(); ++i) {
        SizeLine& line = *lines_[i].sizes;
        if (lines_[i].fast_math != options.fast_math ||
            !differ_in_numbers_only(line.trace(), trace))
            continue;
        if (numbers.empty()) numbers = numbers_of(trace);
        const std::optional<int64_t> position = line.position_of(numbers);
        if (!position || !line.is_ordinary(*position)) continue;
        if (*position > *line.last()) reach_beyond(line, *position, options);
        std::shared_ptr<Executable> made = between(line, trace, *position, options);
        if (!made) continue;
        std::rotate(lines_.begin(), lines_.begin() + ptrdiff_t(i),
                    lines_.begin() + ptrdiff_t(i) + 1);
        return made;
    }
    return resize_loops(trace, options);
}

std::shared_ptr<Executable> KnownSizes::resize_loops(const Trace& trace,
                                                     const CompileOptions& options) {
    const auto start = std::chrono::steady_clock::now();
    std::optional<LoopLine::Derived> derived =
        loops_->schedule_for(trace, options.fast_math,
                             [&](const Trace& longer) { return compile_ahead(longer, options); });
    if (!derived) return nullptr;
    program::Schedule& schedule = derived->copied.schedule;
    if (!is_sound(schedule, trace)) return nullptr;
    if (program::lifetimes_are_checked()) check_against_compiled(*derived, trace, options);
    schedule.info.compile_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return program::make_executable(std::move(schedule), false);
}

KnownSizes::Made KnownSizes::compile(const std::shared_ptr<const Trace>& trace,
                                     CompileOptions options) {
    options.memory_budget = memory_budget_;
    if (std::shared_ptr<Executable> resized = resize(*trace, options))
        return {std::move(resized), true};
    std::shared_ptr<Executable> executable = compile_or_load(*trace, options);
    if (!executable) return {};
    remember(trace, executable, options.fast_math);
    const bool is_from_disk = executable->info().is_from_disk;
    return {std::move(executable), false, is_from_disk};
}

void KnownSizes::remember(const std::shared_ptr<const Trace>& trace,
                          const std::shared_ptr<Executable>& executable, bool fast_math) {
    const std::shared_ptr<const program::Schedule> schedule = schedule_of(executable);
    if (!plans_sizes() || !schedule || trace->values.empty()) return;
    std::lock_guard lock(mutex_);
    const std::vector<int64_t> numbers = numbers_of(*trace);
    bool is_on_line = false;
    for (Line& line : lines_) {
        if (line.fast_math != fast_math || !differ_in_numbers_only(line.sizes->trace(), *trace))
            continue;
        const std::optional<int64_t> position = line.sizes->position_of(numbers);
        is_on_line = is_on_line || position;
        if (position && line.sizes->is_ordinary(*position))
            line.sizes->add(*position, *trace, schedule);
    }
    if (!is_on_line) begin_line(*trace, schedule, fast_math);
    loops_->remember(trace, executable, schedule, fast_math);
    singles_.push_front({trace, executable, fast_math});
    if (singles_.size() > most_singles) singles_.pop_back();
}

/// A line through this program and the single one that differs from it in the fewest numbers.
void KnownSizes::begin_line(const Trace& trace,
                            const std::shared_ptr<const program::Schedule>& schedule,
                            bool fast_math) {
    const std::vector<int64_t> numbers = numbers_of(trace);
    std::unique_ptr<SizeLine> best;
    std::shared_ptr<const Trace> other_trace;
    std::shared_ptr<const program::Schedule> other_schedule;
    std::vector<int64_t> other_numbers;
    size_t fewest = numbers.size() + 1;
    for (const Single& single : singles_) {
        const std::shared_ptr<const Trace> other = single.trace.lock();
        const std::shared_ptr<Executable> executable = single.executable.lock();
        if (!other || !executable || single.fast_math != fast_math ||
            !differ_in_numbers_only(*other, trace))
            continue;
        std::vector<int64_t> theirs = numbers_of(*other);
        size_t differing = 0;
        for (size_t i = 0; i < numbers.size(); ++i) differing += numbers[i] != theirs[i];
        if (differing >= fewest) continue;
        if (std::unique_ptr<SizeLine> line = SizeLine::through(trace, theirs, numbers)) {
            best = std::move(line);
            other_trace = other;
            other_schedule = schedule_of(executable);
            other_numbers = std::move(theirs);
            fewest = differing;
        }
    }
    if (!best) return;
    best->add(*best->position_of(other_numbers), *other_trace, other_schedule);
    best->add(*best->position_of(numbers), trace, schedule);
    lines_.push_front({std::move(best), fast_math});
    if (lines_.size() > most_lines) lines_.pop_back();
}

}  // namespace catena::capture
