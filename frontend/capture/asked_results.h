#pragma once

#include <mutex>
#include <utility>

#include "frontend/capture/planned/expected_results.h"

namespace catena::capture {

/// Of which results the latest backwards through calls were given gradients. The next call is
/// recorded and compiled for those alone, as eager code does nothing for the others; all, before
/// there was a backward.
class AskedResults {
public:
    explicit AskedResults(AskedMask first) : latest_(std::move(first)) {}
    /// After a backward for which the present program was none. True when it is the second in a row
    /// that asked for these: one alone, as at the end of a sequence, is not worth a program.
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
