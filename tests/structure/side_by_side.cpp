#include "tests/structure/side_by_side.h"

#include <atomic>
#include <thread>

namespace catena::structure {

void side_by_side(size_t count, const std::function<void(size_t)>& each) {
    std::atomic<size_t> next = 0;
    const auto work = [&] {
        for (size_t i; (i = next++) < count;) each(i);
    };
    std::thread other(work);
    work();
    other.join();
}

}  // namespace catena::structure
