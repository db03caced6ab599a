#pragma once

#include <cstdint>
#include <vector>

namespace catena::capture {

/// A hash table from addresses to numbers. Clearing is O(1) and keeps the memory, so one table is
/// reused for many calls.
class PointerTable {
public:
    void clear() {
        ++epoch_;
        count_ = 0;
    }
    size_t size() const { return count_; }

    /// The number of `key`, or null.
    int* find(const void* key) {
        if (count_ == 0) return nullptr;
        Slot& slot = place(key);
        return slot.epoch == epoch_ ? &slot.number : nullptr;
    }
    /// The number of `key`; inserts `number` if it has none.
    int& insert(const void* key, int number) {
        if ((count_ + 1) * 2 > slots_.size()) grow();
        Slot& slot = place(key);
        if (slot.epoch != epoch_) {
            slot = {key, epoch_, number};
            ++count_;
        }
        return slot.number;
    }

private:
    struct Slot {
        const void* key = nullptr;
        uint64_t epoch = 0;
        int number = 0;
    };

    Slot& place(const void* key) {
        const size_t mask = slots_.size() - 1;
        size_t i = (uintptr_t(key) >> 4) * 0x9E3779B97F4A7C15u >> 20 & mask;
        while (slots_[i].epoch == epoch_ && slots_[i].key != key) i = (i + 1) & mask;
        return slots_[i];
    }
    void grow() {
        std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
        old.swap(slots_);
        const uint64_t was = epoch_++;
        for (const Slot& slot : old)
            if (slot.epoch == was) place(slot.key) = {slot.key, epoch_, slot.number};
    }

    std::vector<Slot> slots_;
    uint64_t epoch_ = 1;
    size_t count_ = 0;
};

}  // namespace catena::capture
