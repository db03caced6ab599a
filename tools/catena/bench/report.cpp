#include "tools/catena/bench/report.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

#include <fmt/format.h>

#include "benchmarks/workloads/workload.h"
#include "frontend/pages/html.h"
#include "runtime/core/system/error.h"
#include "runtime/file/file.h"
#include "runtime/file/write_file.h"

namespace catena::tool {
namespace {

using Json = nlohmann::ordered_json;
using pages::escaped;

constexpr std::string_view own = "catena-";

/// One time of one workload.
struct Entry {
    std::string who;  ///< "eager", "torch-2.4".
    bool is_own = false;
    double ms = 0;
    Json first_s, rss_mb;  ///< Null where they are not known.
};
struct Group {
    std::string workload;
    std::vector<Entry> entries;
    double ms_of(std::string_view variant) const {  ///< 0 if it was not measured.
        for (const Entry& entry : entries)
            if (entry.is_own && entry.who == variant) return entry.ms;
        return 0;
    }
};

bool is_measurement(const Json& row) {
    return row.is_object() && row.contains("peer") && row["peer"].is_string() &&
           row.contains("workload") && row["workload"].is_string() && row.contains("ms") &&
           row["ms"].is_number() && row["ms"].get<double>() > 0;
}

Json number_or_null(const Json& row, const char* key) {
    return row.contains(key) && row[key].is_number() ? row[key] : Json();
}

/// By workload, ours first; peers only of workloads that were measured.
std::vector<Group> groups_of(const BenchReport& report) {
    std::vector<Group> groups;
    const auto group_of = [&](const std::string& workload) {
        return std::ranges::find(groups, workload, &Group::workload);
    };
    const auto entry_of = [](const Json& row, bool is_own) {
        const std::string who = row["peer"].get<std::string>();
        return Entry{is_own ? who.substr(own.size()) : who, is_own, row["ms"].get<double>(),
                     number_or_null(row, "first_s"), number_or_null(row, "rss_mb")};
    };
    // What is multiplied differently stands by itself, and is compared with its own kind.
    const auto name_of_group = [](const Json& row) {
        const std::string workload = row["workload"].get<std::string>();
        const bool says = row.contains("precision") && row["precision"].is_string();
        return says ? workload + ", " + row["precision"].get<std::string>() : workload;
    };
    for (const Json& row : report.rows) {
        const std::string workload = name_of_group(row);
        if (group_of(workload) == groups.end()) groups.push_back({workload, {}});
        group_of(workload)->entries.push_back(entry_of(row, true));
    }
    for (const Json& row : report.peers)
        if (auto group = group_of(name_of_group(row)); group != groups.end())
            group->entries.push_back(entry_of(row, false));
    return groups;
}

std::string ms_text(double ms) {
    return ms < 0.1 ? fmt::format("{:.6f}", ms) : fmt::format("{:.3f}", ms);
}

/// How many times as fast as eager code.
std::string gain_text(const Entry& entry, const Group& group) {
    const double eager = group.ms_of("eager");
    const bool compares =
        eager > 0 && !(entry.is_own && (entry.who == "eager" || entry.who == "limit"));
    return compares ? fmt::format("{:.2f}x", eager / entry.ms) : "";
}

/// How many times the time that the machine needs at least.
std::string distance_text(const Entry& entry, const Group& group) {
    const double limit = group.ms_of("limit");
    return limit > 0 && !(entry.is_own && entry.who == "limit")
               ? fmt::format("{:.2f}", entry.ms / limit)
               : "";
}

std::string number_text(const Json& number, int digits) {
    return number.is_number() ? fmt::format("{:.{}f}", number.get<double>(), digits) : "";
}

std::string bars_of(const Group& group) {
    double most = 0;
    for (const Entry& entry : group.entries) most = std::max(most, entry.ms);
    std::string text = "<div><h3>" + escaped(group.workload) + "</h3><div class=\"bars\">";
    for (const Entry& entry : group.entries)
        text += fmt::format(
            "<span class=\"name\">{}</span><span class=\"row\"><span class=\"bar {}\" "
            "style=\"width:{:.1f}%\"></span>{} ms</span>",
            escaped(entry.who), entry.is_own ? escaped(entry.who) : "peer", 70 * entry.ms / most,
            ms_text(entry.ms));
    return text + "</div></div>\n";
}

using Meanings = std::vector<std::pair<std::string, std::string>>;

/// What stands in the report as a variant, and what it is.
Meanings variants_in(const std::vector<Group>& groups) {
    const auto has = [&](const auto& is_it) {
        return std::ranges::any_of(
            groups, [&](const Group& group) { return std::ranges::any_of(group.entries, is_it); });
    };
    Meanings words;
    for (const Variant variant : all_variants())
        if (has([&](const Entry& e) { return e.is_own && e.who == name_of(variant); }))
            words.emplace_back(name_of(variant), meaning_of(variant));
    if (has([](const Entry& e) { return e.is_own && e.who == "limit"; }))
        words.emplace_back("limit",
                           "the least time that this machine needs: products and convolutions by "
                           "the fastest way known, all else at the speed of memory");
    if (has([](const Entry& e) { return !e.is_own; }))
        words.emplace_back("others", "times of other frameworks, from the file of --peers");
    return words;
}

/// The columns of the table behind workload and variant.
const Meanings& columns() {
    static const Meanings words = {
        {"ms", "milliseconds of one iteration, the median after the warm-up; less is better"},
        {"to eager", "how many times as fast as eager: 2.00x takes half the time"},
        {"to limit", "how many times the limit's time (--limit): 1.00 could not be better"},
        {"first s",
         "the longest iteration of the warm-up, in seconds: regions record and compile in it"},
        {"MB", "the most memory that the process had at a time"}};
    return words;
}

std::string words_table(const Meanings& words) {
    std::string text = "<table class=\"words\">\n";
    for (const auto& [name, meaning] : words)
        text += fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", escaped(name), escaped(meaning));
    return text + "</table>\n";
}

std::string table_of(const std::vector<Group>& groups) {
    std::string text = "<table><tr><th>workload</th><th>variant</th>";
    for (const auto& [column, meaning] : columns())
        text += fmt::format("<th title=\"{}\">{}</th>", escaped(meaning), escaped(column));
    text += "</tr>\n";
    for (const Group& group : groups)
        for (const Entry& entry : group.entries)
            text += fmt::format(
                "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</"
                "td></tr>\n",
                escaped(group.workload), escaped(entry.who), ms_text(entry.ms),
                gain_text(entry, group), distance_text(entry, group), number_text(entry.first_s, 3),
                number_text(entry.rss_mb, 0));
    return text + "</table>\n";
}

std::string html_of(const BenchReport& report) {
    const std::vector<Group> groups = groups_of(report);
    std::string body = "<h1>catena bench</h1>\n" + words_table(report.facts) +
                       "<p class=\"faint\">Milliseconds of one iteration; shorter is better.</p>\n"
                       "<div class=\"workloads\">\n";
    for (const Group& group : groups) body += bars_of(group);
    body += "</div>\n<h2>Variants</h2>\n" + words_table(variants_in(groups));
    return pages::page("catena bench", body + "<h2>Table</h2>\n" + table_of(groups) +
                                           "<h2>Columns</h2>\n" + words_table(columns()));
}

/// A cell of a Markdown table.
std::string cell(const std::string& text) {
    std::string result;
    for (char c : text) result += c == '|' ? "\\|" : c == '\n' ? " " : std::string(1, c);
    return result;
}

std::string words_list(const Meanings& words) {
    std::string text;
    for (const auto& [name, meaning] : words)
        text += fmt::format("- **{}**: {}\n", name, cell(meaning));
    return text;
}

std::string markdown_of(const BenchReport& report) {
    const std::vector<Group> groups = groups_of(report);
    std::string text = "# catena bench\n\n" + words_list(report.facts) + "\n| workload | variant |";
    std::string rule = "|---|---|";
    for (const auto& [column, meaning] : columns()) {
        text += " " + column + " |";
        rule += "--:|";
    }
    text += "\n" + rule + "\n";
    for (const Group& group : groups)
        for (const Entry& entry : group.entries)
            text += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", cell(group.workload),
                                cell(entry.who), ms_text(entry.ms), gain_text(entry, group),
                                distance_text(entry, group), number_text(entry.first_s, 3),
                                number_text(entry.rss_mb, 0));
    return text + "\n## Variants\n\n" + words_list(variants_in(groups)) + "\n## Columns\n\n" +
           words_list(columns());
}

}  // namespace

std::vector<Json> read_peers(const std::string& path) {
    std::istringstream lines(FileReader(path).read_text());
    std::vector<Json> peers;
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        Json row = Json::parse(line, nullptr, /*allow_exceptions=*/false);
        if (!is_measurement(row))
            fail<FileError>(
                "{}:{}: a line is {{\"peer\": NAME, \"workload\": NAME, \"ms\": above 0}}, "
                "optionally with first_s and rss_mb",
                path, number);
        peers.push_back(std::move(row));
    }
    return peers;
}

Json measurement_in(const std::string& output) {
    std::istringstream lines(output);
    Json found;
    for (std::string line; std::getline(lines, line);) {
        Json row = Json::parse(line, nullptr, /*allow_exceptions=*/false);
        if (is_measurement(row))
            found = std::move(row);
        else
            std::fprintf(stderr, "%s\n", line.c_str());
    }
    return found;
}

void check_report_name(const std::string& path) {
    if (!path.ends_with(".html") && !path.ends_with(".md"))
        fail<ValueError>("bench: a report is NAME.html or NAME.md, '{}' is neither", path);
}

void save_report(const BenchReport& report, const std::string& path) {
    check_report_name(path);
    write_file(path, path.ends_with(".md") ? markdown_of(report) : html_of(report));
}

}  // namespace catena::tool
