#include "runtime/cpu/scratch.h"

#include "runtime/core/array/device.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/error.h"

namespace catena {

Scratch::Scratch(std::span<std::byte> planned, size_t bytes) : left_(planned) {
    if (planned.size() >= bytes) return;
    block_ = Array::empty({Dtype::uint8, Shape{int64_t(bytes)}}, cpu_device());
    left_ = {static_cast<std::byte*>(block_.to_fill()), bytes};
}

std::byte* Scratch::take(size_t bytes) {
    if (bytes == 0) return nullptr;
    CATENA_ASSERT(rounded(bytes) <= left_.size(),
                  "the pieces of scratch memory are those that were announced");
    std::byte* const piece = left_.data();
    left_ = left_.subspan(rounded(bytes));
    if (!checked_memory::is_on()) return piece;
    apart_.push_back({checked_memory::allocate(bytes), {bytes}});
    if (!apart_.back())
        throw OutOfMemory("cpu: scratch memory", bytes, cpu_memory_statistics().bytes_reserved);
    return static_cast<std::byte*>(apart_.back().get());
}

Array float_memory(int64_t floats) {
    return Array::empty({Dtype::float32, Shape{floats}}, cpu_device());
}

}  // namespace catena
