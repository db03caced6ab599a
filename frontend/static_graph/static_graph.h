#pragma once

#include <concepts>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/static_graph/open_size.h"
#include "frontend/static_graph/profile.h"
#include "frontend/static_graph/region_call.h"
#include "runtime/core/error.h"
#include "runtime/core/kept_function.h"
#include "runtime/core/owned.h"

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
    /// Inputs whose memory the code may write to without Catena noticing (ndarrays, pointers that
    /// data() gave before the call) are copied when an operation first reads them, because the
    /// program runs later. False: you promise that the code does not write to what it has read;
    /// if it does, the operations before the write may read what it wrote.
    bool watches_memory = true;
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

template <class Signature>
class StaticFunction;

/// One region, whatever its callable: records and runs its programs. Thread-safe.
class StaticRegion {
public:
    StaticRegion(StaticRegion&&) noexcept;
    StaticRegion& operator=(StaticRegion&&) noexcept;
    ~StaticRegion();

    /// A report: what was recorded and fused, what was not and why, and every program with its hits
    /// and times.
    std::string explain() const;
    /// The launches of its compiled programs, with their times as far as calls ran in a
    /// ProfileScope or with CATENA_PROFILE.
    RegionProfile profile() const;
    /// Writes a page for a browser: the programs as launches and stages, with what is known of
    /// their costs.
    void save_html(const std::string& path) const;
    StaticGraphStatistics statistics() const;
    /// Removes all programs; the next call records again.
    void clear();

protected:
    StaticRegion(StaticGraphOptions options, const SourceLoc& at);
    StaticRegion(std::string_view name, const SourceLoc& at);
    /// Calls the callable, or does what it would do; the result is in `place`.
    void call(const RegionCall& how, void* callable, void* const* arguments, void* place);
    void save(const std::string& path, const PackageOptions& options, void* callable) const;

private:
    friend class AnyStaticFunction;
    struct Implementation;
    Implementation& there() const;  ///< ValueError for one that was moved from.
    Owned<Implementation> implementation_;
};

/// A callable whose arithmetic is compiled. Made by static_graph().
template <class F>
class StaticGraph : public StaticRegion {
public:
    StaticGraph(F f, StaticGraphOptions options, const std::source_location& at)
        : StaticRegion(std::move(options), at), f_(std::move(f)) {}
    StaticGraph(std::string_view name, F f, const std::source_location& at)
        : StaticRegion(name, at), f_(std::move(f)) {}

    template <class... Arguments>
        requires std::invocable<F&, Arguments&...>
    auto operator()(Arguments&&... arguments) {
        using Code = detail::RegionCode<F, std::index_sequence_for<Arguments...>, Arguments...>;
        void* const list[] = {detail::address(arguments)..., nullptr};
        detail::Place<typename Code::Result> place;
        call(Code::call, detail::address(f_), list, &place);
        return place.take();
    }

    /// Writes the program of the last call to a file that Program::load runs without a compiler:
    /// schedule, code, and copies of the present parameters, optimizer moments and other states.
    /// ValueError naming op and line when it cannot be saved; CompileError without a linker.
    void save(const std::string& path, const PackageOptions& options = {}) {
        StaticRegion::save(path, options, detail::address(f_));
    }

private:
    template <class Signature>
    friend class StaticFunction;
    F f_;
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
    return StaticGraph<KeptFunction<F>>(std::string_view(name), KeptFunction<F>(std::forward<F>(f)),
                                        at);
}

}  // namespace catena
