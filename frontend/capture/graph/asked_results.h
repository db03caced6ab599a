#pragma once

#include <mutex>
#include <utility>

#include "frontend/capture/planned/expected_results.h"

namespace catena::capture {

/// Remembers for which results the latest backwards through a region's calls were given gradients.
/// The next call is recorded and compiled for those results alone, as eager code does nothing for
/// the others; before any backward, for all.
class AskedResults {
public:
    explicit AskedResults(AskedMask first) : latest_(std::move(first)) {}
    /// Reports a backward that asked for results for which the present program was not made. True
    /// for the second such report in a row with the same results: a single one, as at the end of a
    /// sequence, is not worth a program.
    bool missed(AskedMask mask) {
        std::lock_guard lock(mutex_);
        if (missed_ != mask) {
            missed_ = std::move(mask);
            return false;
        }
        latest_ = std::move(mask);
        return true;
    }
    void met() {
        std::lock_guard lock(mutex_);
        missed_.clear();
    }
    AskedMask latest() const {
        std::lock_guard lock(mutex_);
        return latest_;
    }
    bool is_latest(const AskedMask& mask) const {
        std::lock_guard lock(mutex_);
        return latest_ == mask;
    }

private:
    mutable std::mutex mutex_;
    AskedMask latest_, missed_;
};

}  // namespace catena::capture
