#include "runtime/core/array/foreign_array.h"

#include <algorithm>
#include <new>
#include <utility>

#include "runtime/core/array/code_device.h"
#include "runtime/core/array/device.h"
#include "runtime/core/array/foreign_storage.h"
#include "runtime/core/array/sizes.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/per_thread.h"

namespace catena {
namespace {

struct ForeignStorage : Storage {
    std::function<void()> release;
    std::function<bool()> others_may_write;
    ForeignStorage* next = nullptr;  ///< The next one of those that wait to be released.

    // Not a Storage from its pool.
    static void* operator new(size_t bytes) { return ::operator new(bytes); }
    static void operator delete(void* storage) { ::operator delete(storage); }
};

struct Waiting {
    int scopes = 0;
    ForeignStorage* first = nullptr;
};
constinit PerThread<Waiting> waiting_releases;

/// What was launched on a device may still read the memory.
void finish_work(Device& device) noexcept {
    auto* const asynchronous = dynamic_cast<CodeDevice*>(&device);
    if (!asynchronous) return;
    try {
        asynchronous->synchronize();
    } catch (const std::exception&) {  // A device that is lost runs nothing any more.
    }
}

void release_now(ForeignStorage* storage) noexcept {
    finish_work(*storage->device);
    const std::function<void()> release = std::move(storage->release);
    delete storage;
    if (release) release();
}

/// The offsets of the first and the last element in memory from element [0,...,0].
std::pair<int64_t, int64_t> extent(const Shape& shape, const Strides& strides) {
    int64_t lowest = 0, highest = 0;
    for (int i = 0; i < shape.rank(); ++i) {
        int64_t last = 0, &end = strides[i] < 0 ? lowest : highest;
        if (__builtin_mul_overflow(shape[i] - 1, strides[i], &last) ||
            __builtin_add_overflow(end, last, &end))
            fail<ShapeError>("foreign_array: strides {} lead further than 64 bits",
                             to_string(strides));
    }
    return {lowest, highest};
}

void check(const ForeignMemory& memory) {
    const Type& type = memory.type;
    byte_count(type);  // ShapeError for what no array can be.
    if (memory.strides.rank() != type.shape.rank())
        fail<ShapeError>("foreign_array: {} has {} dimensions, the strides {} have {}",
                         to_string(type), type.shape.rank(), to_string(memory.strides),
                         memory.strides.rank());
    if (element_count(type.shape) == 0) return;
    if (!memory.data) fail<ValueError>("foreign_array: the pointer to {} is null", to_string(type));
    const size_t size = size_of(type.dtype);
    if (reinterpret_cast<uintptr_t>(memory.data) % size != 0)
        fail<ValueError>(
            "foreign_array: the pointer to {} is no multiple of {} bytes, the size of an element; "
            "copy the elements to where it is",
            to_string(type), size);
}

Array array_over(const ForeignMemory& memory, Ref<Storage> storage) {
    const Type& type = memory.type;
    const auto size = int64_t(size_of(type.dtype));
    int64_t first = 0;
    if (element_count(type.shape) > 0) {
        const auto [lowest, highest] = extent(type.shape, memory.strides);
        first = -lowest;
        storage->bytes = size_t(highest - lowest + 1) * size_t(size);
        storage->data = static_cast<std::byte*>(memory.data) + lowest * size;
    }
    Ref<ArrayBody> body = make_ref<ArrayBody>();
    body->storage = std::move(storage);
    body->type.dtype = type.dtype;
    return Array(std::move(body)).view(type.shape, memory.strides, first);
}

}  // namespace

const std::function<void()>* release_of(const Array& array) {
    const Storage* const storage = array.storage().get();
    return storage->is_foreign ? &static_cast<const ForeignStorage*>(storage)->release : nullptr;
}

void release_foreign(Storage* storage) noexcept {
    auto* const foreign = static_cast<ForeignStorage*>(storage);
    Waiting& waiting = waiting_releases.get();
    if (waiting.scopes == 0) return release_now(foreign);
    foreign->next = std::exchange(waiting.first, foreign);
}

bool others_may_write(const Storage& foreign) {
    const auto& asked = static_cast<const ForeignStorage&>(foreign).others_may_write;
    return !asked || asked();
}

Array foreign_array(ForeignMemory memory) {
    ForeignStorage* made = nullptr;
    try {
        made = new ForeignStorage;
    } catch (const std::bad_alloc&) {
        if (memory.release) memory.release();
        throw;
    }
    made->release = std::move(memory.release);
    made->others_may_write = std::move(memory.others_may_write);
    made->device = memory.device ? memory.device : &cpu_device();
    made->is_foreign = true;
    made->is_read_only = memory.is_read_only;
    made->expose();
    Ref<Storage> storage = Ref<Storage>::first(made);  // Releases it if anything fails.
    check(memory);
    return array_over(memory, std::move(storage));
}

ReleaseLater::ReleaseLater() { ++waiting_releases.get().scopes; }

ReleaseLater::~ReleaseLater() {
    Waiting& waiting = waiting_releases.get();
    if (--waiting.scopes > 0) return;
    while (ForeignStorage* first = waiting.first) {
        waiting.first = first->next;
        release_now(first);
    }
}

}  // namespace catena
