#pragma once

#include <chrono>
#include <thread>

namespace catena {

/// Waiting for another rank by looking again and again, at first at once, then with increasing back-off: a
/// core is left to those who compute. Nobody is woken: the scheduler moves a woken thread to the
/// core of the one that wakes it, where two ranks then share one core while the next one idles.
class Patience {
public:
    /// A moment; true about every 10 ms, when there is time to look after other things.
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
        if (slept_ < 5000) return false;  // Sleeping takes longer than was asked for.
        slept_ = 0;
        return true;
    }

private:
    static constexpr int spins = 100;
    int round_ = 0;
    int64_t slept_ = 0;
};

}  // namespace catena
