#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace catena::structure {

struct Includes {
    std::set<std::string> all;
    std::set<std::string> leading;  ///< Under no condition, and before all code.
};
Includes includes_of(const std::string& text);

/// The headers below a folder, which include each other by their paths from it.
///
/// A header alone is read in half a second, nearly all of it for what it includes. So a few that
/// many include, the hubs, are kept precompiled, and the others are read after one of them that
/// they include themselves before all code. That hides nothing: a header's own code sees the same
/// names, whether the hub is read there or just before; and that the headers between them are
/// complete, too, is checked with those as subjects.
class Headers {
public:
    explicit Headers(std::filesystem::path root) : root_(std::move(root)) {}

    bool has(const std::string& path) const;

    /// `path` and what it includes, and what that includes, if only sometimes.
    std::set<std::string> closure(const std::string& path);

    /// Those of `subjects` that save more time as hubs than it takes to precompile them.
    std::vector<std::string> hubs_for(const std::set<std::string>& subjects);

    /// What the compiler says to each of `subjects` that does not compile alone. `hubs` are among
    /// them.
    std::map<std::string, std::string> incomplete(const std::set<std::string>& subjects,
                                                  const std::vector<std::string>& hubs);

    /// All that decides whether `path` compiles.
    std::string facts(const std::string& path);

private:
    const Includes& includes(const std::string& path);
    std::set<std::string> reached_from(const std::string& path,
                                       std::set<std::string> Includes::* which);
    /// What `path` includes for certain before its own code begins.
    std::set<std::string> before(const std::string& path);
    int weight(const std::string& path);
    std::string command(const std::string& rest) const;

    std::filesystem::path root_;
    std::string compiler_;
    std::map<std::string, Includes> includes_;
    std::map<std::string, int> weights_;
    std::map<std::string, std::string> hashes_;
};

}  // namespace catena::structure
