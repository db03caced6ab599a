#pragma once

#include <concepts>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/static_graph/call/profile.h"
#include "frontend/static_graph/call/options.h"
#include "frontend/static_graph/call/region_call.h"
#include "frontend/static_graph/call/statistics.h"
#include "runtime/core/system/error.h"
#include "runtime/core/memory/kept_function.h"
#include "runtime/core/memory/owned.h"

namespace catena {

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
    /// The costs of the launches of its compiled programs, with times if calls ran in a
    /// ProfileScope or with CATENA_PROFILE.
    RegionProfile profile() const;
    /// Writes a page for a browser: the programs as launches and stages, with their known costs.
    void save_html(const std::string& path) const;
    /// Counters of the region.
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
    /// The region's implementation; ValueError for a region that was moved from.
    Implementation& there() const;
    Owned<Implementation> implementation_;
};

/// A callable whose arithmetic is compiled. Made by static_graph().
template <class F>
class StaticGraph : public StaticRegion {
public:
    /// A region of this callable; made by static_graph().
    StaticGraph(F f, StaticGraphOptions options, const std::source_location& at)
        : StaticRegion(std::move(options), at), f_(std::move(f)) {}
    StaticGraph(std::string_view name, F f, const std::source_location& at)
        : StaticRegion(name, at), f_(std::move(f)) {}

    /// Calls the region: runs its program for these arguments, recorded and compiled when it is the
    /// first of its kind.
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
/// Marks a callable as a static region with a name and no other options: `static_graph(f, "step")`.
template <class F, std::convertible_to<std::string_view> Name>
auto static_graph(F&& f, const Name& name,
                  const std::source_location& at = std::source_location::current()) {
    return StaticGraph<KeptFunction<F>>(std::string_view(name), KeptFunction<F>(std::forward<F>(f)),
                                        at);
}

}  // namespace catena
