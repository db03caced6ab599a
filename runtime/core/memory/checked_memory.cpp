#include "runtime/core/memory/checked_memory.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "runtime/core/system/environment.h"
#include "runtime/core/system/log.h"

#if defined(__SANITIZE_ADDRESS__)
#define CATENA_HAS_REDZONES 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CATENA_HAS_REDZONES 1
#endif
#endif

namespace catena::checked_memory {
namespace {

constexpr size_t checked_alignment = 64;
// A NaN in every float, and -1 or the largest number in every integer.
constexpr int fresh_byte = 0xFF;

#if defined(CATENA_HAS_REDZONES)
constexpr bool has_guards = false;
#else
constexpr bool has_guards = true;
#endif

constexpr size_t guard_bytes = has_guards ? 256 : 0;

/// Differs from block to block: a kernel may copy what lies behind one array to behind another.
struct Guard {
    uint8_t bytes[4];

    Guard(const void* block, size_t size) {
        const uint64_t mixed = (uintptr_t(block) / checked_alignment + size) * 0x9E3779B97F4A7C15u;
        // Little endian: 0xFFF. in both halves is NaN in float16, bfloat16, float32 and float64.
        bytes[0] = uint8_t(0xF0 | (mixed >> 60)), bytes[2] = uint8_t(0xF0 | ((mixed >> 56) & 15));
        bytes[1] = bytes[3] = 0xFF;
    }
    void write(uint8_t* to) const {
        for (size_t i = 0; i < guard_bytes; ++i) to[i] = bytes[i % 4];
    }
    /// The first byte that differs, or guard_bytes.
    size_t first_difference(const uint8_t* from) const {
        size_t i = 0;
        while (i < guard_bytes && from[i] == bytes[i % 4]) ++i;
        return i;
    }
};

[[noreturn]] void broken(const uint8_t* block, size_t bytes, const char* where, size_t distance) {
    say(LogLevel::error,
        fmt::format("CATENA_CHECK_MEMORY: something wrote {} bytes {} the array of {} bytes at {}",
                    distance, where, bytes, static_cast<const void*>(block)));
    std::abort();
}

}  // namespace

bool is_on() {
    static const bool on = environment::flag("CATENA_CHECK_MEMORY", false);
    return on;
}

void* allocate(size_t bytes) {
    void* whole = nullptr;
    if (bytes > SIZE_MAX - 2 * guard_bytes ||
        posix_memalign(&whole, checked_alignment, bytes + 2 * guard_bytes) != 0)
        return nullptr;
    uint8_t* const block = static_cast<uint8_t*>(whole) + guard_bytes;
    std::memset(block, fresh_byte, bytes);
    const Guard guard(block, bytes);
    guard.write(block - guard_bytes);
    guard.write(block + bytes);
    return block;
}

void free(void* data, size_t bytes) noexcept {
    auto* const block = static_cast<uint8_t*>(data);
    const Guard guard(block, bytes);
    // Of what was written before the block the last byte is not looked for: that something was,
    // tells enough.
    if (const size_t at = guard.first_difference(block - guard_bytes); at < guard_bytes)
        broken(block, bytes, "before", guard_bytes - at);
    if (const size_t at = guard.first_difference(block + bytes); at < guard_bytes)
        broken(block, bytes, "behind", at + 1);
    if (has_guards) std::memset(block, fresh_byte, bytes);  // What reads it from now on reads NaN.
    std::free(block - guard_bytes);
}

}  // namespace catena::checked_memory
