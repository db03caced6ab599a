#include <atomic>
#include <chrono>

#include "runtime/core/parallel/parallel.h"
#include "tools/catena/limit.h"

namespace catena::tool {
namespace {

using Clock = std::chrono::steady_clock;

/// Two threads write a number in turn. Whoever waits for longer than a scheduler would let it gives
/// up, as must the first of two parts that run one after the other.
class Exchange {
public:
    static constexpr int rounds = 500;

    void run(int side) {
        const auto begin = Clock::now();
        for (int i = 0; i < rounds; ++i) {
            const int mine = 2 * i + side;
            for (int looked = 1; turn_.load(std::memory_order_acquire) != mine; ++looked)
                if (looked % 1024 == 0 &&
                    (given_up_ || Clock::now() - begin > std::chrono::milliseconds(5))) {
                    given_up_ = true;
                    return;
                }
            turn_.store(mine + 1, std::memory_order_release);
        }
        if (side == 0)
            nanoseconds_ =
                std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / rounds;
    }
    double nanoseconds() const { return given_up_ ? 0 : nanoseconds_; }

private:
    alignas(64) std::atomic<int> turn_{0};
    alignas(64) std::atomic<bool> given_up_{false};
    double nanoseconds_ = 0;
};

}  // namespace

double exchange_nanoseconds() {
    if (thread_count() < 2) return 0;
    double least = 0;
    for (int i = 0; i < 5; ++i) {
        Exchange exchange;
        parallel_for(2, 1, [&](int64_t begin, int64_t end) {
            for (int64_t side = begin; side < end; ++side) exchange.run(int(side));
        });
        const double now = exchange.nanoseconds();
        if (now > 0 && (least == 0 || now < least)) least = now;
    }
    return least;
}

}  // namespace catena::tool
