#include "tools/catena/launch/hosts.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

#include "runtime/core/system/error.h"

namespace catena::tool {
namespace {

[[noreturn]] void wrong_line(const std::string& file, int number, const std::string& line) {
    fail<FileError>("launch: {}:{}: '{}' is no host; a line should be HOST or HOST slots=4", file,
                    number, line);
}

/// A name that begins with '-' would be an option of ssh.
Host host_of(const std::string& file, int number, const std::string& line) {
    std::istringstream words(line);
    Host host;
    words >> host.name;
    if (host.name.starts_with('-')) wrong_line(file, number, line);
    for (std::string word; words >> word;) {
        const char* end = word.data() + word.size();
        if (!word.starts_with("slots=")) wrong_line(file, number, line);
        const auto [last, error] = std::from_chars(word.data() + 6, end, host.slots);
        if (error != std::errc() || last != end || host.slots < 1) wrong_line(file, number, line);
    }
    return host;
}

}  // namespace

std::vector<Host> hosts_in(const std::string& path) {
    std::ifstream file(path);
    if (!file) fail<FileError>("launch: the file of hosts {} cannot be read", path);
    std::vector<Host> hosts;
    int number = 0;
    for (std::string line; std::getline(file, line);) {
        ++number;
        line.resize(std::min(line.size(), line.find('#')));
        if (line.find_first_not_of(" \t\r") == line.npos) continue;
        hosts.push_back(host_of(path, number, line));
    }
    if (hosts.empty()) fail<FileError>("launch: {} names no host", path);
    return hosts;
}

int slots_of(const std::vector<Host>& hosts) {
    int slots = 0;
    for (const Host& host : hosts) slots += host.slots;
    return slots;
}

std::vector<PlacedRank> place_ranks(int ranks, const std::vector<Host>& hosts) {
    std::vector<PlacedRank> placed;
    for (const Host& host : hosts) {
        const int here = std::min(host.slots, ranks - int(placed.size()));
        for (int i = 0; i < here; ++i) placed.push_back({int(placed.size()), host.name, i, here});
    }
    return placed;
}

}  // namespace catena::tool
