#include "tests/structure/headers.h"

#include <algorithm>
#include <fstream>
#include <mutex>
#include <regex>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "runtime/core/system/hash.h"
#include "tests/structure/side_by_side.h"
#include "tests/structure/source_tree.h"
#include "tests/support/command.h"

namespace catena::structure {

namespace fs = std::filesystem;

Includes includes_of(const std::string& text) {
    static const std::regex include(R"re(^\s*#\s*include\s*["<]([^">]+)[">])re"),
        condition(R"(^\s*#\s*if)"), end(R"(^\s*#\s*endif)"), no_code(R"(^\s*(#.*|//.*)?$)");
    Includes result;
    int conditions = 0;
    bool code = false;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::smatch match;
        conditions += std::regex_search(line, condition);
        conditions -= std::regex_search(line, end);
        code |= !std::regex_match(line, no_code);
        if (!std::regex_search(line, match, include)) continue;
        result.all.insert(match[1]);
        if (!code && conditions == 0) result.leading.insert(match[1]);
    }
    return result;
}

bool Headers::has(const std::string& path) const { return fs::is_regular_file(root_ / path); }

const Includes& Headers::includes(const std::string& path) {
    const auto [it, is_new] = includes_.try_emplace(path);
    if (is_new && has(path)) it->second = includes_of(read((root_ / path).string()));
    return it->second;
}

std::set<std::string> Headers::reached_from(const std::string& path,
                                            std::set<std::string> Includes::* which) {
    std::set<std::string> reached;
    std::vector<std::string> open{path};
    while (!open.empty()) {
        const std::string next = open.back();
        open.pop_back();
        if (!reached.insert(next).second) continue;
        const std::set<std::string>& further = includes(next).*which;
        open.insert(open.end(), further.begin(), further.end());
    }
    return reached;
}

std::set<std::string> Headers::closure(const std::string& path) {
    return reached_from(path, &Includes::all);
}

std::set<std::string> Headers::before(const std::string& path) {
    std::set<std::string> reached = reached_from(path, &Includes::leading);
    reached.erase(path);
    return reached;
}

// Roughly the time to read it: a header of the standard library takes that of five of ours.
int Headers::weight(const std::string& path) {
    int& sum = weights_[path];
    if (sum == 0)
        for (const std::string& each : closure(path)) sum += has(each) ? 1 : 5;
    return sum;
}

std::string Headers::command(const std::string& rest) const {
    return fmt::format("{} -std=c++20 -I'{}' -I'{}' {}", CATENA_CXX, root_.string(),
                       (root_ / "frontend/include").string(), rest);
}

std::string Headers::facts(const std::string& path) {
    if (compiler_.empty()) compiler_ = testing::run(command("--version")).output;
    std::string text = compiler_;
    for (const std::string& each : closure(path)) {
        std::string& hash = hashes_[each];
        if (hash.empty())
            hash = fmt::format("{} {:x}\n", each, fnv1a(read((root_ / each).string())));
        text += hash;
    }
    return text;
}

std::vector<std::string> Headers::hubs_for(const std::set<std::string>& subjects) {
    std::map<std::string, std::set<std::string>> users;
    std::map<std::string, int> saved;
    for (const std::string& user : subjects)
        for (const std::string& hub : before(user))
            if (subjects.contains(hub)) users[hub].insert(user);
    std::vector<std::string> hubs;
    while (true) {
        std::string best;
        int best_gain = 0;
        for (const auto& [hub, those] : users) {
            const int own = weight(hub);
            int gain = -2 * own;
            for (const std::string& user : those) gain += std::max(0, own - saved[user]);
            if (gain > best_gain) best = hub, best_gain = gain;
        }
        if (best.empty()) return hubs;
        hubs.push_back(best);
        for (const std::string& user : users[best])
            saved[user] = std::max(saved[user], weight(best));
    }
}

std::map<std::string, std::string> Headers::incomplete(const std::set<std::string>& subjects,
                                                       const std::vector<std::string>& hubs) {
    const fs::path folder = fs::path(::testing::TempDir()) / "hubs";
    fs::create_directories(folder);
    const auto precompiled = [&](const std::string& hub) {
        return fmt::format("{}/{:x}.h", folder.string(), fnv1a(hub));
    };
    std::map<std::string, std::string> found;
    std::mutex mutex;
    const auto compile = [&](const std::string& subject, const std::string& rest) {
        const auto result = testing::run(command(rest));
        const std::lock_guard lock(mutex);
        if (result.status != 0) found[subject] = result.output;
    };
    side_by_side(hubs.size(), [&](size_t i) {
        const std::string file = precompiled(hubs[i]);
        std::ofstream(file) << "#include \"" << hubs[i] << "\"\n";
        compile(hubs[i], fmt::format("-x c++-header '{0}' -o '{0}.gch'", file));
    });
    std::vector<std::pair<std::string, std::string>> rest;  // What to compile, and how.
    for (const std::string& subject : subjects) {
        if (std::find(hubs.begin(), hubs.end(), subject) != hubs.end()) continue;
        const std::set<std::string> sees = before(subject);
        std::string first;
        int most = 0;
        for (const std::string& hub : hubs)
            if (sees.contains(hub) && !found.contains(hub) && weight(hub) > most) {
                first = "-include '" + precompiled(hub) + "'";
                most = weight(hub);
            }
        const std::string file = fmt::format("{}/alone_{:x}.cpp", folder.string(), fnv1a(subject));
        std::ofstream(file) << "#include \"" << subject << "\"\n";
        rest.emplace_back(subject, fmt::format("{} -fsyntax-only '{}'", first, file));
    }
    side_by_side(rest.size(), [&](size_t i) { compile(rest[i].first, rest[i].second); });
    fs::remove_all(folder);
    return found;
}

}  // namespace catena::structure
