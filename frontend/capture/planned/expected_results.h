#pragma once

#include <map>
#include <mutex>
#include <vector>

namespace catena::capture {

/// For each result of a region's call: backward is given its gradient.
using AskedMask = std::vector<bool>;

/// Of which results backward is given gradients in calls that have not been seen, by their number
/// of results: those of a new size are asked what others were.
class ExpectedResults {
public:
    AskedMask of(size_t results) const {
        std::lock_guard lock(mutex_);
        const auto known = latest_.find(results);
        return known == latest_.end() ? AskedMask(results, true) : known->second;
    }
    void set(const AskedMask& mask) {
        std::lock_guard lock(mutex_);
        latest_[mask.size()] = mask;
    }

private:
    mutable std::mutex mutex_;
    std::map<size_t, AskedMask> latest_;
};

}  // namespace catena::capture
