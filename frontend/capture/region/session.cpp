#include "frontend/capture/region/session.h"

#include <mutex>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "frontend/capture/run/close_graph.h"
#include "frontend/capture/replay/replay.h"
#include "frontend/capture/run/verify.h"
#include "frontend/compiler/compiler_loader.h"
#include "frontend/compiler/compiling_threads.h"
#include "runtime/core/array/device.h"
#include "runtime/core/system/counted.h"
#include "runtime/core/system/environment.h"
#include "runtime/core/system/error.h"
#include "runtime/core/array/foreign_array.h"
#include "runtime/core/system/log.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/host_lock.h"

namespace catena::capture {
namespace {

/// The number of programs from which on a new one is compiled at its second use, or if for as many
/// calls as there are programs none has been: code that takes a new path at every call would
/// compile at every call.
constexpr int64_t programs_compiled_at_once = 16;
constexpr int64_t timed_every = 16;

std::string place_of(const Step& step) {
    return fmt::format("{} ({})", step.call->op->name, to_string(step.call->location));
}

/// Describes the difference between two steps at one place.
std::string difference_of_steps(const Step* expected, const Step* present_step) {
    if (!present_step)
        return expected ? "the code ends, keeps references to other arrays, or has results of "
                          "which backward asked for other gradients, after " +
                              place_of(*expected)
                        : "the code keeps references to other arrays";
    if (!expected)
        return fmt::format("the code continues with step {}, {}, where it ended before",
                           present_step->index, place_of(*present_step));
    const Step &was = *expected, &now = *present_step;
    if (was.call->op != now.call->op)
        return fmt::format("step {} was {}, now is {}", now.index, place_of(was), place_of(now));
    const std::string what = fmt::format("step {}, {}, ", now.index, place_of(now));
    const auto before = was.call->attributes.entries(), present = now.call->attributes.entries();
    for (size_t i = 0; i < std::min(before.size(), present.size()); ++i)
        if (const std::string is = to_string(present[i].value),
            was_value = to_string(before[i].value);
            is != was_value)  // -0 is not 0.
            return what + fmt::format("has {} = {}, before {}", present[i].name, is, was_value);
    for (size_t i = 0; i < std::min(was.inputs().size(), now.inputs().size()); ++i)
        if (!(was.inputs()[i].type == now.inputs()[i].type))
            return what + fmt::format("reads {}, before {}", to_string(now.inputs()[i].type),
                                      to_string(was.inputs()[i].type));
    return what + "reads other arrays than before";
}

}  // namespace

Session::Session(Region& region, Entry& entry, const CallNumber& number, const Flat& arguments,
                 const Flat& results)
    : region_(region),
      entry_(entry),
      number_(number),
      arguments_(arguments),
      results_(results),
      verifies_(verifies(region.options_)),
      is_timed_(number.of_key == 2 || number.of_key % timed_every == 0) {
    if (is_timed_) start_ = Clock::now();
}

void Session::count() {
    StaticGraphStatistics& s = region_.statistics_;
    ++s.followed_calls;
    ++(interpreted_ ? s.interpreted_calls : s.compiled_calls);
    region_.count_new(is_new_);
    s.cuts += cuts_;
    entry_.was_cut = cuts_ > 0;
    if (cuts_ > 0 && cut_at_.at.line != 0) entry_.cut_at = cut_at_;
    entry_.current = program_;
    if (replay_) program_->replay = replay_;
    if (!is_timed_) return;
    ++s.timed_calls;
    s.compute_seconds += std::chrono::duration<double>(computing_).count();
    s.follow_seconds +=
        std::chrono::duration<double>(Clock::now() - start_ - computing_ - compiling_).count();
}

void Session::left(const Step* now, const Step* expected) {
    std::lock_guard lock(region_.mutex_);
    ++region_.statistics_.mismatches;
    std::string line = fmt::format("static_graph {} ({}): the program changed at call {}: {}",
                                   region_.options_.name, to_string(region_.at_),
                                   region_.statistics_.calls, difference_of_steps(expected, now));
    const int64_t programs = region_.statistics_.programs;
    if (programs >= 8 && (programs & (programs - 1)) == 0 &&
        std::exchange(region_.programs_told_, programs) != programs)
        say(LogLevel::warning, fmt::format("{}; there are {} programs already", line, programs));
    region_.note(std::move(line));
}

const GraphEnd* Session::close_graph(FollowedCall& call, Variables& left) {
    const ClosedGraph closed = capture::close_graph(call, left);
    activation_ = closed.activation;
    return closed.graph;
}

std::shared_ptr<Program> Session::program_of(FollowedCall& call, Ending& ending) {
    std::lock_guard lock(call.cursor.tree().mutex);
    if (!ending.program) ending.program = std::make_shared<Program>(call, ending);
    return ending.program;
}

/// True when compiled code should run now.
bool Session::compile(Program& program) {
    if (!compiler_installed() || config().debug || program.plan().device().is_meta() ||
        program.plan().step_count() == 0)
        return false;
    if (program.compiled().is_ready()) return true;
    int64_t programs, calls_since;
    {
        std::lock_guard lock(region_.mutex_);
        programs = region_.statistics_.programs - region_.statistics_.resized;
        calls_since = region_.statistics_.calls - region_.last_compiling_call_;
    }
    const bool first = program.hits == 0;
    const CompileMode mode = region_.options_.compile_mode;
    if (first && mode == CompileMode::later) return false;
    const WithoutHostLock others_may_run;
    if (first && programs >= programs_compiled_at_once && calls_since <= programs) {
        if (program.compiled().resize()) compiled(region_, entry_.description, program);
        return program.compiled().is_ready();
    }
    if (mode == CompileMode::background) {
        compile_beside(program);
        return program.compiled().is_ready();
    }
    if (program.compiled().compile()) compiled(region_, entry_.description, program);
    return program.compiled().is_ready();
}

void Session::could_not_compile(Region& region, const std::string& description,
                                const char* why) noexcept {
    try {
        std::lock_guard lock(region.mutex_);
        region.note(fmt::format("a program for {} could not be compiled: {}", description, why));
    } catch (const std::bad_alloc&) {  // It goes on as eager code, and cannot even say why.
    }
}

void Session::compile_beside(Program& program) {
    if (!program.compiled().claim()) return;
    region_.beside_.begin();
    // The region's destructor waits for it. The thread has settings of its own.
    try {
        CompilingThreads::instance().start([&region = region_, tf32 = config().tf32,
                                            description = entry_.description, tree = entry_.tree,
                                            program = program.shared_from_this()]() mutable {
            const auto mode = using_config(&Config::tf32, tf32);
            try {
                if (program->compiled().compile()) compiled(region, description, *program);
            } catch (const std::exception& error) {
                could_not_compile(region, description, error.what());
            }
            program.reset();
            tree.reset();
            region.beside_.end();
        });
    } catch (const std::exception& error) {
        region_.beside_.end();
        could_not_compile(region_, entry_.description, error.what());
    }
}

void Session::compiled(Region& region, const std::string& description, Program& program) {
    const ReleaseLater after_unlocking;
    std::lock_guard lock(region.mutex_);
    // What eager code has left in the pool, one arena cannot be made of. Not for each size: their
    // arenas are made of each other.
    if (++region.statistics_.programs == 1 && program.plan().device().is_host())
        release_cached_memory();
    region.statistics_.resized += program.compiled().is_resized();
    region.statistics_.from_disk += program.compiled().is_from_disk();
    if (!program.compiled().is_resized()) region.last_compiling_call_ = region.statistics_.calls;
    region.statistics_.compile_seconds += program.compiled().seconds();
    region.note(fmt::format("call {}: {} {} for {} in {:.1f} ms", region.statistics_.calls,
                            program.compiled().is_resized() ? "planned, as for other sizes,"
                            : program.compiled().is_from_disk()
                                ? "read, as compiled by an earlier process,"
                                : "compiled",
                            counted(int64_t(program.plan().step_count()), "step"), description,
                            program.compiled().seconds() * 1e3));
    region.make_room(program);
    region.dump_explanation();
}

/// Limits the programs of a region: paths that are not compiled take memory, too.
void Session::make_room_if_new(const Program& program) {
    if (program.hits > 1) return;
    const ReleaseLater after_unlocking;
    std::lock_guard lock(region_.mutex_);
    region_.make_room(program);
}

void Session::compute(FollowedCall& call, Program& program) {
    const Clock::time_point before = is_timed_ ? Clock::now() : Clock::time_point();
    const bool is_compiled = compile(program);
    const Clock::time_point start = is_timed_ ? Clock::now() : Clock::time_point();
    compiling_ += start - before;
    const bool may_rest = program.plan().step_count() > 0 &&
                          !program.plan().sends_messages();  // All ranks run the same.
    is_new_ |= ++program.hits == 1 && may_rest && !program.compiled().is_resized() &&
               !program.compiled().is_from_disk();
    if (is_compiled) {
        try {
            if (verifies_ && !program.plan().sends_messages())
                run_verified(call, program, activation_);
            else
                program.run(call, activation_);
            if (activation_) activation_->verifies = verifies_;
        } catch (const VerificationError&) {
            throw;
        } catch (const OutOfMemory&) {
            throw;  // Other kernels would give other bits, unasked.
        } catch (const std::bad_alloc&) {
            throw;
        } catch (const std::exception&) {
            if (program.plan().sends_messages())
                throw;  // Messages must not be sent twice: everything is undone.
            // Computes the steps before the failing one in the user's order, and throws the error
            // of eager code.
            interpreted_ = true;
            program.interpret(call, activation_);
        }
    } else {
        interpreted_ = interpreted_ || program.plan().step_count() > 0;
        program.interpret(call, activation_);
        make_room_if_new(program);
    }
    if (is_timed_) computing_ += Clock::now() - start;
}

/// Describes this call, for calls that skip the code and for files.
void Session::remember(FollowedCall& call, const Ending& ending,
                       const std::shared_ptr<Program>& program) {
    program_ = program;
    cuts_ = call.cursor.cuts() + ending.is_cut;
    if (cuts_ > 0 || call.effects.is_passing()) return;
    std::shared_ptr<Replay> known;
    {
        std::lock_guard lock(region_.mutex_);
        known = program->replay;
        if (region_.options_.audit == Audit::always && known &&
            known->holds(call, *program, arguments_, results_))
            return;
    }
    replay_ = std::make_shared<Replay>(describe(call, activation_, *program, arguments_, results_));
}

void Session::run(FollowedCall& call, Ending& ending) {
    const std::shared_ptr<Program> program = program_of(call, ending);
    program->last_used = number_.of_region;
    if (ending.is_cut) cut_at_ = call.reader;
    remember(call, ending, program);
    compute(call, *program);
}

}  // namespace catena::capture
