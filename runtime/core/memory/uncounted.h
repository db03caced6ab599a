#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

#include "runtime/core/memory/ref.h"

namespace catena {

/// A list of handles that count no references, for one call: to count them up and down costs more
/// than most operations. The objects must be kept alive by others as long as the list lasts. Copies
/// of its handles count as always. The first N handles need no allocation.
///
///     const Uncounted<Array, 4> arrays(n, [&](size_t i) { return inputs[i]->array().body(); });
template <class Handle, size_t N>
class Uncounted {
public:
    /// `count` handles, of the objects that object_of(i) points at.
    template <class ObjectOf>
    Uncounted(size_t count, ObjectOf&& object_of) : count_(count) {
        if (count > N) many_ = std::make_unique<Place[]>(count);
        for (size_t i = 0; i < count; ++i)
            new (places() + i) Handle(Ref<ObjectIn<ObjectOf>>::uncounted(object_of(i)));
    }
    Uncounted(const Uncounted&) = delete;
    Uncounted& operator=(const Uncounted&) = delete;

    /// The handles, as long as the list lasts.
    operator std::span<const Handle>() const { return {handles(), count_}; }

private:
    template <class ObjectOf>
    using ObjectIn = std::remove_pointer_t<std::invoke_result_t<ObjectOf, size_t>>;
    /// Handles have no destructor called: it would drop references that were not counted.
    struct alignas(Handle) Place {
        std::byte bytes[sizeof(Handle)];
    };
    const Place* places() const { return many_ ? many_.get() : few_; }
    Place* places() { return many_ ? many_.get() : few_; }
    const Handle* handles() const {
        return std::launder(reinterpret_cast<const Handle*>(places()));
    }

    size_t count_;
    Place few_[N];
    std::unique_ptr<Place[]> many_;
};

}  // namespace catena
