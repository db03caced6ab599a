#pragma once

#include <chrono>
#include <thread>

namespace catena {

/// Waits for another rank by polling with increasing back-off, which leaves the core to computing
/// threads. There are no wake-ups, because the scheduler moves a woken thread to the waking
/// thread's core: two ranks would then share one core while another one idles.
class Patience {
public:
    /// Waits a moment; true about every 10 ms, to let the caller check other things.
    bool wait() {
        const int round = round_++;
        if (round < spins) {
            std::this_thread::yield();
            return false;
        }
        const auto nap = std::chrono::microseconds(round < spins + 100    ? 20
                                                   : round < spins + 2000 ? 100
                                                                          : 1000);
        std::this_thread::sleep_for(nap);
        slept_ += nap.count();
        if (slept_ < 5000) return false;  // Sleeping takes longer than requested.
        slept_ = 0;
        return true;
    }

private:
    static constexpr int spins = 100;
    int round_ = 0;
    int64_t slept_ = 0;
};

}  // namespace catena
