#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <set>
#include <string>

namespace catena::structure {

/// What earlier runs found in order, in a file of the build folder: what did not change since is
/// not checked again.
class Proven {
public:
    explicit Proven(std::filesystem::path file);
    /// Writes what this run asked for and has, or added; what nobody asked for is forgotten.
    ~Proven();
    Proven(const Proven&) = delete;
    Proven& operator=(const Proven&) = delete;

    /// `facts`: all that the outcome depends on.
    bool has(const std::string& facts);
    void add(const std::string& facts);

private:
    std::filesystem::path file_;
    std::mutex mutex_;
    std::set<uint64_t> before_, now_;
};

}  // namespace catena::structure
