#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "runtime/core/system/per_thread.h"

namespace catena {

/// A vector for lists that calls make again and again: it begins empty, with the memory of an
/// earlier vector of this thread.
template <class T>
class ReusedVector : public std::vector<T> {
public:
    ReusedVector() {
        if (Lists& idle = idle_lists(); !idle.empty()) {
            this->swap(idle.back());
            idle.pop_back();
        }
    }
    explicit ReusedVector(size_t size) : ReusedVector() { this->resize(size); }
    ReusedVector(const ReusedVector&) = delete;
    ReusedVector& operator=(const ReusedVector&) = delete;
    ~ReusedVector() {
        this->clear();
        if (this->capacity() == 0 || this->capacity() * sizeof(T) > most_bytes) return;
        if (Lists& idle = idle_lists(); idle.size() < most_idle) idle.emplace_back().swap(*this);
    }

private:
    using Lists = std::vector<std::vector<T>>;
    /// The largest number of idle vectors that a thread keeps: as many as one call uses at a time.
    static constexpr size_t most_idle = 8;
    /// The largest vector whose memory is kept, in bytes: for a longer one allocation is cheap
    /// beside filling it.
    static constexpr size_t most_bytes = size_t(256) << 10;

    static Lists& idle_lists() {
        static constinit PerThread<Lists> idle;
        return idle.get([] {
            Lists lists;
            lists.reserve(most_idle);
            return lists;
        });
    }
};

}  // namespace catena
