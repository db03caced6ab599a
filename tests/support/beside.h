#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "frontend/compiler/compiler_loader.h"
#include "frontend/static_graph/static_graph.h"
#include "runtime/graph/settings/config.h"

namespace catena {
class Link;
class Optimizer;
}  // namespace catena

namespace catena::testing {

/// A value that a run showed: elements of an array, a number, a text.
struct Sighting {
    int call = 0;
    std::string name;
    std::string
        kind;  ///< "float32[2,3]", "integer", "number", "text", "nothing", "consumed gradient".
    std::vector<double> elements;
    std::string text;
    double spread = 0;  ///< How far an element moves when the program's inputs are rounded
                        ///< otherwise, where that was tried.
};

/// How near two runs must be, of the largest element of each array, and 16 times its spread further
/// apart at most: a sum that nearly cancels has no more digits than that. Integers and texts must
/// be equal.
struct Nearness {
    double float32 = 2e-5;
    double float64 = 1e-9;
};

/// "" when the two runs showed the same; else the first differences, with call, name and values.
std::string difference(const std::vector<Sighting>& plain, const std::vector<Sighting>& compiled,
                       const Nearness& nearness = {});

void check_programs(int64_t number, int64_t least, int64_t most, const std::string& explanation);

/// A function, or in the compiled run the static region that it is.
template <class F>
class Region {
public:
    Region(F f, bool compiled, const StaticGraphOptions& options, const std::source_location& at)
        : counts_(compiled && compiler_available() && config().use_static_graph),
          counts_programs_(counts_ && options.compile_mode == CompileMode::now) {
        if (compiled)
            region_.emplace(std::move(f), options, at);
        else
            plain_.emplace(std::move(f));
    }
    template <class... Arguments>
    auto operator()(Arguments&&... arguments) {
        return region_ ? (*region_)(arguments...) : (*plain_)(arguments...);
    }
    /// Of the compiled run, where there is a compiler and it is not switched off.
    std::optional<StaticGraphStatistics> counts() const {
        if (!counts_) return std::nullopt;
        return region_->statistics();
    }
    /// Asserts the number of programs that a region has compiled, if it compiles new ones at once.
    void expect_programs(int64_t number) const { expect_programs(number, number); }
    void expect_programs(int64_t least, int64_t most) const {
        if (counts_programs_)
            check_programs(region_->statistics().programs, least, most, region_->explain());
    }
    std::string explain() const { return region_ ? region_->explain() : ""; }
    void clear() {
        if (region_) region_->clear();
    }

private:
    bool counts_, counts_programs_;
    std::optional<F> plain_;
    std::optional<StaticGraph<F>> region_;
};

/// One of the two runs of a test's body, and all that it showed.
class Side {
public:
    /// Without a mode the run is plain.
    explicit Side(std::optional<CompileMode> mode = {}) : mode_(mode) {}
    bool compiled() const { return mode_.has_value(); }

    template <class F>
    Region<F> region(F f, StaticGraphOptions options = {},
                     const std::source_location& at = std::source_location::current()) {
        if (mode_ && options.compile_mode == CompileMode::now) options.compile_mode = *mode_;
        return Region<F>(std::move(f), compiled(), options, at);
    }

    /// What follows is seen in this call.
    void call(int number) { call_ = number; }
    int call() const { return call_; }

    void saw(const std::string& name, const Array& array);
    void saw(const std::string& name, const Variable& value);  ///< Its array; it may be undefined.
    void saw(const std::string& name, const std::string& text) { add(name, "text", {}, text); }
    void saw(const std::string& name, const char* text) { saw(name, std::string(text)); }
    template <class T>
        requires std::is_arithmetic_v<T>
    void saw(const std::string& name, T number) {
        add(name, std::is_integral_v<T> ? "integer" : "number", {double(number)}, "");
    }
    template <class T>
    void saw(const std::string& name, const std::vector<T>& values) {
        saw(name + " size", values.size());
        for (size_t i = 0; i < values.size(); ++i)
            saw(name + "[" + std::to_string(i) + "]", values[i]);
    }
    /// A gradient that must be there to read.
    void saw_gradient(const std::string& name, const Variable& of);
    /// Parameters, persistent states and gradients. A gradient that a compiled step used up counts
    /// as any that is defined.
    void saw(const std::string& name, const Link& link);
    void saw(const std::string& name,
             Optimizer& optimizer);  ///< Step count, moments, numbers of the rule.
    void saw_random_state();
    /// What f throws, its class and message; true when it threw.
    bool fails(const std::string& name, const std::function<void()>& f);

    const std::vector<Sighting>& sightings() const { return sightings_; }
    int64_t consumed_gradients() const { return consumed_; }

private:
    void add(const std::string& name, const std::string& kind, std::vector<double> elements,
             std::string text);
    std::optional<CompileMode> mode_;
    int call_ = 0;
    int64_t consumed_ = 0;
    std::vector<Sighting> sightings_;
};

struct Comparison {
    Nearness nearness = {};
    std::vector<CompileMode> modes = {CompileMode::now};
    int64_t seed = 7;
};
inline const std::vector<CompileMode> all_modes = {CompileMode::now, CompileMode::later,
                                                   CompileMode::background};
std::string name_of(CompileMode mode);

/// Runs the body once plain and once with its regions compiled (in each mode), from the same seed,
/// and fails the test where they show different things.
void expect_same(const std::function<void(Side&)>& body, const Comparison& how = {});

}  // namespace catena::testing
