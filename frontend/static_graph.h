#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <source_location>
#include <string>

#include "frontend/flatten.h"

namespace catena {

/// How often the user's code is run again on shapes only, to see whether it still is the program that was compiled.
enum class Audit {
    never,    ///< The code runs once per program.
    sampled,  ///< At calls 2, 4, 8, ... and then every 1024th.
    always,   ///< At every call: prints, counters and control flow keep working.
};

struct StaticGraphOptions {
    std::string name = "region";  ///< Names the region in dumps and messages.
    Audit audit = Audit::sampled;
    /// Keep the gradients of variables that the region also updates. Otherwise reading them is an error.
    bool keep_grads = false;
    /// The first call runs compiled, too, so that a resumed training repeats the bits of the uninterrupted one. The
    /// code is then run on shapes only, and must bear that.
    bool compile_first_call = false;
    /// Programs of the region take about this many bytes at most; the longest unused are dropped and compiled again
    /// when they are needed. The program in use stays.
    size_t cache_bytes = size_t(256) << 20;
};

/// Counters of one region, for tests and for users who wonder.
struct StaticGraphStatistics {
    int64_t calls = 0;
    int64_t eager_calls = 0;     ///< Ran the user's code for real.
    int64_t compiled_calls = 0;
    int64_t audits = 0;
    int64_t mismatches = 0;      ///< Audits that saw another program.
    int64_t programs = 0;        ///< Programs made: one per key and sizes.
    int64_t dropped = 0;         ///< Programs that made room for others.
    double compile_seconds = 0;  ///< Passes and code generation.
};

/// One region: its recorded programs and what replays them. static_graph() wraps it for a callable.
class StaticRegion {
public:
    StaticRegion(StaticGraphOptions options, const std::source_location& at);
    ~StaticRegion();
    StaticRegion(const StaticRegion&) = delete;

    /// Runs the user's code and lists the results in `outputs`.
    using Body = std::function<void(Flat& outputs)>;
    struct Outcome {
        bool replayed = false;              ///< False: the body ran and has the result.
        SmallVector<Variable, 4> outputs;   ///< Of a replay, in the order the body lists them.
        std::shared_ptr<void>* result_template = nullptr;  ///< Of the program that ran; the wrapper fills it.
    };
    Outcome call(const Flat& arguments, const Body& body);

    std::string explain() const;
    StaticGraphStatistics statistics() const;
    void clear();  ///< Forgets all programs.

private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

/// A callable that is recorded at its first call and runs compiled from then on. Made by static_graph().
template <class F>
class StaticGraph {
public:
    StaticGraph(F f, StaticGraphOptions options, const std::source_location& at)
        : f_(std::move(f)), region_(std::make_unique<StaticRegion>(std::move(options), at)) {}

    template <class... Arguments>
        requires std::invocable<F&, Arguments&...>
    auto operator()(Arguments&&... arguments) {
        using Result = std::invoke_result_t<F&, Arguments&...>;
        Flat flat;
        (add(flat, std::as_const(arguments)), ...);
        if constexpr (std::is_void_v<Result>) {
            region_->call(flat, [&](Flat&) { f_(arguments...); });
        } else {
            std::optional<Result> result;
            StaticRegion::Outcome outcome = region_->call(flat, [&](Flat& outputs) {
                result.emplace(f_(arguments...));
                add(outputs, *result);
            });
            return finish(result, outcome);
        }
    }

    /// What was captured and fused, what was not and why, and every program with its hits and times.
    std::string explain() const { return region_->explain(); }
    StaticGraphStatistics statistics() const { return region_->statistics(); }
    /// Forgets all programs; the next call records anew.
    void clear() { region_->clear(); }

private:
    template <class T>
    static void add(Flat& flat, const T& value) {
        visit_values(
            value, [&](const Variable& v) { flat.variables.push_back(v); },
            [&](uint64_t constant) { flat.signature.push_back(constant); });
    }
    // A result without its Variables serves as the mould of later ones: the code that made it no longer runs.
    template <class Result>
    static Result finish(std::optional<Result>& result, StaticRegion::Outcome& outcome) {
        if (result && outcome.result_template && !*outcome.result_template) {
            auto mould = std::make_shared<Result>(*result);
            visit_values(*mould, [](Variable& v) { v = Variable(); }, [](uint64_t) {});
            *outcome.result_template = mould;
        }
        if (!outcome.replayed) return std::move(*result);
        if constexpr (std::is_same_v<Result, Variable>) {
            return std::move(outcome.outputs[0]);
        } else {
            Result filled = *static_cast<const Result*>(outcome.result_template->get());
            size_t next = 0;
            visit_values(filled, [&](Variable& v) { v = outcome.outputs[next++]; }, [](uint64_t) {});
            return filled;
        }
    }

    F f_;
    std::unique_ptr<StaticRegion> region_;
};

/// Marks a callable of Variables (a lambda, a free function, a Chain's call) as a static region. Its first call runs
/// as it is and is recorded; later calls run the compiled program. Remove the wrapper and the program is
/// the same, eager. A Chain is passed as std::ref(chain): it is not copied and must outlive the result.
template <class F>
auto static_graph(F f, StaticGraphOptions options = {},
                  const std::source_location& at = std::source_location::current()) {
    return StaticGraph<F>(std::move(f), std::move(options), at);
}

}  // namespace catena
