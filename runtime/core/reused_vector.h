#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace catena {

/// A list that calls make again and again: it begins empty, with the memory of an earlier list of
/// this thread.
template <class T>
class ReusedVector : public std::vector<T> {
public:
    ReusedVector() {
        if (Lists* idle = idle_lists(); idle && !idle->empty()) {
            this->swap(idle->back());
            idle->pop_back();
        }
    }
    explicit ReusedVector(size_t size) : ReusedVector() { this->resize(size); }
    ReusedVector(const ReusedVector&) = delete;
    ReusedVector& operator=(const ReusedVector&) = delete;
    ~ReusedVector() {
        this->clear();
        if (this->capacity() == 0 || this->capacity() * sizeof(T) > most_bytes) return;
        if (Lists* idle = idle_lists(); idle && idle->size() < most_idle)
            idle->emplace_back().swap(*this);
    }

private:
    using Lists = std::vector<std::vector<T>>;
    static constexpr size_t most_idle = 8;  ///< Lists of one call that live at a time.
    static constexpr size_t most_bytes = size_t(256)
                                         << 10;  ///< Of a list that is kept: to allocate a longer
                                                 ///< one costs little beside filling it.

    /// Null at the end of the thread.
    static Lists* idle_lists() {
        struct Idle {
            Lists lists;
            bool& ended;
            explicit Idle(bool& ended) : ended(ended) { lists.reserve(most_idle); }
            ~Idle() { ended = true; }
        };
        thread_local bool ended = false;  // Has no destructor, so it can still be asked.
        if (ended) return nullptr;
        thread_local Idle idle(ended);
        return &idle.lists;
    }
};

}  // namespace catena
