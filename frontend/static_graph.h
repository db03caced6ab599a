#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <source_location>
#include <string>

#include "frontend/flatten.h"
#include "frontend/open_size.h"

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

/// How a region becomes a file, see StaticGraph::save.
struct PackageOptions {
    std::vector<std::string> input_names;   ///< Default "x", or "x0", "x1", ...
    std::vector<std::string> output_names;  ///< Default "y", or "y0", "y1", ...
    std::vector<OpenSize> open_sizes;       ///< {{0, 0, "batch"}}: the first axis of the first input is the caller's choice.
    /// Kinds of processors that code is made for: "avx512", "avx2", "scalar". When neither these nor devices are named, all of
    /// this architecture, or the device's where the region's arrays lie on one.
    std::vector<std::string> code_levels;
    /// CUDA devices that code is made for: "sm_90", or "compute_90" for PTX, which every later device takes. Beside
    /// `code_levels`, or alone. Needs NVRTC and no device.
    std::vector<std::string> cuda_architectures;
    bool stages = true;  ///< Keep the program's forms as text, for `catena show`.
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
        if constexpr ((std::copy_constructible<std::remove_cvref_t<Arguments>> && ...))
            if (!rerun_) remember(arguments...);
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
            if (!rerun_) fail_to_rerun();
            rerun_(f_, arguments, outputs);
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
        rerun_ = [mould](F& f, const Flat& given, Flat& outputs) {
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
    std::function<void(F&, const Flat&, Flat&)> rerun_;
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
