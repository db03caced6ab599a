#pragma once

#include <map>
#include <mutex>
#include <vector>

namespace catena::capture {

/// For each result of a region's call, whether backward is given its gradient.
using AskedMask = std::vector<bool>;

/// A guess, for calls of sizes that have not been seen, of which results backward will be given
/// gradients: those of the latest call with as many results, or all.
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
