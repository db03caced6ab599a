#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "frontend/static_graph/static_graph.h"

namespace catena {

/// Base of all StaticFunctions.
class AnyStaticFunction {
public:
    /// Writes the program of the last call to a file; see StaticGraph::save.
    void save(const std::string& path, const PackageOptions& options = {}) const;
    /// What became of the region's operations, as StaticGraph::explain.
    std::string explain() const;
    /// The costs of the region's launches, as StaticGraph::profile.
    RegionProfile profile() const;
    /// Writes a page on the region, as StaticGraph::save_html.
    void save_html(const std::string& path) const;
    /// Counters of the region, as StaticGraph::statistics.
    StaticGraphStatistics statistics() const;
    /// Drops all programs of the region, as StaticGraph::clear.
    void clear() const;
    /// Whether there is a region to call.
    explicit operator bool() const { return bool(region_); }

protected:
    AnyStaticFunction() = default;
    AnyStaticFunction(StaticRegion* owned, void (*destroy)(StaticRegion*), void* callable);
    /// The region; ValueError when there is none.
    const std::shared_ptr<StaticRegion>& region() const;

private:
    std::shared_ptr<StaticRegion> region_;
    void* callable_ = nullptr;
};

/// Any region that is called with these types; see the specialization for functions.
template <class Signature>
class StaticFunction;

/// Any region that is called with these types, whatever its callable: the type for a member, an
/// argument or a list's element.
///
///     struct Trainee {
///         Model model;
///         ct::StaticFunction<ct::Variable(ct::Variable, ct::Variable)> step =
///             ct::static_graph([this](ct::Variable x, ct::Variable t) { return loss(x, t); },
///             "step");
///     };
///
/// It records, compiles, differentiates, saves and counts as the region it was made from. Copies
/// share that region, so a copied class whose region captured `this` still runs the first object's
/// code: give the copy a region of its own.
template <class Result, class... Arguments>
class StaticFunction<Result(Arguments...)> : public AnyStaticFunction {
public:
    /// An object without a region: every use except bool() is a ValueError.
    StaticFunction() = default;
    /// A function that calls a region of any callable.
    template <class F>
        requires std::is_invocable_r_v<Result, F&, Arguments&...>
    StaticFunction(StaticGraph<F> region) : StaticFunction(new StaticGraph<F>(std::move(region))) {}

    /// Calls the region. Its code may give this object another region; the one that runs lives
    /// until it returns.
    Result operator()(Arguments... arguments) const {
        const std::shared_ptr<StaticRegion> running = region();
        return call_(*running, arguments...);
    }

private:
    template <class F>
    explicit StaticFunction(StaticGraph<F>* owned)
        : AnyStaticFunction(
              owned, [](StaticRegion* region) { delete static_cast<StaticGraph<F>*>(region); },
              detail::address(owned->f_)),
          call_([](StaticRegion& running, Arguments&... arguments) {
              return static_cast<Result>(static_cast<StaticGraph<F>&>(running)(arguments...));
          }) {}
    Result (*call_)(StaticRegion& running, Arguments&... arguments) = nullptr;
};

}  // namespace catena
