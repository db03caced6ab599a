#pragma once

#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/comm/communicator.h"

namespace catena {

/// Checks that all ranks give the same lines. Otherwise a ValueError on all ranks: "WHAT: rank 0
/// has LINE, rank 2 LINE".
void agree(Communicator& communicator, const char* what, const std::vector<std::string>& lines);

/// Calls f on rank `root`. Its exception ends all ranks: others fail with a CommunicationError,
/// "WHAT: " and its message.
void on_root(Communicator& communicator, const char* what, const std::function<void()>& f,
             int root = 0);

/// The message of an exception, for other ranks, which would wait otherwise; also for exceptions
/// that are no std::exception.
std::string message_of(const std::exception_ptr& error);

[[noreturn]] void add_note(const CommunicationError& error, const char* note);

/// Returns f(). A CommunicationError in it gets the note: what f is for, and what the ranks must
/// do.
template <class F>
auto with_note(const char* note, F&& f) {
    try {
        return f();
    } catch (const CommunicationError& error) {
        add_note(error, note);
    }
}

/// States with their paths, of parameters and persistents.
using NamedStates = std::vector<std::pair<std::string, Variable>>;

/// Replaces the content of states by that of rank `root`, where that rank's are initialised.
/// ValueError, on all ranks, unless all have the same paths and their initialised states the types
/// of root's.
void bcast_states(Communicator& communicator, const char* what, const NamedStates& states,
                  int root);

}  // namespace catena
