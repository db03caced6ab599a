#pragma once

#include <cstddef>
#include <new>

#include "runtime/core/system/per_thread.h"

namespace catena {

/// A pool of objects of one class, with a list of free ones for each thread. It serves classes
/// whose objects every operation makes and frees:
///
///     void* Node::operator new(size_t) { return ObjectPool<Node>::allocate(); }
///     void Node::operator delete(void* node) { ObjectPool<Node>::free(node); }
///
/// An object may be freed on another thread than the one that made it. A thread's list is bounded,
/// and freed when the thread ends. Under the address sanitizer nothing is kept: it sees uses of
/// what was freed.
template <class T>
class ObjectPool {
public:
    static void* allocate() {
        const Free* const first = first_;
        if (Free* const next = first->next) {
            first_ = next;
            return const_cast<Free*>(first);
        }
        return ::operator new(bytes, alignment);
    }

    static void free(void* object) noexcept {
        Free* const first = first_;
        if (first->count >= most) {
            free_slowly(object);
            return;
        }
        first_ = new (object) Free{first, first->count + 1};
    }

private:
    struct Free {
        Free* next;
        size_t count;  ///< Length of the list that begins with this object.
    };
    static constexpr size_t bytes = sizeof(T) < sizeof(Free) ? sizeof(Free) : sizeof(T);
    static constexpr std::align_val_t alignment{alignof(T) < alignof(Free) ? alignof(Free)
                                                                           : alignof(T)};
#if defined(__SANITIZE_ADDRESS__)
    static constexpr size_t most = 0;
#else
    static constexpr size_t most = (size_t(8) << 20) / bytes;
#endif

    /// The state of a thread that has freed no object yet, and of one that has ended.
    static inline constinit Free unused_{nullptr, most};
    static inline constinit Free empty_{nullptr, 0};

    struct Cleaner {
        ~Cleaner() {
            for (Free* each = first_; each->next;) {
                Free* const next = each->next;
                ::operator delete(each, alignment);
                each = next;
            }
            first_ = &unused_;
        }
    };

    [[gnu::noinline]] static void free_slowly(void* object) noexcept {
        if (most == 0 || first_ != &unused_) {
            ::operator delete(object, alignment);
            return;
        }
        static constinit PerThread<Cleaner> cleaner;
        try {
            cleaner.get();
        } catch (const std::bad_alloc&) {
            ::operator delete(object, alignment);
            return;
        }
        first_ = &empty_;
        free(object);
    }

    /// The head of this thread's list, and its only thread_local variable, because thread_local
    /// memory is scarce.
    static inline constinit thread_local Free* first_ [[gnu::tls_model("initial-exec")]] = &unused_;
};

}  // namespace catena
