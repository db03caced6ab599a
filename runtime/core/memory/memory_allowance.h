#pragma once

#include <cstddef>
#include <cstdint>

namespace catena {

/// Limits the host memory that this thread's new arrays may take while it is alive: so many bytes
/// more than the process had in use at its beginning. The array that exceeds it is a FileError,
/// before memory is allocated. It guards computations that a file asks for, whose few bytes can
/// demand all memory of a machine. Nested allowances: the smaller remainder counts.
class MemoryAllowance {
public:
    explicit MemoryAllowance(uint64_t bytes);
    ~MemoryAllowance();
    MemoryAllowance(const MemoryAllowance&) = delete;
    MemoryAllowance& operator=(const MemoryAllowance&) = delete;

private:
    uint64_t before_;
};

/// FileError where the thread's allowance has fewer than `bytes` left.
void check_allowance(size_t bytes);

}  // namespace catena
