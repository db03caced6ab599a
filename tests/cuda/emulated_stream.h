#pragma once

#include <atomic>
#include <cstdint>

namespace catena::testing {

/// What the handle of an emulated device's stream points at: doubles of libraries count in it what
/// they were given and what of it they have done.
struct EmulatedStream {
    static constexpr uint64_t proof = 0x5f73747265616d5f;
    uint64_t is_stream = proof;
    std::atomic<int64_t> given{0}, done{0};
    std::atomic<int64_t> waits{0};  ///< For marks of the device.
    /// Does what the stream has been given before; a library calls it first. Null where nothing
    /// waits.
    void (*do_earlier_work)(EmulatedStream& stream) = nullptr;
};

}  // namespace catena::testing
