#pragma once

#include <string>

namespace catena {

/// While one is alive, compiled programs record what they spend their time on, on all threads;
/// StaticGraph::profile() returns it. The outermost one begins anew, unless CATENA_PROFILE records
/// the whole process.
class ProfileScope {
public:
    /// Begins to record.
    ProfileScope();
    ~ProfileScope();
    ProfileScope(const ProfileScope&) = delete;
};

/// Writes all slices recorded so far in Chrome's trace event format, which Perfetto opens.
/// FileError when the file cannot be written; an older one is then untouched.
void save_trace(const std::string& path);

}  // namespace catena
