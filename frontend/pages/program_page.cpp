#include "frontend/pages/program_page.h"

#include <algorithm>
#include <functional>
#include <set>

#include <fmt/format.h>

#include "frontend/pages/html.h"
#include "runtime/core/system/counted.h"

namespace catena::pages {
namespace {

constexpr size_t most_operations = 6;
constexpr size_t most_notes = 5;
constexpr size_t most_text = 300'000;

double bytes_of(const LaunchReport& launch) { return launch.bytes_read + launch.bytes_written; }

double cost_of(const LaunchReport& launch, bool is_timed) {
    return is_timed ? launch.seconds : bytes_of(launch);
}

std::string anchor(size_t program, size_t launch) { return fmt::format("p{}l{}", program, launch); }

/// "A is not fused with B: why", "parts of A are not fused: why".
bool is_about(const std::string& note, const std::string& operation) {
    return note.starts_with(operation + " ") || note.starts_with("parts of " + operation + " ") ||
           note.find(" with " + operation + ":") != std::string::npos;
}

std::string operations_list(const LaunchReport& launch) {
    std::string text = "<ul>";
    for (size_t i = 0; i < std::min(launch.operations.size(), most_operations); ++i)
        text += "<li>" + escaped(launch.operations[i]) + "</li>";
    if (launch.operations.size() > most_operations)
        text += fmt::format("<li>and {} more</li>", launch.operations.size() - most_operations);
    return text + "</ul>";
}

std::string links(const LaunchReport& launch, size_t program) {
    std::string text;
    for (int from : launch.reads_from)
        text += fmt::format("{}<a href=\"#{}\">{}</a>", text.empty() ? "" : ", ",
                            anchor(program, size_t(from)), from);
    return text.empty() ? "" : "reads results of " + text + "<br>";
}

std::string rates(const LaunchReport& launch) {
    if (launch.calls == 0) return "not timed<br>";
    const double each = launch.seconds / double(launch.calls);
    std::string text =
        fmt::format("{:.4f} ms in each of {}", each * 1e3, counted(launch.calls, "call"));
    if (each > 0) text += fmt::format(", {:.1f} GB/s", bytes_of(launch) / each / 1e9);
    if (each > 0 && launch.product_operations > 0)
        text += fmt::format(", {:.1f} GFLOP/s", launch.product_operations / each / 1e9);
    return text + "<br>";
}

/// What is shown while the pointer is on a box.
std::string tip(const LaunchReport& launch, const std::vector<std::string>& notes) {
    std::string text = "<div class=\"tip\">" + escaped(launch.sizes) + "<br>";
    text += fmt::format("reads {:.3f} MB, writes {:.3f} MB<br>", launch.bytes_read / 1e6,
                        launch.bytes_written / 1e6) +
            rates(launch);
    const std::vector<std::string> about = notes_about(launch, notes);
    for (size_t i = 0; i < std::min(about.size(), most_notes); ++i)
        text += escaped(about[i]) + "<br>";
    if (about.size() > most_notes)
        text += fmt::format("and {} more reasons", about.size() - most_notes);
    return text + "</div>";
}

std::string percent(double part, double whole) {
    return whole > 0 ? fmt::format("{:.1f} %", part / whole * 100) : "";
}

/// What the launches of all programs cost together.
struct Costs {
    bool is_timed = false;
    double most = 0, total = 0;
};
Costs costs_of(const std::vector<ProgramSection>& programs) {
    Costs costs;
    for (const ProgramSection& section : programs)
        for (const LaunchReport& launch : section.launches)
            costs.is_timed = costs.is_timed || launch.calls > 0;
    for (const ProgramSection& section : programs)
        for (const LaunchReport& launch : section.launches) {
            const double cost = cost_of(launch, costs.is_timed);
            costs.most = std::max(costs.most, cost);
            costs.total += cost;
        }
    return costs;
}

/// Launches that have something in common.
struct Sum {
    std::string name;
    int launches = 0, library_calls = 0;
    double seconds = 0;  ///< The time of one call of each, in seconds.
    double bytes = 0, product_operations = 0;
    double cost = 0;  ///< The cost, as cost_of() gives it.

    void add(const LaunchReport& launch, bool is_timed) {
        ++launches;
        library_calls += launch.is_library_call;
        if (launch.calls > 0) seconds += launch.seconds / double(launch.calls);
        bytes += bytes_of(launch);
        product_operations += launch.product_operations;
        cost += cost_of(launch, is_timed);
    }
};

std::string totals_of(const ProgramSection& section, const Costs& costs) {
    Sum sum;
    for (const LaunchReport& launch : section.launches) sum.add(launch, costs.is_timed);
    std::string text = fmt::format("In total {} ({}): ", counted(sum.launches, "launch"),
                                   counted(sum.library_calls, "library call"));
    if (costs.is_timed) text += fmt::format("{:.3f} ms a call, ", sum.seconds * 1e3);
    text += fmt::format("{:.3f} MB moved", sum.bytes / 1e6);
    if (sum.product_operations > 0)
        text += fmt::format(", {:.3f} GFLOP of products and convolutions",
                            sum.product_operations / 1e9);
    if (sum.cost < costs.total)
        text += ", " + percent(sum.cost, costs.total) + " of what all programs here cost";
    return "<p>" + text + "</p>\n";
}

/// The launches of each name together, the dearest first.
std::string shares_of(const std::vector<ProgramSection>& programs, const Costs& costs) {
    std::vector<Sum> sums;
    for (const ProgramSection& section : programs)
        for (const LaunchReport& launch : section.launches) {
            auto sum = std::ranges::find(sums, launch.name, &Sum::name);
            if (sum == sums.end()) sum = sums.insert(sums.end(), Sum{.name = launch.name});
            sum->add(launch, costs.is_timed);
        }
    if (sums.size() < 2) return "";
    std::ranges::stable_sort(sums, std::greater(), &Sum::cost);
    std::string text =
        "<details><summary>Shares of each kind of launch</summary>\n<table><tr><th>share</th>"
        "<th>kind</th><th>launches</th>";
    text += std::string(costs.is_timed ? "<th>ms a call</th>" : "") + "<th>MB moved</th></tr>\n";
    for (const Sum& sum : sums)
        text += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td>{}<td>{:.3f}</td></tr>\n",
                            percent(sum.cost, costs.total), escaped(sum.name), sum.launches,
                            costs.is_timed ? fmt::format("<td>{:.3f}</td>", sum.seconds * 1e3) : "",
                            sum.bytes / 1e6);
    return text + "</table></details>\n";
}

std::string box(const ProgramSection& section, size_t program, size_t l, const Costs& costs) {
    const LaunchReport& launch = section.launches[l];
    const double cost = cost_of(launch, costs.is_timed);
    const double share = costs.most > 0 ? cost / costs.most : 0;
    const std::string kind = launch.is_library_call ? "library call"
                             : launch.kernels == 1  ? "kernel"
                                                    : fmt::format("{} kernels", launch.kernels);
    return fmt::format(
        "<div class=\"box{}\" id=\"{}\" tabindex=\"0\"><span class=\"number "
        "faint\">{}</span><b>{}</b>"
        "<div class=\"share\" style=\"width:{:.1f}%\"></div><span "
        "class=\"faint\">{}{}{}</span>{}<span class=\"faint\">{}</span>{}</div>\n",
        launch.is_library_call ? " call" : "", anchor(program, l), l, escaped(launch.name),
        share * 100, kind, costs.total > 0 ? ", " + percent(cost, costs.total) : "",
        launch.calls > 0 ? fmt::format(", {:.3f} ms", launch.seconds / double(launch.calls) * 1e3)
                         : "",
        operations_list(launch), links(launch, program), tip(launch, section.notes));
}

std::string border_of(const ProgramSection& section) {
    return "<div class=\"border\" role=\"separator\"><span>" + escaped(section.border_text) +
           "</span></div>\n";
}

std::string stages_of(const ProgramSection& section) {
    if (section.stages.empty()) return "";
    std::string text = "<h3>Stages</h3><div class=\"stages\">";
    for (const auto& [name, stage] : section.stages) {
        const bool is_long = stage.size() > most_text;
        text += "<div><b>" + escaped(name) + "</b><pre>" +
                escaped(std::string_view(stage).substr(0, most_text)) +
                (is_long ? fmt::format("\n... {} more bytes", stage.size() - most_text) : "") +
                "</pre></div>";
    }
    return text + "</div>";
}

}  // namespace

std::vector<std::string> notes_about(const LaunchReport& launch,
                                     const std::vector<std::string>& notes) {
    std::set<std::string> about;
    for (const std::string& note : notes)
        if (std::ranges::any_of(launch.operations, [&](const std::string& operation) {
                return is_about(note, operation);
            }))
            about.insert(note);
    return {about.begin(), about.end()};
}

std::string program_page(const std::string& title, const std::vector<std::string>& lines,
                         const std::vector<ProgramSection>& programs) {
    const Costs costs = costs_of(programs);
    std::string body = "<h1>" + escaped(title) + "</h1>\n";
    for (const std::string& line : lines)
        body += "<div class=\"faint\">" + escaped(line) + "</div>\n";
    body += fmt::format(
        "<p class=\"faint\">Launches in the order in which they run; blue: kernels of fused "
        "operations, orange: library "
        "calls. Bars and shares are of the {}. Point at a box for more.</p>\n",
        costs.is_timed ? "measured times" : "bytes moved, because nothing was timed");
    body += shares_of(programs, costs);
    for (size_t p = 0; p < programs.size(); ++p) {
        body += "<h2>" + escaped(programs[p].name) + "</h2>\n" + totals_of(programs[p], costs) +
                "<div class=\"launches\">\n";
        for (size_t l = 0; l < programs[p].launches.size(); ++l) {
            if (int(l) == programs[p].border) body += border_of(programs[p]);
            body += box(programs[p], p, l, costs);
        }
        body += "</div>" + stages_of(programs[p]) + "\n";
    }
    return page(title, body);
}

}  // namespace catena::pages
