#include "runtime/core/memory/out_of_memory.h"

#include "runtime/core/memory/memory_statistics.h"

namespace catena {
namespace {

std::string message(const std::string& who, size_t asked, size_t held) {
    const std::string what =
        asked ? fmt::format("the system refused {} bytes", asked) : "the system refused more";
    return fmt::format("{}: out of memory: {}, {} bytes are held already", who, what, held);
}

/// An error that was made while there was memory for its text. Copies share the text.
const OutOfMemory& prepared() {
    static const OutOfMemory& error = *new OutOfMemory("catena", 0, 0);
    return error;
}
[[maybe_unused]] const OutOfMemory& made_at_start = prepared();

OutOfMemory described(std::string_view what, std::string_view which) {
    try {
        const std::string who = which.empty()  ? std::string(what)
                                : what.empty() ? std::string(which)
                                               : fmt::format("{}: {}", what, which);
        return OutOfMemory(who, 0, cpu_memory_statistics().bytes_reserved);
    } catch (const std::bad_alloc&) {
        return prepared();
    }
}

}  // namespace

OutOfMemory::OutOfMemory(const std::string& who, size_t asked, size_t held)
    : DeviceError(message(who, asked, held)), bytes(asked), held(held) {}

void throw_out_of_memory(std::string_view what, std::string_view which) {
    throw described(what, which);
}

}  // namespace catena
