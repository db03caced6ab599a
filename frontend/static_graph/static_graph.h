#pragma once

#include <atomic>
#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <source_location>
#include <string>

#include "frontend/static_graph/flatten.h"
#include "frontend/static_graph/open_size.h"
#include "frontend/static_graph/profile.h"
#include "runtime/core/function_ref.h"
#include "runtime/core/kept_function.h"

namespace catena {

/// How often the user's code runs. A call that skips it uses its own arguments, hyperparameters
/// (`Cell`s) and states, but the numbers and arrays captured by the last call that ran the code.
enum class Audit {
    never,    ///< Once per key. You promise: the code has no state of its own, its path depends on
              ///< the key alone.
    sampled,  ///< At calls 1, 2, 4, 8, ... and then every 1024th of a key. The same promise,
              ///< checked at these calls.
    always,   ///< At every call: the region does what the code says.
};

/// How a new program is run.
enum class CompileMode {
    now,         ///< Compiled code: the call waits for the compiler.
    later,       ///< The eager kernels; compiled at its second call.
    background,  ///< The eager kernels, until a background thread has compiled it.
};

struct StaticGraphOptions {
    std::string name = "region";  ///< The region's name in dumps and messages.
    Audit audit = Audit::always;
    CompileMode compile_mode = CompileMode::now;
    /// Keep the gradients of variables that the region also updates. Otherwise reading them is an
    /// error.
    bool keep_grads = false;
    /// A host read of a computed value (item(), data(), printing) cuts the program in two. False:
    /// it is a TraceError.
    bool breaks = true;
    /// Compare every call with the eager kernels, operation by operation where they differ
    /// (docs/static_graph.md). Slow.
    bool verify = false;
    /// Approximate limit of the memory for the region's programs; the least recently used are
    /// evicted and compiled again when needed. The program in use is kept.
    size_t cache_bytes = size_t(256) << 20;
    /// Bytes of intermediate results that a program should hold at a time; 0: no limit. Under it,
    /// what the backward pass reads late is computed a second time instead of being kept: the same
    /// bits, more time. Parameters, states, arguments and results do not count. explain() says what
    /// was reached, and what other budgets would cost.
    size_t memory_budget = 0;
};

/// Options of StaticGraph::save.
struct PackageOptions {
    std::vector<std::string> input_names = {};   ///< Default "x", or "x0", "x1", ...
    std::vector<std::string> output_names = {};  ///< Default "y", or "y0", "y1", ...
    std::vector<OpenSize> open_sizes =
        {};  ///< {{0, 0, "batch"}}: the first axis of the first input is the caller's choice.
    /// Instruction sets to generate code for: "avx512", "avx2", "scalar". If neither these nor
    /// devices are given: all of this architecture, or the device on which the region's arrays are.
    std::vector<std::string> code_levels = {};
    /// CUDA architectures to generate code for: "sm_90", or "compute_90" for PTX, which every later
    /// device accepts. With or without `code_levels`. Needs NVRTC but no device.
    std::vector<std::string> cuda_architectures = {};
    bool stages = true;  ///< Store the program after each stage as text, for `catena show`.
};

/// Counters of one region, for tests and diagnosis.
struct StaticGraphStatistics {
    int64_t calls = 0;
    int64_t eager_calls = 0;     ///< Switched off, part of another region, or while most are new.
    int64_t compiled_calls = 0;  ///< The whole call ran as compiled code.
    int64_t interpreted_calls =
        0;  ///< A part ran with the eager kernels: no compiler, compile_mode, debug mode, an error.
    int64_t followed_calls = 0;  ///< Calls that ran the user's code.
    int64_t mismatches = 0;      ///< Followed calls that took a new path.
    int64_t cuts = 0;            ///< Host reads of computed values, over all calls.
    int64_t programs = 0;        ///< Programs made,
    int64_t resized = 0;  ///< of these planned from the programs of other sizes, without compiling,
    int64_t from_disk = 0;  ///< and read from the disk, where an earlier process left them.
    int64_t dropped = 0;    ///< Programs evicted to save memory.
    double compile_seconds =
        0;                    ///< Time of passes and code generation, or of reading what they made.
    int64_t timed_calls = 0;  ///< Followed calls that were timed; never the first of a key.
    double follow_seconds = 0;      ///< In the user's code and its recording, without computing,
    double compute_seconds = 0;     ///< and in computing.
    int64_t timed_eager_calls = 0;  ///< Calls that were timed while regions were switched off,
    double eager_seconds = 0;       ///< and their time.
};

/// One region: records and runs its programs. Thread-safe. static_graph() wraps it for a callable.
class StaticRegion {
public:
    StaticRegion(StaticGraphOptions options, const std::source_location& at);
    ~StaticRegion();
    StaticRegion(const StaticRegion&) = delete;

    /// Runs the user's code and lists the results in `outputs`.
    using Body = FunctionRef<void(Flat& outputs)>;
    struct Outcome {
        bool replayed = false;  ///< False: the body ran and has stored the result.
        Flat outputs;           ///< Results of a call that skipped the body, in its order.
        /// For later calls that skip the body: the result without its Variables, stored by the
        /// wrapper. Null: not needed.
        std::shared_ptr<std::shared_ptr<void>> result_template;
    };
    Outcome call(const Flat& arguments, const Body& body);

    /// Runs the user's code with these Variables in place of its arguments.
    using Rerun = std::function<void(const Flat& arguments, Flat& outputs)>;
    void save(const std::string& path, const PackageOptions& options, const Rerun& rerun) const;

    std::string explain() const;
    RegionProfile profile() const;
    void save_html(const std::string& path) const;
    StaticGraphStatistics statistics() const;
    void clear();  ///< Removes all programs.

private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

/// Throws a ValueError: the region's arguments cannot be copied, so its code cannot be called with
/// others.
[[noreturn]] void fail_to_rerun();

/// ValueError: a StaticFunction is called that no region was assigned to.
[[noreturn]] void fail_without_region();

/// A callable whose arithmetic is compiled. Made by static_graph().
template <class F>
class StaticGraph {
public:
    StaticGraph(F f, StaticGraphOptions options, const std::source_location& at)
        : f_(std::move(f)),
          region_(std::make_unique<StaticRegion>(std::move(options), at)),
          shared_(std::make_unique<Shared>()) {}

    template <class... Arguments>
        requires std::invocable<F&, Arguments&...>
    auto operator()(Arguments&&... arguments) {
        using Result = std::invoke_result_t<F&, Arguments&...>;
        Flat flat;
        (add(flat, std::as_const(arguments)), ...);
        if constexpr ((std::copy_constructible<std::remove_cvref_t<Arguments>> && ...))
            if (!shared_->rerun.load(std::memory_order_acquire)) remember(arguments...);
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

    /// Writes the program of the last call to a file that Program::load runs without a compiler:
    /// schedule, code, and copies of the present parameters, optimizer moments and other states.
    /// ValueError naming op and line when it cannot be saved; CompileError without a linker.
    void save(const std::string& path, const PackageOptions& options = {}) {
        region_->save(path, options, [this](const Flat& arguments, Flat& outputs) {
            const RerunWith* rerun = shared_->rerun.load(std::memory_order_acquire);
            if (!rerun) fail_to_rerun();
            (*rerun)(f_, arguments, outputs);
        });
    }

    /// A report: what was recorded and fused, what was not and why, and every program with its hits
    /// and times.
    std::string explain() const { return region_->explain(); }
    /// The launches of its compiled programs, with their times as far as calls ran in a
    /// ProfileScope or with CATENA_PROFILE.
    RegionProfile profile() const { return region_->profile(); }
    /// Writes a page for a browser: the programs as launches and stages, with what is known of
    /// their costs.
    void save_html(const std::string& path) const { region_->save_html(path); }
    StaticGraphStatistics statistics() const { return region_->statistics(); }
    /// Removes all programs; the next call records again.
    void clear() { region_->clear(); }

private:
    using RerunWith = std::function<void(F&, const Flat&, Flat&)>;

    /// Stores how to call the callable again, without the Variables. Of several threads' first
    /// calls one is kept.
    template <class... Arguments>
    void remember(const Arguments&... arguments) {
        auto mould = std::make_shared<std::tuple<std::remove_cvref_t<Arguments>...>>(arguments...);
        fill(*mould, nullptr);
        auto rerun = std::make_unique<RerunWith>([mould](F& f, const Flat& given, Flat& outputs) {
            auto filled = *mould;
            fill(filled, &given);
            using Result = decltype(std::apply(f, filled));
            if constexpr (std::is_void_v<Result>) {
                std::apply(f, filled);
            } else {
                const auto result = std::apply(f, filled);
                add(outputs, result);
            }
        });
        const RerunWith* none = nullptr;
        if (shared_->rerun.compare_exchange_strong(none, rerun.get(), std::memory_order_acq_rel))
            rerun.release();
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
    // A result without its Variables is the prototype of the results of calls that skip the code.
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
    /// How to call the callable with other Variables, from its first call.
    struct Shared {
        std::atomic<const RerunWith*> rerun = nullptr;
        ~Shared() { delete rerun.load(); }
    };
    std::unique_ptr<Shared> shared_;
};

/// Marks a callable of Variables (a lambda, a free function, a link) as a static region. Its code
/// runs at every call; its array operations are executed by compiled code when it has returned, or
/// where the host reads a value. Without the wrapper the program is the same, eager. A link is
/// referred to, not copied, and must outlive the region: `static_graph(model)` trains model. One
/// that is moved in belongs to the region; other callables are copied, with the links that they
/// hold by value.
template <class F>
auto static_graph(F&& f, StaticGraphOptions options = {},
                  const std::source_location& at = std::source_location::current()) {
    return StaticGraph<KeptFunction<F>>(KeptFunction<F>(std::forward<F>(f)), std::move(options),
                                        at);
}
/// The same with a name and no other options: `static_graph(f, "step")`.
template <class F, std::convertible_to<std::string_view> Name>
auto static_graph(F&& f, const Name& name,
                  const std::source_location& at = std::source_location::current()) {
    return static_graph(std::forward<F>(f),
                        StaticGraphOptions{.name = std::string(std::string_view(name))}, at);
}

}  // namespace catena
