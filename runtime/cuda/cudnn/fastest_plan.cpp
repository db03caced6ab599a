#include "runtime/cuda/cudnn/fastest_plan.h"

#ifdef CATENA_HAS_CUDNN

#include <algorithm>
#include <limits>

namespace catena::cuda {

namespace {

double seconds_of(CodeDevice& device, const std::function<void()>& execute) {
    execute();
    const auto timer = device.make_timer();
    for (int i = 0; i < 3; ++i) timer->mark(), execute();
    timer->mark();
    const std::vector<double> seconds = timer->seconds();
    return *std::min_element(seconds.begin(), seconds.end());
}

}  // namespace

size_t fastest_plan(CodeDevice& device, std::span<const Plan> plans,
                    const std::function<void(const Plan&)>& execute) {
    size_t fastest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < plans.size(); ++i) {
        try {
            const double seconds = seconds_of(device, [&] { execute(plans[i]); });
            if (seconds < least) least = seconds, fastest = i;
        } catch (const CudnnError& error) {
            if (!error.refused()) throw;
        }
    }
    return fastest;
}

}  // namespace catena::cuda

#endif
