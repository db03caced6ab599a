#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <utility>

#include "frontend/static_graph/static_graph.h"

namespace catena {

template <class Signature>
class StaticFunction;

/// Any region that is called so, whatever its callable: the type of a member, an argument or a
/// list's element.
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
class StaticFunction<Result(Arguments...)> {
public:
    StaticFunction() = default;  ///< No region: all but bool() is a ValueError.
    template <class F>
        requires std::is_invocable_r_v<Result, F&, Arguments&...>
    StaticFunction(StaticGraph<F> region)
        : region_(std::make_shared<Erased<F>>(std::move(region))) {}

    /// The region's code may give this another region: the one that runs lives until it returns.
    Result operator()(Arguments... arguments) const {
        const std::shared_ptr<Region> running = region_;
        if (!running) fail_without_region();
        return running->call(arguments...);
    }

    /// See StaticGraph.
    void save(const std::string& path, const PackageOptions& options = {}) const {
        there().save(path, options);
    }
    std::string explain() const { return there().explain(); }
    RegionProfile profile() const { return there().profile(); }
    void save_html(const std::string& path) const { there().save_html(path); }
    StaticGraphStatistics statistics() const { return there().statistics(); }
    void clear() const { there().clear(); }
    explicit operator bool() const { return bool(region_); }

private:
    struct Region {
        virtual ~Region() = default;
        virtual Result call(Arguments&... arguments) = 0;
        virtual void save(const std::string& path, const PackageOptions& options) = 0;
        virtual std::string explain() const = 0;
        virtual RegionProfile profile() const = 0;
        virtual void save_html(const std::string& path) const = 0;
        virtual StaticGraphStatistics statistics() const = 0;
        virtual void clear() = 0;
    };
    template <class F>
    struct Erased final : Region {
        explicit Erased(StaticGraph<F> region) : region(std::move(region)) {}
        Result call(Arguments&... arguments) override {
            return static_cast<Result>(region(arguments...));
        }
        void save(const std::string& path, const PackageOptions& options) override {
            region.save(path, options);
        }
        std::string explain() const override { return region.explain(); }
        RegionProfile profile() const override { return region.profile(); }
        void save_html(const std::string& path) const override { region.save_html(path); }
        StaticGraphStatistics statistics() const override { return region.statistics(); }
        void clear() override { region.clear(); }
        StaticGraph<F> region;
    };
    Region& there() const {
        if (!region_) fail_without_region();
        return *region_;
    }
    std::shared_ptr<Region> region_;
};

}  // namespace catena
