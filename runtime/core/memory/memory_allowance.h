#pragma once

#include <cstddef>
#include <cstdint>

namespace catena {

/// While one lives, arrays of the host that its thread makes may take so many bytes more than the
/// process had in use at its beginning: FileError for the one that exceeds it, before there is
/// memory of it. For what is computed because a file says so, whose few bytes can ask for all
/// memory of a machine. Inside of another the smaller rest counts.
class MemoryAllowance {
public:
    explicit MemoryAllowance(uint64_t bytes);
    ~MemoryAllowance();
    MemoryAllowance(const MemoryAllowance&) = delete;
    MemoryAllowance& operator=(const MemoryAllowance&) = delete;

private:
    uint64_t before_;
};

/// FileError where this thread may take no more.
void check_allowance(size_t bytes);

}  // namespace catena
