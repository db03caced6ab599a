#include "runtime/program/run/recorded_work.h"

#include <algorithm>

#include "runtime/core/system/hash.h"

namespace catena::program {

namespace {

uint64_t hash_of(std::span<const uint64_t> key) {
    uint64_t hash = key.size();
    for (uint64_t number : key) hash = mixed_hash(hash, number);
    return hash;
}

/// A form costs as much as a number of calls without one.
constexpr int64_t worth = 8;

}  // namespace

bool RecordedWork::was_seen(std::span<const uint64_t> key) {
    const uint64_t hash = hash_of(key);
    const auto found = std::find(seen_.begin(), seen_.end(), hash);
    if (found != seen_.end()) {
        seen_.erase(found);
        return true;
    }
    seen_.push_front(hash);
    if (seen_.size() > most_seen) seen_.pop_back();
    return false;
}

CodeDevice::Replay* RecordedWork::find(std::span<const uint64_t> key, CodeDevice& device,
                                       std::span<const CodeDevice::Work> work) {
    if (is_off_) return nullptr;
    const auto known = std::find_if(forms_.begin(), forms_.end(), [&](const Form& form) {
        return std::ranges::equal(form.key, key);
    });
    if (known != forms_.end()) {
        ++finds_;
        forms_.splice(forms_.begin(), forms_, known);
        return known->replay.get();
    }
    if (!was_seen(key)) return nullptr;
    if (recordings_ >= 2 * int(most_forms) && finds_ < worth * recordings_) {
        is_off_ = true;
        forms_.clear();
        return nullptr;
    }
    std::unique_ptr<CodeDevice::Replay> made = device.record(work);
    if (!made) {
        is_off_ = true;
        return nullptr;
    }
    ++recordings_;
    if (forms_.size() == most_forms) forms_.pop_back();
    forms_.push_front({std::vector<uint64_t>(key.begin(), key.end()), std::move(made)});
    return forms_.front().replay.get();
}

}  // namespace catena::program
