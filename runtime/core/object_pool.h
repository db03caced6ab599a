#pragma once

#include <cstddef>
#include <new>

namespace catena {

/// Objects of one class from a list of this thread, for classes made and freed by every operation:
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
        List& list = list_;
        if (Free* first = list.first) {
            list.first = first->next;
            --list.count;
            return first;
        }
        return ::operator new(bytes, alignment);
    }

    static void free(void* object) noexcept {
        List& list = list_;
        if (list.count >= list.limit) {
            free_slowly(object);
            return;
        }
        list.first = new (object) Free{list.first};
        ++list.count;
    }

private:
    struct Free {
        Free* next;
    };
    static constexpr size_t bytes = sizeof(T) < sizeof(Free) ? sizeof(Free) : sizeof(T);
    static constexpr std::align_val_t alignment{alignof(T)};
#if defined(__SANITIZE_ADDRESS__)
    static constexpr size_t kept_bytes = 0;
#else
    static constexpr size_t kept_bytes = size_t(8) << 20;
#endif

    /// Constant-initialised and trivially destroyed, so that reaching it costs one instruction.
    struct List {
        Free* first;
        size_t count;
        size_t
            limit;  ///< 0 until the first free registered the cleaner, and after the thread's end.
        bool registered;
    };
    struct Cleaner {
        ~Cleaner() {
            list_.limit = 0;
            while (Free* first = list_.first) {
                list_.first = first->next;
                ::operator delete(first, alignment);
            }
            list_.count = 0;
        }
    };

    [[gnu::noinline]] static void free_slowly(void* object) noexcept {
        if (list_.registered) {
            ::operator delete(object, alignment);
            return;
        }
        thread_local Cleaner cleaner;
        static_cast<void>(&cleaner);
        list_.registered = true;
        list_.limit = kept_bytes / bytes;
        free(object);
    }

    static inline thread_local List list_ [[gnu::tls_model("initial-exec")]] = {};
};

}  // namespace catena
