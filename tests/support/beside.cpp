#include "tests/support/beside.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "frontend/link/link.h"
#include "frontend/optimizer/optimizer.h"
#include "runtime/core/system/error.h"
#include "runtime/ops/noise/random.h"

namespace catena::testing {
namespace {

constexpr const char* consumed = "consumed gradient";
constexpr const char* nothing = "nothing";

std::string class_of(const std::exception& error) {
    if (dynamic_cast<const ShapeError*>(&error)) return "ShapeError";
    if (dynamic_cast<const DtypeError*>(&error)) return "DtypeError";
    if (dynamic_cast<const DeviceError*>(&error)) return "DeviceError";
    if (dynamic_cast<const CompileError*>(&error)) return "CompileError";
    if (dynamic_cast<const ValueError*>(&error)) return "ValueError";
    if (dynamic_cast<const TraceError*>(&error)) return "TraceError";
    if (dynamic_cast<const InternalError*>(&error)) return "InternalError";
    return typeid(error).name();
}

bool exact(const std::string& kind) {
    return !kind.starts_with("float") && !kind.starts_with("bfloat") && kind != "number";
}

double allowed(const std::string& kind, double largest, const Nearness& nearness) {
    // Numbers that the host computed come from values of either precision.
    const double relative = kind.starts_with("float64") ? nearness.float64
                            : kind.starts_with("float16") || kind.starts_with("bfloat")
                                ? 1e-2
                                : nearness.float32;
    return relative * std::max(largest, 0.05);
}

std::string shown(const Sighting& s) {
    if (s.kind == "text") return "'" + s.text + "'";
    std::string text = s.kind;
    for (size_t i = 0; i < std::min<size_t>(s.elements.size(), 8); ++i)
        text += fmt::format("{}{:.9g}", i ? ", " : " ", s.elements[i]);
    return text + (s.elements.size() > 8 ? ", ..." : "");
}

bool same(const Sighting& plain, const Sighting& compiled, const Nearness& nearness,
          std::string& where) {
    if (compiled.kind == consumed) return plain.kind != nothing;
    if (plain.kind != compiled.kind || plain.text != compiled.text ||
        plain.elements.size() != compiled.elements.size())
        return false;
    double largest = 0;
    for (double e : plain.elements)
        if (std::isfinite(e)) largest = std::max(largest, std::abs(e));
    const double off =
        exact(plain.kind) ? 0 : allowed(plain.kind, largest, nearness) + 16 * plain.spread;
    for (size_t i = 0; i < plain.elements.size(); ++i) {
        const double a = plain.elements[i], b = compiled.elements[i];
        if (a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= off) continue;
        where = fmt::format(" at element {}: {:.9g} plain, {:.9g} compiled", i, a, b);
        return false;
    }
    return true;
}

}  // namespace

std::string difference(const std::vector<Sighting>& plain, const std::vector<Sighting>& compiled,
                       const Nearness& nearness) {
    constexpr int most = 5;
    std::string text;
    int found = 0;
    const size_t both = std::min(plain.size(), compiled.size());
    for (size_t i = 0; i < both && found < most; ++i) {
        const Sighting &a = plain[i], &b = compiled[i];
        if (a.name != b.name || a.call != b.call) {
            // What follows belongs to other places.
            return text +
                   fmt::format("call {}: the plain run shows {}, the compiled one {} of call {}\n",
                               a.call, a.name, b.name, b.call);
        }
        std::string where;
        if (same(a, b, nearness, where)) continue;
        ++found;
        text += fmt::format("call {}: {}{}\n    plain:    {}\n    compiled: {}\n", a.call, a.name,
                            where, shown(a), shown(b));
    }
    if (found == 0 && plain.size() != compiled.size())
        text += fmt::format("the plain run shows {} values, the compiled one {}\n", plain.size(),
                            compiled.size());
    return text;
}

void check_programs(int64_t number, int64_t least, int64_t most, const std::string& explanation) {
    EXPECT_GE(number, least) << "programs\n" << explanation;
    EXPECT_LE(number, most) << "programs\n" << explanation;
}

void Side::add(const std::string& name, const std::string& kind, std::vector<double> elements,
               std::string text) {
    sightings_.push_back({call_, name, kind, std::move(elements), std::move(text)});
}

void Side::saw(const std::string& name, const Array& array) {
    if (array.defined())
        add(name, to_string(array.type()), array.to_vector<double>(), "");
    else
        add(name, nothing, {}, "");
}

void Side::saw(const std::string& name, const Variable& value) {
    saw(name, value.defined() ? value.array() : Array());
}

void Side::saw_gradient(const std::string& name, const Variable& of) {
    saw(name + " gradient", of.grad());
}

void Side::saw(const std::string& name, const Link& link) {
    for (auto& [path, param] : link.namedparams()) {
        saw(name + path, param->array());
        Array gradient;
        try {
            gradient = param->grad();
        } catch (const TraceError& error) {
            if (!compiled() || std::string(error.what()).find("consumed") == std::string::npos)
                throw;
            ++consumed_;
            add(name + path + " gradient", consumed, {}, "");
            continue;
        }
        saw(name + path + " gradient", gradient);
    }
    for (auto& [path, state] : link.namedpersistents()) saw(name + path, state->array());
}

void Side::saw(const std::string& name, Optimizer& optimizer) {
    saw(name + " t", optimizer.t());
    for (const Cell& cell : optimizer.hyperparameters())
        saw(name + " " + cell.name(), cell.value());
    for (UpdateSlot& slot : optimizer.slots())
        for (size_t i = 0; i < slot.moments.size(); ++i)
            saw(name + slot.path + " " + optimizer.moment_names()[i], slot.moments[i].array());
}

void Side::saw_random_state() { saw("random state", save_random_state()); }

bool Side::fails(const std::string& name, const std::function<void()>& f) {
    try {
        f();
    } catch (const std::exception& error) {
        saw(name + " throws", class_of(error) + ": " + error.what());
        return true;
    }
    saw(name + " throws", "nothing");
    return false;
}

std::string name_of(CompileMode mode) {
    return mode == CompileMode::now ? "now" : mode == CompileMode::later ? "later" : "background";
}

void expect_same(const std::function<void(Side&)>& body, const Comparison& how) {
    set_seed(how.seed);
    Side plain;
    body(plain);
    EXPECT_FALSE(plain.sightings().empty()) << "the test shows nothing that could differ";
    for (CompileMode mode : how.modes) {
        set_seed(how.seed);
        Side compiled(mode);
        std::string error;
        try {
            body(compiled);
        } catch (const std::exception& thrown) {
            error = fmt::format("call {}: the compiled run throws {}: {}\n", compiled.call(),
                                class_of(thrown), thrown.what());
        }
        const std::string found =
            error + (error.empty() || !compiled.sightings().empty()
                         ? difference(plain.sightings(), compiled.sightings(), how.nearness)
                         : "");
        if (!found.empty()) ADD_FAILURE() << "compile mode " << name_of(mode) << ", " << found;
    }
}

}  // namespace catena::testing
