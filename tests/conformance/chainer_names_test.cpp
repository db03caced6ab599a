// chainer_names.tsv says of every name of Chainer where it is in Catena, or why it is not;
// docs/chainer_names.md shows it. The table is held against the registry of functions and the
// headers. WRITE_CHAINER_NAMES=1 writes what follows from it: "there" for names that have come, and
// the page.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include <gmock/gmock.h>

#include "runtime/ops/by_name/function.h"

namespace catena::testing {
namespace {

namespace fs = std::filesystem;

const fs::path root = CATENA_SOURCE_DIR;
const fs::path table_path = root / "tests/conformance/chainer_names.tsv",
               page_path = root / "docs/chainer_names.md";

bool writes() { return std::getenv("WRITE_CHAINER_NAMES") != nullptr; }

std::string content(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

struct Row {
    int line;
    std::string kind, name, signature, state, place, note;
    std::string who() const { return fmt::format("chainer_names.tsv:{}: {}", line, name); }
};

std::vector<std::string> cells_of(const std::string& line) {
    std::vector<std::string> cells(1);
    for (const char c : line) {
        if (c == '\t')
            cells.emplace_back();
        else
            cells.back() += c;
    }
    return cells;
}

std::vector<Row> read_rows() {
    std::ifstream file(table_path);
    std::vector<Row> rows;
    int number = 0;
    for (std::string line; std::getline(file, line);) {
        ++number;
        if (line.empty() || line[0] == '#') continue;
        const std::vector<std::string> cells = cells_of(line);
        EXPECT_EQ(cells.size(), 6u)
            << "chainer_names.tsv:" << number
            << ": kind, name, signature, state, place and note are expected";
        if (cells.size() == 6)
            rows.push_back({number, cells[0], cells[1], cells[2], cells[3], cells[4], cells[5]});
    }
    return rows;
}
const std::vector<Row>& rows() {
    static const std::vector<Row> all = read_rows();
    return all;
}

/// The words of a header outside of its comments.
const std::set<std::string>& words_of(const std::string& header) {
    static std::map<std::string, std::set<std::string>> known;
    auto [found, is_new] = known.try_emplace(header);
    if (is_new && fs::exists(root / header)) {
        std::istringstream lines(content(root / header));
        static const std::regex word("[A-Za-z_][A-Za-z0-9_]*");
        for (std::string line; std::getline(lines, line);) {
            line = line.substr(0, line.find("//"));
            for (std::sregex_iterator it(line.begin(), line.end(), word), end; it != end; ++it)
                found->second.insert(it->str());
        }
    }
    return found->second;
}

const std::set<std::string>& registry() {
    static const std::set<std::string> names = [] {
        std::set<std::string> all;
        for (const FunctionDef* function : all_functions()) all.insert(function->name);
        return all;
    }();
    return names;
}

/// Whether the place of a row exists: "function NAME", "example FOLDER" or "HEADER NAME".
bool exists(const std::string& place) {
    const size_t space = place.find(' ');
    if (space == std::string::npos) return false;
    const std::string where = place.substr(0, space), name = place.substr(space + 1);
    if (where == "function") return registry().contains(name);
    if (where == "example") return fs::exists(root / "examples" / name / "README.md");
    return words_of(where).contains(name);
}

TEST(ChainerNames, rows_are_whole_and_stand_once) {
    static const std::set<std::string> states = {"there", "partly", "absent", "soon"};
    std::set<std::string> seen;
    for (const Row& row : rows()) {
        EXPECT_FALSE(row.kind.empty() || row.name.empty()) << row.who();
        EXPECT_TRUE(states.contains(row.state))
            << row.who() << ": the state is '" << row.state << "'";
        EXPECT_TRUE(seen.insert(row.kind + '\t' + row.name + '\t' + row.signature).second)
            << row.who() << " stands twice";
    }
    EXPECT_GT(rows().size(), 1000u);
}

TEST(ChainerNames, what_is_there_has_a_place_and_the_rest_a_reason) {
    for (const Row& row : rows()) {
        const bool is_there = row.state == "there" || row.state == "partly";
        EXPECT_TRUE(!is_there || exists(row.place))
            << row.who() << ": there is no '" << row.place << "'";
        const bool wants_reason = row.state == "partly" || row.state == "absent";
        EXPECT_TRUE(!wants_reason || !row.note.empty())
            << row.who() << " needs a note that says why";
        EXPECT_EQ(row.place.empty(), row.state == "absent") << row.who();
    }
}

TEST(ChainerNames, what_was_missing_and_has_come_is_told) {
    std::istringstream lines(content(table_path));
    std::string renewed;
    for (std::string line; std::getline(lines, line); renewed += line + '\n') {
        std::vector<std::string> cells = cells_of(line);
        if (cells.size() != 6 || cells[3] != "soon" || !exists(cells[4])) continue;
        if (!writes())
            ADD_FAILURE() << cells[1] << " is there now (" << cells[4]
                          << "): run this test with WRITE_CHAINER_NAMES=1";
        line = fmt::format("{}\t{}\t{}\tthere\t{}\t{}", cells[0], cells[1], cells[2], cells[4],
                           cells[5]);
    }
    if (writes()) std::ofstream(table_path, std::ios::binary) << renewed;
}

/// Text in a cell of a Markdown table.
std::string cell(const std::string& text) {
    return std::regex_replace(text, std::regex("([|*_<])"), "\\$1");
}

std::string place_in_words(const Row& row) {
    const size_t space = row.place.find(' ');
    if (row.state == "absent" || space == std::string::npos) return "";
    const std::string where = row.place.substr(0, space), name = row.place.substr(space + 1);
    if (row.state == "soon") return "";
    if (where == "function") return fmt::format("`{}`", name);
    if (where == "example") return fmt::format("[examples/{}](../examples/{})", name, name);
    return fmt::format("`{}` in [{}](../{})", name, where, where);
}

std::string page_of(const std::vector<Row>& all) {
    std::vector<std::string> kinds;
    for (const Row& row : all)
        if (std::find(kinds.begin(), kinds.end(), row.kind) == kinds.end())
            kinds.push_back(row.kind);
    std::string page =
        "# Chainer's names\n\nWhere the names of Chainer 7.8 are in Catena, or why they are not. "
        "Functions without a header can be called by name, too\n"
        "(`catena call --list`). This page is written by `tests/conformance` from "
        "`chainer_names.tsv`; differences of what is there are on\n"
        "[another page](chainer.md).\n\n| | there | partly | not yet | not "
        "|\n|---|---|---|---|---|\n";
    std::string tables;
    for (const std::string& kind : kinds) {
        std::map<std::string, int> counts;
        tables += fmt::format("\n## {}\n\n| Chainer | Catena | |\n|---|---|---|\n", kind);
        for (const Row& row : all) {
            if (row.kind != kind) continue;
            ++counts[row.state];
            const std::string note = row.state == "soon"     ? "not yet"
                                     : row.state == "absent" ? "not: " + row.note
                                                             : row.note;
            tables +=
                fmt::format("| `{}` | {} | {} |\n", row.name, place_in_words(row), cell(note));
        }
        page += fmt::format("| {} | {} | {} | {} | {} |\n", kind, counts["there"], counts["partly"],
                            counts["soon"], counts["absent"]);
    }
    return page + tables;
}

TEST(ChainerNames, the_page_shows_the_table) {
    const std::string page = page_of(read_rows());
    if (writes()) std::ofstream(page_path, std::ios::binary) << page;
    EXPECT_TRUE(content(page_path) == page)
        << "docs/chainer_names.md: run this test with WRITE_CHAINER_NAMES=1";
}

}  // namespace
}  // namespace catena::testing
