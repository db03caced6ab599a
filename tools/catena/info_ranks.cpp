// catena info --ranks: what create_communicator() finds out about how the process was started.
#include "tools/catena/info_ranks.h"

#include <fmt/core.h>

#include "runtime/comm/create.h"
#include "tools/catena/terminal.h"

namespace catena::tool {
namespace {

std::string line_of(const std::string& name, const std::string& value) {
    return fmt::format("{} {}\n", styled(Style::heading, fmt::format("{:<12}", name)), value);
}

std::string local_place(const Launched& launched) {
    if (!launched.local_rank)
        return "not told: by the names of the machines, when the ranks have met";
    std::string text = std::to_string(*launched.local_rank);
    if (launched.local_size) text += fmt::format(" of {}", *launched.local_size);
    return text +
           fmt::format("; its GPU is cuda:{}, or the only one that it sees", *launched.local_rank);
}

}  // namespace

void print_ranks() {
    const Launched launched = find_launched();
    const ChosenCommunicator chosen = chosen_communicator(launched);
    std::string text = line_of("started by", launched.launcher + ": " + launched.why);
    text +=
        line_of("rank", launched.size == 0 ? fmt::format("{} of as many as MPI says", launched.rank)
                                           : fmt::format("{} of {}", launched.rank, launched.size));
    if (launched.launcher != "none") {
        text += line_of("on machine", local_place(launched));
        text += line_of("meeting", launched.rendezvous.empty() ? "by MPI" : launched.rendezvous);
    }
    std::string communicator = chosen.name;
    if (chosen.name != "local") communicator += "; pure_nccl if every rank has a GPU and NCCL";
    text += line_of("communicator", communicator);
    fmt::print("{}", text);  // At once: the lines of other ranks do not come between.
}

}  // namespace catena::tool
