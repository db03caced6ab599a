// catena launch: a program as several ranks, on this machine or by ssh on others.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <sstream>

#include <fmt/core.h>

#include "runtime/core/system/ascii.h"
#include "runtime/core/system/counted.h"
#include "runtime/core/system/error.h"
#include "tools/catena/commands.h"
#include "tools/catena/launch/hosts.h"
#include "tools/catena/launch/job.h"
#include "tools/catena/launch/program.h"
#include "tools/catena/launch/reach.h"
#include "tools/catena/terminal.h"

namespace catena::tool {
namespace {

struct LaunchOptions {
    int ranks = 0, min_ranks = 0, restarts = 0, port = 0;
    double grace = 10;
    bool no_prefix = false;
    std::string hosts, ssh = "ssh -o BatchMode=yes";
    std::vector<std::string> variables, command;
};

/// A folder for the meeting place, of this user alone.
class PrivateFolder {
public:
    PrivateFolder() {
        path_ = (std::filesystem::temp_directory_path() / "catena-launch-XXXXXX").string();
        if (!mkdtemp(path_.data())) fail<FileError>("launch: {} cannot be made", path_);
    }
    ~PrivateFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    PrivateFolder(const PrivateFolder&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

std::vector<std::string> words_in(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    if (words.empty()) fail<ValueError>("launch: --ssh is empty; it should be a command");
    return words;
}

/// NAME=VALUE, or NAME with this process's value.
Settings settings_of(const std::vector<std::string>& variables) {
    Settings settings;
    for (const std::string& text : variables) {
        const std::string name = text.substr(0, text.find('='));
        const bool is_name =
            !name.empty() && !ascii::is_digit(name[0]) && std::ranges::all_of(name, [](char c) {
                return ascii::is_letter_or_digit(c) || c == '_';
            });
        if (!is_name) fail<ValueError>("launch: -x {}: should be NAME or NAME=VALUE", text);
        if (name.size() < text.size()) {
            settings.emplace_back(name, text.substr(name.size() + 1));
        } else if (const char* value = std::getenv(name.c_str())) {
            settings.emplace_back(name, value);
        } else {
            fail<ValueError>("launch: -x {}: is not set in this environment", name);
        }
    }
    return settings;
}

/// Another place at every start, so that nobody takes what the one before has left.
std::string meeting_place(const LaunchOptions& options, const std::string& host,
                          const std::string& folder, int start) {
    if (host.empty()) return fmt::format("file://{}/{}", folder, start);
    std::random_device random;
    const int port = options.port ? options.port : 20000 + int(random() % 10000);
    const std::string name = host.substr(host.find('@') + 1);  // of USER@HOST
    const bool is_ipv6 = name.find(':') != name.npos;
    return is_ipv6 ? fmt::format("tcp://[{}]:{}", name, port)
                   : fmt::format("tcp://{}:{}", name, port);
}

JobEnd run_once(const LaunchOptions& options, const std::vector<PlacedRank>& ranks,
                const std::string& folder, int number) {
    Start start{.command = options.command,
                .rendezvous = meeting_place(options, ranks[0].host, folder, number),
                .secret = random_secret(),
                .size = int(ranks.size()),
                .given = settings_of(options.variables),
                .ssh = words_in(options.ssh),
                .grace = options.grace};
    std::vector<RankProgram> programs;
    for (const PlacedRank& placed : ranks) programs.push_back(program_of(start, placed));
    return run_job(programs, !options.no_prefix, options.grace);
}

/// Places for ranks, of which some get lost.
class Places {
public:
    explicit Places(const LaunchOptions& options) : options_(options) {
        if (options.ranks == 0 && options.hosts.empty())
            fail<ValueError>("launch: how many ranks? -n NUMBER, or --hosts FILE with their slots");
        hosts_ =
            options.hosts.empty() ? std::vector{Host{"", options.ranks}} : hosts_in(options.hosts);
        const int slots = slots_of(hosts_);
        ranks_ = options.ranks ? options.ranks : slots;
        if (ranks_ > slots)
            fail<ValueError>("launch: {} for {} in {}; give hosts more of them (slots=N)",
                             counted(ranks_, "rank"), counted(slots, "slot"), options.hosts);
        if (options.min_ranks > ranks_)
            fail<ValueError>("launch: --min-ranks {} for {}", options.min_ranks,
                             counted(ranks_, "rank"));
    }
    /// Ranks for the hosts that can be reached now; none if there are fewer than asked for.
    std::vector<PlacedRank> placed() const {
        if (!may_shrink()) return place_ranks(ranks_, hosts_);
        constexpr double patience = 15;
        const std::vector<Host> there = reachable(hosts_, words_in(options_.ssh), patience);
        const int slots = slots_of(there);
        if (there.size() < hosts_.size())
            print_warning(fmt::format("launch: {} of {} cannot be reached, {} {} left",
                                      hosts_.size() - there.size(),
                                      counted(int64_t(hosts_.size()), "host"),
                                      counted(slots, "slot"), slots == 1 ? "is" : "are"));
        if (slots >= options_.min_ranks) return place_ranks(ranks_, there);
        print_error(fmt::format("launch: {} for --min-ranks {}", counted(slots, "slot"),
                                options_.min_ranks));
        return {};
    }
    /// Takes no rank any more where this one was. False if fewer would be left than asked for.
    bool leave_out(const PlacedRank& rank) {
        if (!may_shrink() || slots_of(hosts_) <= options_.min_ranks) return false;
        for (Host& host : hosts_)
            if (host.name == rank.host && host.slots > 0) {
                --host.slots;
                break;
            }
        std::erase_if(hosts_, [](const Host& host) { return host.slots == 0; });
        return true;
    }

private:
    bool may_shrink() const { return options_.min_ranks > 0; }
    const LaunchOptions& options_;
    std::vector<Host> hosts_;
    int ranks_ = 0;
};

int launch(const LaunchOptions& options) {
    Places places(options);
    const PrivateFolder folder;
    int status = 1;
    for (int start = 0, restarts = 0;; ++start) {
        const std::vector<PlacedRank> ranks = places.placed();
        if (ranks.empty()) return status;
        const std::string count = counted(int64_t(ranks.size()), "rank");
        if (restarts > 0)
            print_warning(fmt::format("launch: all {} start again (restart {} of {})", count,
                                      restarts, options.restarts));
        const JobEnd end = run_once(options, ranks, folder.path(), start);
        status = end.status;
        if (status == 0) return 0;
        print_error(fmt::format("launch: {}; the other ranks were ended", end.failure));
        if (end.was_told) return status;
        if (++restarts <= options.restarts) continue;
        const PlacedRank& failed = ranks[size_t(end.rank)];
        if (!places.leave_out(failed)) return status;
        restarts = 0;
        print_warning(fmt::format("launch: all start again, without the place of rank {}{}",
                                  failed.rank, failed.host.empty() ? "" : " on " + failed.host));
    }
}

}  // namespace

void add_launch(CLI::App& program) {
    auto options = std::make_shared<LaunchOptions>();
    auto* command = program.add_subcommand(
        "launch", "starts a program as several ranks, here or by ssh, and again if one fails");
    command
        ->add_option("-n,--ranks", options->ranks, "how many ranks; default: the slots of --hosts")
        ->check(CLI::Range(1, 1 << 20));
    command->add_option(
        "--hosts", options->hosts,
        "file with one machine on each line, HOST or HOST slots=4, to run on by ssh; "
        "default: this machine, without ssh");
    command
        ->add_option("--restarts", options->restarts,
                     "how many times all ranks start again when one fails")
        ->check(CLI::NonNegativeNumber);
    command
        ->add_option("--min-ranks", options->min_ranks,
                     "go on with fewer ranks, down to this number: on the hosts that can be "
                     "reached, and, when --restarts starts were in vain, without the place of the "
                     "rank that failed")
        ->check(CLI::Range(1, 1 << 20));
    command
        ->add_option("--grace", options->grace,
                     "seconds from SIGTERM to SIGKILL for ranks that are ended because another "
                     "failed")
        ->check(CLI::NonNegativeNumber);
    command->add_flag("--no-prefix", options->no_prefix,
                      "print no [RANK] before each line, and leave the terminal to the ranks");
    command
        ->add_option("-x,--variable", options->variables,
                     "NAME or NAME=VALUE, an environment variable for all ranks; again for more. "
                     "By ssh only CATENA_ variables are passed on otherwise")
        ->allow_extra_args(false);
    command->add_option("--ssh", options->ssh,
                        "the command that runs a shell on another machine; default: ssh -o "
                        "BatchMode=yes");
    command
        ->add_option("--port", options->port,
                     "where rank 0 of --hosts listens; default: a random one from 20000 to 29999")
        ->check(CLI::Range(1, 65535));
    command
        ->add_option("command", options->command,
                     "the program and its arguments; a name without a slash is searched in PATH")
        ->required();
    command->positionals_at_end();
    command->callback([options] {
        if (const int status = launch(*options)) throw CLI::RuntimeError(status);
    });
}

}  // namespace catena::tool
