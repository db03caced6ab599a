#include "frontend/parallel/agreement.h"

#include <algorithm>
#include <exception>
#include <optional>

#include "frontend/parallel/lines.h"
#include "runtime/core/array/device.h"
#include "runtime/graph/call/held_state.h"
#include "runtime/graph/call/recorder.h"

namespace catena {
namespace {

std::string first_line_unlike(const std::vector<std::string>& lines,
                              const std::vector<std::string>& others) {
    const size_t at =
        size_t(std::mismatch(lines.begin(), lines.end(), others.begin(), others.end()).first -
               lines.begin());
    return at < lines.size() ? lines[at] : "nothing more";
}

/// "" when this rank's states can take those of root.
std::string problem_of(const NamedStates& states, const std::vector<std::string>& of_root, int rank,
                       int root) {
    if (states.size() != of_root.size())
        return fmt::format("rank {} has {} states, rank {} {}", root, of_root.size(), rank,
                           states.size());
    for (size_t i = 0; i < states.size(); ++i) {
        const auto& [path, state] = states[i];
        const size_t space = of_root[i].find(' ');
        const std::string root_path = of_root[i].substr(0, space),
                          type = of_root[i].substr(space + 1);
        if (path != root_path)
            return fmt::format("rank {} has {} where rank {} has {}", root, root_path, rank, path);
        if (type != "none" && state.array().defined() && to_string(state.type()) != type)
            return fmt::format("{} is {} on rank {} and {} on rank {}", path, type, root,
                               to_string(state.type()), rank);
    }
    return "";
}

}  // namespace

void agree(Communicator& communicator, const char* what, const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    const std::vector<std::string> all = communicator.allgather_bytes(text);
    const auto other =
        std::ranges::find_if(all, [&](const std::string& each) { return each != all[0]; });
    if (other == all.end()) return;
    const auto first = lines_of(all[0]), theirs = lines_of(*other);
    fail<ValueError>("{}: rank 0 has {}, rank {} {}; all ranks must have the same", what,
                     first_line_unlike(first, theirs), other - all.begin(),
                     first_line_unlike(theirs, first));
}

void on_root(Communicator& communicator, const char* what, const std::function<void()>& f,
             int root) {
    std::optional<std::string> problem;
    std::exception_ptr error;
    if (communicator.rank() == root) {
        try {
            f();
        } catch (...) {
            error = std::current_exception();
            problem = message_of(error);
        }
    }
    const std::string message = communicator.bcast_bytes(problem ? "!" + *problem : "", root);
    if (error) std::rethrow_exception(error);
    if (!message.empty()) fail<CommunicationError>("{}: {}", what, message.substr(1));
}

std::string message_of(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const std::exception& e) {
        return e.what();
    } catch (...) {
        return "what was thrown is no std::exception";
    }
}

void add_note(const CommunicationError& error, const char* note) {
    std::string text = error.what();  // Ends with the place, which the new error adds again.
    if (const std::string place = fmt::format(" (at {})", to_string(current_location()));
        text.ends_with(place))
        text.resize(text.size() - place.size());
    fail<CommunicationError>("{}; {}", text, note);
}

void bcast_states(Communicator& communicator, const char* what, const NamedStates& states,
                  int root) {
    const RecorderScope paused(nullptr);
    std::string text;
    for (const auto& [path, state] : states)
        text += path + " " + (state.array().defined() ? to_string(state.type()) : "none") + "\n";
    const std::vector<std::string> of_root = lines_of(communicator.bcast_bytes(text, root));
    for (const std::string& problem :
         communicator.allgather_bytes(problem_of(states, of_root, communicator.rank(), root)))
        if (!problem.empty()) fail<ValueError>("{}: the ranks' models differ: {}", what, problem);
    for (size_t i = 0; i < states.size(); ++i) {
        if (of_root[i].ends_with(" none")) continue;
        const Variable& state = states[i].second;
        Device& device = state.array().defined() ? state.device() : current_device();
        update_content(state, communicator.bcast(state.array(), root).to(device));
    }
}

}  // namespace catena
