#pragma once

#include <cstdlib>
#include <string>

namespace catena {

/// CATENA_COMM_TIMEOUT while it lives. The tests' own is 100 s (timeout.cpp): what hangs ends by
/// itself, and naming a rank, before anybody loses patience.
class TimeoutScope {
public:
    explicit TimeoutScope(const char* seconds) : before_(std::getenv("CATENA_COMM_TIMEOUT")) {
        setenv("CATENA_COMM_TIMEOUT", seconds, 1);
    }
    ~TimeoutScope() { setenv("CATENA_COMM_TIMEOUT", before_.c_str(), 1); }
    TimeoutScope(const TimeoutScope&) = delete;

private:
    std::string before_;
};

}  // namespace catena
