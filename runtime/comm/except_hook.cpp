#include "runtime/comm/except_hook.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <initializer_list>

#include <fmt/core.h>

#include "runtime/core/system/environment.h"
#include "runtime/core/system/log.h"

namespace catena {
namespace {

std::weak_ptr<Communicator>& hooked() {
    static auto& communicator =
        *new std::weak_ptr<Communicator>;  // Used while statics are destroyed.
    return communicator;
}

std::string text_of(const std::exception_ptr& exception) {
    if (!exception) return "std::terminate was called without an exception";
    try {
        std::rethrow_exception(exception);
    } catch (const std::exception& error) {
        return error.what();
    } catch (...) {
        return "an unknown exception";
    }
}

[[noreturn]] void end_all_ranks() {
    const std::string text = text_of(std::current_exception());
    std::shared_ptr<Communicator> communicator = hooked().lock();
    say(LogLevel::error, fmt::format("uncaught exception on rank {}: {}",
                                     communicator ? communicator->rank() : -1, text));
    try {
        if (communicator) communicator->abort(1, "uncaught exception");
    } catch (...) {
        // Of a group of threads: this process is all of it.
    }
    std::abort();
}

}  // namespace

void add_global_except_hook(const std::shared_ptr<Communicator>& communicator) {
    static bool added = false;
    if (added) {
        say(LogLevel::warning, "add_global_except_hook was called before; this call has no effect");
        return;
    }
    added = true;
    hooked() = communicator;
    std::set_terminate(end_all_ranks);
}

bool wants_global_except_hook() {
    return std::ranges::any_of(
        std::initializer_list<const char*>{"CATENA_FORCE_ABORT_ON_EXCEPTION",
                                           "CHAINERMN_FORCE_ABORT_ON_EXCEPTION",
                                           "CHAINERMN_FORCE_ABORT_ON_EXCEPTIONS"},
        [](const char* wish) { return environment::flag(wish, false); });
}

}  // namespace catena
