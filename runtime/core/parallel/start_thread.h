#pragma once

#include <functional>
#include <thread>

namespace catena {

/// A thread that runs `work`. Error that says `what` it was for, where the system has no more of
/// them.
std::thread start_thread(const char* what, std::function<void()> work);

}  // namespace catena
