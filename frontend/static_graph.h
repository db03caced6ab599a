#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <source_location>
#include <string>

#include "frontend/flatten.h"
#include "frontend/open_size.h"

namespace catena {

/// How often the user's code runs. At a call that does not follow it, arguments, hyperparameters (`Cell`s) and states are
/// this call's; numbers and arrays that the code captured are those of the last call that was followed.
enum class Audit {
    never,    ///< Once per key. The user's word: the code has no state of its own, its path depends on the key alone.
    sampled,  ///< At calls 1, 2, 4, 8, ... and then every 1024th of a key. The same word, now and then looked at.
    always,   ///< At every call: the region does what the code says.
};

/// What computes a program that was met for the first time.
enum class CompileMode {
    now,         ///< Compiled code: the call waits for the compiler.
    later,       ///< The eager kernels; compiled at the second call that takes it.
    background,  ///< The eager kernels, until a thread beside has compiled it.
};

struct StaticGraphOptions {
    std::string name = "region";  ///< Names the region in dumps and messages.
    Audit audit = Audit::always;
    CompileMode compile_mode = CompileMode::now;
    /// Keep the gradients of variables that the region also updates. Otherwise reading them is an error.
    bool keep_grads = false;
    /// A host read of a computed value (item(), data(), printing) cuts the program in two. False: it is a TraceError.
    bool breaks = true;
    /// Compare every call with the eager kernels, operation by operation where they differ (docs/static_graph.md). Slow.
    bool verify = false;
    /// Programs of the region take about this many bytes at most; the longest unused are dropped and compiled again
    /// when they are needed. The program in use stays.
    size_t cache_bytes = size_t(256) << 20;
};

/// How a region becomes a file, see StaticGraph::save.
struct PackageOptions {
    std::vector<std::string> input_names = {}; ///< Default "x", or "x0", "x1", ...
    std::vector<std::string> output_names = {}; ///< Default "y", or "y0", "y1", ...
    std::vector<OpenSize> open_sizes = {};  ///< {{0, 0, "batch"}}: the first axis of the first input is the caller's choice.
    /// Kinds of processors that code is made for: "avx512", "avx2", "scalar". When neither these nor devices are named, all of
    /// this architecture, or the device's where the region's arrays lie on one.
    std::vector<std::string> code_levels = {};
    /// CUDA devices that code is made for: "sm_90", or "compute_90" for PTX, which every later device takes. Beside
    /// `code_levels`, or alone. Needs NVRTC and no device.
    std::vector<std::string> cuda_architectures = {};
    bool stages = true;  ///< Keep the program's forms as text, for `catena show`.
};

/// Counters of one region, for tests and for users who wonder.
struct StaticGraphStatistics {
    int64_t calls = 0;
    int64_t eager_calls = 0;        ///< Switched off, or part of another region.
    int64_t compiled_calls = 0;     ///< All that the call computed ran as compiled code.
    int64_t interpreted_calls = 0;  ///< Some of it ran by the eager kernels: no compiler, compile_mode, debug mode, an error.
    int64_t followed_calls = 0;     ///< The user's code ran.
    int64_t mismatches = 0;         ///< Followed calls that took another way than any before.
    int64_t cuts = 0;               ///< Host reads of computed values, over all calls.
    int64_t programs = 0;           ///< Programs compiled.
    int64_t dropped = 0;            ///< Programs that made room for others.
    double compile_seconds = 0;     ///< Passes and code generation.
    int64_t timed_calls = 0;        ///< Followed calls of which the next was taken.
    double follow_seconds = 0;      ///< In the user's code and following it, without what it computed,
    double compute_seconds = 0;     ///< and that.
};

/// One region: its recorded programs and what follows and runs them. Several threads may call it at once. static_graph() wraps it for a callable.
class StaticRegion {
public:
    StaticRegion(StaticGraphOptions options, const std::source_location& at);
    ~StaticRegion();
    StaticRegion(const StaticRegion&) = delete;

    /// Runs the user's code and lists the results in `outputs`.
    using Body = std::function<void(Flat& outputs)>;
    struct Outcome {
        bool replayed = false;  ///< False: the body ran and has the result.
        Flat outputs;           ///< Of a call without it, in the order the body lists them.
        /// For later calls without it: the result without its Variables, which the wrapper makes. Null: there will be none.
        std::shared_ptr<std::shared_ptr<void>> result_template;
    };
    Outcome call(const Flat& arguments, const Body& body);

    /// Runs the user's code on these Variables in the places of its arguments.
    using Rerun = std::function<void(const Flat& arguments, Flat& outputs)>;
    void save(const std::string& path, const PackageOptions& options, const Rerun& rerun) const;

    std::string explain() const;
    StaticGraphStatistics statistics() const;
    void clear();  ///< Forgets all programs.

private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

/// ValueError: the arguments of the region cannot be copied, so it cannot be called on others.
[[noreturn]] void fail_to_rerun();

/// ValueError: a StaticFunction is called that no region was assigned to.
[[noreturn]] void fail_without_region();

/// A callable whose arithmetic is compiled. Made by static_graph().
template <class F>
class StaticGraph {
public:
    StaticGraph(F f, StaticGraphOptions options, const std::source_location& at)
        : f_(std::move(f)), region_(std::make_unique<StaticRegion>(std::move(options), at)), shared_(std::make_unique<Shared>()) {}

    template <class... Arguments>
        requires std::invocable<F&, Arguments&...>
    auto operator()(Arguments&&... arguments) {
        using Result = std::invoke_result_t<F&, Arguments&...>;
        Flat flat;
        (add(flat, std::as_const(arguments)), ...);
        if constexpr ((std::copy_constructible<std::remove_cvref_t<Arguments>> && ...))
            std::call_once(shared_->remembered, [&] { remember(arguments...); });
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

    /// Writes the program of the last call to a file that Program::load runs without a compiler: schedule, code, and the
    /// present parameters, optimizer moments and other states, which it goes on changing by itself. ValueError naming op and
    /// line when a file cannot hold it; CompileError without a linker.
    void save(const std::string& path, const PackageOptions& options = {}) {
        region_->save(path, options, [this](const Flat& arguments, Flat& outputs) {
            if (!shared_->rerun) fail_to_rerun();
            shared_->rerun(f_, arguments, outputs);
        });
    }

    /// What was captured and fused, what was not and why, and every program with its hits and times.
    std::string explain() const { return region_->explain(); }
    StaticGraphStatistics statistics() const { return region_->statistics(); }
    /// Forgets all programs; the next call records anew.
    void clear() { region_->clear(); }

private:
    /// Keeps how the callable is called, without the Variables.
    template <class... Arguments>
    void remember(const Arguments&... arguments) {
        auto mould = std::make_shared<std::tuple<std::remove_cvref_t<Arguments>...>>(arguments...);
        fill(*mould, nullptr);
        shared_->rerun = [mould](F& f, const Flat& given, Flat& outputs) {
            auto filled = *mould;
            fill(filled, &given);
            using Result = decltype(std::apply(f, filled));
            if constexpr (std::is_void_v<Result>) {
                std::apply(f, filled);
            } else {
                const auto result = std::apply(f, filled);
                add(outputs, result);
            }
        };
    }
    template <class Tuple>
    static void fill(Tuple& tuple, const Flat* from) {
        FillVariables variables{from};
        visit_values(tuple, variables, [](uint64_t) {});
    }

    template <class T>
    static void add(Flat& flat, const T& value) {
        visit_values(
            value, [&](const Variable& v) { flat.variables.push_back(v); },
            [&](uint64_t constant) { flat.signature.push_back(constant); });
    }
    // A result without its Variables serves as the mould of those of calls that do not run the code.
    template <class Result>
    static Result finish(std::optional<Result>& result, StaticRegion::Outcome& outcome) {
        if (!outcome.replayed) {
            if (outcome.result_template) {
                auto mould = std::make_shared<Result>(*result);
                visit_values(*mould, FillVariables{nullptr}, [](uint64_t) {});
                *outcome.result_template = mould;
            }
            return std::move(*result);
        }
        if constexpr (std::is_same_v<Result, Variable>) {
            return std::move(outcome.outputs.variables[0]);
        } else {
            Result filled = *static_cast<const Result*>(outcome.result_template->get());
            FillVariables variables{&outcome.outputs};
            visit_values(filled, variables, [](uint64_t) {});
            return filled;
        }
    }

    F f_;
    std::unique_ptr<StaticRegion> region_;
    /// How the callable is called on other Variables, from its first call.
    struct Shared {
        std::once_flag remembered;
        std::function<void(F&, const Flat&, Flat&)> rerun;
    };
    std::unique_ptr<Shared> shared_;
};

/// Marks a callable of Variables (a lambda, a free function, a Chain's call) as a static region. Its code runs at every
/// call, and the arithmetic in it is done by compiled code when it has ended, or where the host reads a value. Remove the
/// wrapper and the program is the same, eager. A Chain is passed as std::ref(chain): it is not copied and must outlive the
/// result.
template <class F>
auto static_graph(F f, StaticGraphOptions options = {},
                  const std::source_location& at = std::source_location::current()) {
    return StaticGraph<F>(std::move(f), std::move(options), at);
}
/// The same with a name and no other options: `static_graph(f, "step")`.
template <class F, std::convertible_to<std::string_view> Name>
auto static_graph(F f, const Name& name, const std::source_location& at = std::source_location::current()) {
    return StaticGraph<F>(std::move(f), {.name = std::string(std::string_view(name))}, at);
}

}  // namespace catena
