#pragma once

#include <functional>
#include <thread>

namespace catena {

/// Starts a thread that runs `work`. Where the system has no more threads: an Error that says
/// `what` it was for.
std::thread start_thread(const char* what, std::function<void()> work);

}  // namespace catena
