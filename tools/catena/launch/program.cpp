#include "tools/catena/launch/program.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string_view>

#include <unistd.h>

#include <fmt/core.h>

#include "runtime/core/parallel/parallel.h"
#include "runtime/core/system/environment.h"

namespace catena::tool {
namespace {

constexpr const char* secret_name = "CATENA_RENDEZVOUS_SECRET";

std::string quoted(const std::string& word) {
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

/// Who a rank is. CATENA_LAUNCHER: whatever started `catena launch` itself does not count.
Settings identity_of(const Start& start, const PlacedRank& placed) {
    return {{"CATENA_LAUNCHER", "catena"},
            {"CATENA_RENDEZVOUS", start.rendezvous},
            {"CATENA_SIZE", std::to_string(start.size)},
            {"CATENA_RANK", std::to_string(placed.rank)}};
}

bool is_own_name(const std::string& name) {
    for (const char* own :
         {"CATENA_LAUNCHER", "CATENA_RENDEZVOUS", "CATENA_SIZE", "CATENA_RANK", secret_name})
        if (name == own) return true;
    return false;
}

/// Catena's variables of this process: ssh passes none on.
Settings own_variables() {
    Settings found;
    for (char** entry = environ; *entry; ++entry) {
        const std::string text = *entry;
        const size_t equals = text.find('=');
        if (!text.starts_with("CATENA_") || equals == text.npos) continue;
        if (const std::string name = text.substr(0, equals); !is_own_name(name))
            found.emplace_back(name, text.substr(equals + 1));
    }
    return found;
}

bool is_thread_count_given(const Settings& given) {
    for (const char* name : {"CATENA_NUM_THREADS", "OMP_NUM_THREADS"})
        if (environment::text(name) ||
            std::ranges::any_of(given, [&](const auto& setting) { return setting.first == name; }))
            return true;
    return false;
}

RankProgram local_program(const Start& start, const PlacedRank& placed) {
    RankProgram program{.words = start.command, .environment = identity_of(start, placed)};
    program.environment.emplace_back(secret_name, start.secret);
    if (!is_thread_count_given(start.given))
        program.environment.emplace_back(
            "CATENA_NUM_THREADS", std::to_string(std::max(1, thread_count() / placed.local_size)));
    program.environment.insert(program.environment.end(), start.given.begin(), start.given.end());
    return program;
}

/// For `sh -c` on the other machine. The program has a process group of its own, so that signals
/// reach what it starts. What reads their names ends it where the connection is lost.
constexpr std::string_view remote_script = R"(exec 3<&0
IFS= read -r {secret} <&3 || exit 255
export {secret}
{settings}
cd {folder} || exit 255
setsid {command} </dev/null 3<&- &
child=$!
{{
    while read -r signal <&3; do kill -s "$signal" -- "-$child"; done
    kill -s TERM -- "-$child"
    sleep {grace}
    kill -s KILL -- "-$child"
}} >/dev/null 2>&1 &
reader=$!
wait "$child"
status=$?
kill "$reader" 2>/dev/null
exit "$status")";

RankProgram remote_program(const Start& start, const PlacedRank& placed) {
    std::string settings, command;
    const auto add = [&](const Settings& all) {
        for (const auto& [name, value] : all)
            settings += fmt::format("export {}={}\n", name, quoted(value));
    };
    add(own_variables());
    add(identity_of(start, placed));
    add(start.given);
    if (!is_thread_count_given(start.given))
        settings += fmt::format("export CATENA_NUM_THREADS=$((($(nproc) + {0} - 1) / {0}))\n",
                                placed.local_size);
    for (const std::string& word : start.command) command += quoted(word) + " ";
    const std::string script =
        fmt::format(remote_script, fmt::arg("secret", secret_name), fmt::arg("settings", settings),
                    fmt::arg("folder", quoted(std::filesystem::current_path().string())),
                    fmt::arg("command", command), fmt::arg("grace", int64_t(start.grace) + 1));
    RankProgram program{.words = start.ssh, .is_remote = true, .secret = start.secret};
    program.words.push_back(placed.host);
    program.words.push_back("exec sh -c " + quoted(script));
    return program;
}

}  // namespace

RankProgram program_of(const Start& start, const PlacedRank& placed) {
    return placed.host.empty() ? local_program(start, placed) : remote_program(start, placed);
}

std::string random_secret() {
    std::random_device random;
    std::string digits;
    for (int i = 0; i < 4; ++i) digits += fmt::format("{:08x}", uint32_t(random()));
    return digits;
}

}  // namespace catena::tool
