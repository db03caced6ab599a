#include "runtime/core/out_of_memory.h"

namespace catena {
namespace {

std::string message(const std::string& who, size_t asked, size_t held) {
    const std::string what =
        asked ? fmt::format("the system refused {} bytes", asked) : "the system refused more";
    return fmt::format("{}: out of memory: {}, {} bytes are held already", who, what, held);
}

}  // namespace

OutOfMemory::OutOfMemory(const std::string& who, size_t asked, size_t held)
    : DeviceError(message(who, asked, held)), bytes(asked), held(held) {}

}  // namespace catena
