// A unit is a header and the source of its name. Units that include each other in a circle, a knot,
// can only be read and changed together: knots are few and small.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <regex>
#include <set>

#include "tests/structure/source_tree.h"

namespace catena::structure {
namespace {

constexpr size_t largest_knot = 5;
constexpr size_t most_knots = 6;

/// For every unit, the units that its files include, each with one such include.
using Units = std::map<std::string, std::map<std::string, std::string>>;
using Knot = std::set<std::string>;

std::string unit_of(const std::string& path) { return path.substr(0, path.rfind('.')); }

Units units_of(const std::vector<const char*>& layers) {
    static const std::regex pattern(R"re(^\s*#\s*include\s*"([^"]+)")re");
    Units units;
    for (const char* layer : layers)
        for (const std::string& file : sources_below(layer)) {
            if (!file.ends_with(".h") && !file.ends_with(".cpp")) continue;
            auto& includes = units[unit_of(file)];
            for (const std::string& line : lines_of(file)) {
                std::smatch match;
                if (line.find('#') == line.npos || !std::regex_search(line, match, pattern))
                    continue;
                const std::string target = match[1];
                if (unit_of(target) != unit_of(file))
                    includes.emplace(unit_of(target), file + " includes " + target);
            }
        }
    return units;
}

/// The strongly connected components of two units or more (Tarjan 1972), largest first.
std::vector<Knot> knots_of(const Units& units) {
    std::map<std::string, size_t> number, lowest;
    std::vector<std::string> open;
    std::set<std::string> is_open;
    std::vector<Knot> knots;
    const std::function<void(const std::string&)> visit = [&](const std::string& unit) {
        const size_t own = number[unit] = lowest[unit] = number.size();
        open.push_back(unit);
        is_open.insert(unit);
        for (const auto& [next, include] : units.at(unit)) {
            if (!units.contains(next)) continue;
            if (!number.contains(next)) {
                visit(next);
                lowest[unit] = std::min(lowest[unit], lowest[next]);
            } else if (is_open.contains(next)) {
                lowest[unit] = std::min(lowest[unit], number[next]);
            }
        }
        if (lowest[unit] != own) return;
        Knot knot;
        do {
            knot.insert(open.back());
            is_open.erase(open.back());
            open.pop_back();
        } while (!knot.contains(unit));
        if (knot.size() > 1) knots.push_back(std::move(knot));
    };
    for (const auto& [unit, includes] : units)
        if (!number.contains(unit)) visit(unit);
    std::ranges::stable_sort(knots, std::greater(), &Knot::size);
    return knots;
}

/// The includes between its units, a line each.
std::string text_of(const Knot& knot, const Units& units) {
    std::string text = std::to_string(knot.size()) + " units in a circle:\n";
    for (const std::string& unit : knot)
        for (const auto& [next, include] : units.at(unit))
            if (knot.contains(next)) text += "  " + include + "\n";
    return text;
}

const Units& all_units() {
    static const Units units =
        units_of({"runtime", "ir", "passes", "codegen", "frontend", "tools"});
    return units;
}

TEST(Units, are_in_no_large_circle) {
    const Units& units = all_units();
    EXPECT_GT(units.size(), 500u) << "next to nothing was found: is the reader broken?";
    for (const Knot& knot : knots_of(units))
        EXPECT_LE(knot.size(), largest_knot) << text_of(knot, units);
}

TEST(Units, are_in_few_circles) {
    const std::vector<Knot> knots = knots_of(all_units());
    std::string all;
    for (const Knot& knot : knots) all += text_of(knot, all_units());
    EXPECT_LE(knots.size(), most_knots) << all;
}

TEST(Units, circles_are_found_with_their_includes) {
    Units units{{"a/x", {{"a/y", "a/x.cpp includes a/y.h"}}},
                {"a/y", {{"a/z", "a/y.h includes a/z.h"}, {"b/w", "a/y.cpp includes b/w.h"}}},
                {"a/z", {}},
                {"b/w", {{"b/v", "b/w.cpp includes b/v.h"}, {"c/n", "b/w.h includes c/n.inc"}}},
                {"b/v", {{"b/w", "b/v.h includes b/w.h"}}}};
    EXPECT_THAT(knots_of(units), testing::ElementsAre(Knot{"b/v", "b/w"}));
    units["a/z"].emplace("a/x", "a/z.cpp includes a/x.h");
    EXPECT_THAT(knots_of(units),
                testing::ElementsAre(Knot{"a/x", "a/y", "a/z"}, Knot{"b/v", "b/w"}));
    EXPECT_EQ(text_of({"a/x", "a/y", "a/z"}, units),
              "3 units in a circle:\n"
              "  a/x.cpp includes a/y.h\n  a/y.h includes a/z.h\n  a/z.cpp includes a/x.h\n");
}

TEST(Units, a_header_and_its_source_are_one) {
    const auto& includes = all_units().at("runtime/core/system/environment");
    EXPECT_EQ(includes.at("runtime/core/system/log"),
              "runtime/core/system/environment.cpp includes runtime/core/system/log.h");
    EXPECT_FALSE(includes.contains("runtime/core/system/environment"));
}

}  // namespace
}  // namespace catena::structure
